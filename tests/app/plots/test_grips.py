from __future__ import annotations

import pytest

from tensorloupe.plots.bins import Bins, Span
from tensorloupe.plots.grips import moved, part_at

BINS = Bins(Span(0.0, 10.0), 10)


def test_the_nearest_limit_is_taken() -> None:
    assert part_at(103, 100, 300, band=True) == "low"
    assert part_at(297, 100, 300, band=True) == "high"
    assert part_at(200, 100, 300, band=True) == "band"
    assert part_at(200, 100, 300, band=False) is None
    assert (part_at(98, 100, 100, band=False), part_at(102, 100, 100, band=False)) == ("low", "high")


def test_limits_snap_to_edges_and_stay_a_bin_apart() -> None:
    assert moved("low", (2.0, 8.0), 0.13, BINS) == (3.0, 8.0)
    assert moved("low", (2.0, 8.0), 5.0, BINS) == pytest.approx((7.0, 8.0))
    assert moved("high", (2.0, 8.0), -5.0, BINS) == pytest.approx((2.0, 3.0))
    assert moved("high", (2.0, 8.0), 5.0, BINS) == (2.0, 10.0)


def test_the_band_keeps_its_width_and_the_range() -> None:
    assert moved("band", (2.0, 8.0), 0.1, BINS) == (3.0, 9.0)
    assert moved("band", (2.0, 8.0), 9.0, BINS) == (4.0, 10.0)
    assert moved("band", (2.0, 8.0), -9.0, BINS) == (0.0, 6.0)
