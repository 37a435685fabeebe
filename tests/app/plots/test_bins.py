from __future__ import annotations

import numpy as np
import pytest

from tensorloupe.plots.bins import Bins, Span, bins_over


def test_a_range_across_zero_gets_an_odd_number_of_bins_with_one_centred_on_zero() -> None:
    bins = bins_over(-0.6211, 0.8594, 256)
    assert bins.count == 257
    middle = int(bins.span.fraction(0.0) * bins.count)
    edges = bins.edges
    assert edges[middle] == pytest.approx(-edges[middle + 1], abs=1e-12)
    assert edges[0] <= -0.6211 and edges[-1] >= 0.8594


def test_a_range_on_one_side_of_zero_is_covered_exactly() -> None:
    assert bins_over(3.0, 9.0, 257) == Bins(Span(3.0, 9.0), 257)


@pytest.mark.parametrize(
    ("lo", "hi"),
    [
        (-1.7e308, 1.7e308),
        (-1.797e308, 1.0),
        (-1e-42, 1e-42),
        (5e-324, 1e-323),
        (1.0, float(np.nextafter(1.0, 2.0))),
        (1.0, 1.0000001),
        (-1e38, 1.0),
        (65504.0, 65504.0),
        (1.7976931348623155e308, 1.7976931348623157e308),
        (1.7976931348623157e308, 1.7976931348623157e308),
        (5e-324, 5e-324),
        (0.0, 0.0),
        (-(2.0**62), 2.0**62),
    ],
)
def test_edges_rise_and_cover_the_range_at_every_extreme(lo: float, hi: float) -> None:
    bins = bins_over(lo, hi, 257)
    assert bins.count >= 1
    assert np.isfinite(bins.edges).all()
    assert bins.span.lo < bins.span.hi
    assert bins.edges[0] <= lo and bins.edges[-1] >= hi
    assert 0 <= bins.span.fraction(lo) <= bins.span.fraction(hi) <= 1


def test_values_that_differ_in_the_last_bit_have_a_bin_each() -> None:
    one, next_one = 1.0, float(np.nextafter(1.0, 2.0))
    assert bins_over(one, next_one, 257).edges.tolist() == [one, next_one, float(np.nextafter(next_one, 2.0))]


def test_whole_numbers_stand_in_the_middle_of_their_bins() -> None:
    assert bins_over(-5, 3, 257, whole=True).edges.tolist() == [k - 5.5 for k in range(10)]
    assert bins_over(0, 1, 257, whole=True).edges.tolist() == [-0.5, 0.5, 1.5]
    wide = bins_over(-30_000, 30_000, 257, whole=True)
    assert wide.count % 2 == 1
    assert (wide.edges % 1 == 0.5).all()


def test_one_value_has_bins_around_it() -> None:
    bins = bins_over(2.5, 2.5, 257)
    assert bins.count == 21
    assert bins.span.fraction(2.5) == pytest.approx(0.5)


def test_fractions_and_values_answer_each_other() -> None:
    for span in (Span(-1.7e308, 1.7e308), Span(-1e-320, 3e-320), Span(-2.0, 6.0)):
        assert span.value(span.fraction(span.hi / 2)) == pytest.approx(span.hi / 2, rel=1e-3)
    assert Span(-2.0, 6.0).fraction(0.0) == 0.25
    assert Bins(Span(0.0, 10.0), 10).nearest_edge(3.4) == 3.0


def test_a_span_widens_no_further_than_the_whole() -> None:
    assert Span(0.0, 10.0).widened(0.5, Span(-2.0, 100.0)) == Span(-2.0, 15.0)
