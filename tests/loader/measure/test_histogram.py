import numpy as np
import pytest
from support.blocks import decoded as by_type
from support.blocks import finite_blocks
from support.elements import of_type, plain

from weightmap.errors import Cancelled
from weightmap.measure.histogram import histogram
from weightmap.measure.statistics import statistics
from weightmap.types.registry import by_name


def compare(got, values, limits):
    wide = values.reshape(-1).astype(np.float64)
    finite = wide[np.isfinite(wide)]
    assert (got.below, got.above) == ((finite < limits[0]).sum(), (finite > limits[1]).sum())
    assert (got.nan, got.inf) == (np.isnan(wide).sum(), np.isinf(wide).sum())
    assert (got.edges[0], got.edges[-1]) == limits
    assert np.array_equal(got.counts, np.histogram(finite, got.edges)[0])


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", "<i1", "<i2", "<i4"])
@pytest.mark.parametrize("limits", [(-1.5, 2.5), (0.0, 1.0), (-1e30, 1e30), (50.0, 60.0), (-1e-9, 1e-9)])
@pytest.mark.parametrize("bins", [1, 10, 254, 256, 3000])
def test_counts_inside_and_outside_of_limits(dtype, limits, bins):
    values = (np.random.default_rng(1).standard_normal(5000) * 2).astype(dtype)
    if values.dtype.kind == "f":
        values[:4] = np.nan, np.inf, -np.inf, np.nan
    values[4:8] = 0, 1, 2, -1
    compare(histogram(plain(values), bins, limits, threads=2), values, limits)


def test_a_quantized_tensor_and_a_complex_one():
    type = by_name("Q6_K")
    blocks = finite_blocks(type, 50)
    compare(histogram(of_type(type, (50, 256), blocks), 64, (-0.5, 0.25)), by_type(type, blocks), (-0.5, 0.25))
    values = np.array([1 + 2j, -3 + 0.5j], np.complex64)
    compare(histogram(plain(values), 4, (0.0, 2.0)), values.view(np.float32), (0.0, 2.0))


def test_without_limits_it_is_that_of_the_statistics():
    elements = plain(np.random.default_rng(2).standard_normal(999).astype("<f4"))
    got, expected = histogram(elements, 33), statistics(elements, 33).histogram
    assert np.array_equal(got.counts, expected.counts)
    assert np.array_equal(got.edges, expected.edges)
    assert (got.below, got.above) == (0, 0)


def test_nothing_to_count():
    got = histogram(plain(np.empty(0, np.float32)), 5, (0, 1))
    assert got.counts.tolist() == [0] * 5


@pytest.mark.parametrize("limits", [(1, 1), (2, 1), (np.nan, 1), (0, np.inf)])
def test_impossible_limits(limits):
    with pytest.raises(ValueError, match="limits must be"):
        histogram(plain(np.ones(3, np.float32)), 5, limits)


def test_cancel():
    with pytest.raises(Cancelled):
        histogram(plain(np.ones(3, np.float32)), 5, (0, 2), progress=lambda *_: False)


@pytest.mark.parametrize("limits", [(0, 10**400), (-(10**400), 0)])
def test_a_limit_beyond_every_double(limits):
    with pytest.raises(ValueError, match="two finite numbers"):
        histogram(plain(np.zeros(3, np.float32)), 4, limits)


@pytest.mark.parametrize("bins", [1.5, "3", None])
def test_bins_are_counted_in_integers(bins):
    with pytest.raises(TypeError):
        histogram(plain(np.arange(3, dtype=np.float32)), bins)


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8"])
def test_nothing_is_printed_about_limits_at_the_largest_float(dtype):
    largest = np.finfo(dtype).max
    values = np.array([largest, np.nextafter(largest, np.dtype(dtype).type(0)), 1, -largest, np.inf], dtype)
    for low in (-float(largest), float(largest) / 2, 0.0):
        with np.errstate(all="raise"):
            got = histogram(plain(values), 7, (low, float(largest)))
        assert (got.inf, got.below, got.above) == (1, int((values < low).sum()), 0)
        assert int(got.counts.sum()) == int((values[:4] >= low).sum())
        assert got.edges[-1] == float(largest) and np.isfinite(got.edges).all()
