import math

import numpy as np
import pytest
from support.blocks import decoded as by_type
from support.blocks import finite_blocks, random_blocks
from support.elements import of_type, plain

from weightmap.errors import Cancelled
from weightmap.measure.bounds import BOUNDS
from weightmap.measure.statistics import statistics
from weightmap.types.registry import all_types, big_endian, by_name


def compare(got, values, rel=1e-6):
    """Against plain numpy in float64, and histogram counts against numpy's own, one by one."""
    wide = values.reshape(-1).astype(np.float64)
    finite = wide[np.isfinite(wide)]
    assert got.exact is True
    assert got.count == wide.size
    assert (got.nan, got.inf) == (np.isnan(wide).sum(), np.isinf(wide).sum())
    assert (got.histogram.nan, got.histogram.inf) == (got.nan, got.inf)
    assert got.zeros == (wide == 0).sum()
    if not finite.size:
        assert got.min is got.max is got.mean is got.std is got.histogram.edges is None
        assert not got.histogram.counts.any()
        return
    assert (got.min, got.max) == (finite.min(), finite.max())
    scale = max(abs(finite.min()), abs(finite.max())) or 1
    start = finite[0] / scale  # numpy's own deviation drowns where values differ in their last bits
    std = (finite / scale - start).std() * scale
    assert got.mean == pytest.approx(((finite / scale - start).mean() + start) * scale, rel=rel, abs=rel * std + 1e-320)
    assert got.std == pytest.approx(std, rel=rel, abs=1e-320)
    edges, counts = got.histogram.edges, got.histogram.counts
    assert edges.dtype == np.float64
    assert counts.dtype == np.int64
    assert (edges[0], edges[-1]) == (float(got.min), float(got.max))
    assert (edges[1:] >= edges[:-1]).all()
    assert np.array_equal(counts, np.histogram(finite, edges)[0])


@pytest.fixture(params=[1 << 17, 256], ids=["one chunk", "chunks"])
def chunk(request, monkeypatch):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", request.param)


SPECIAL = {
    "normal": np.random.default_rng(1).standard_normal(5000),
    "symmetric": np.array([-1.0, 1, 0, 0.5, -0.5, -0.0, 0.25]),
    "one": np.array([3.25]),
    "constant": np.full(1000, 0.1),
    "constant zero": np.zeros(7),
    "minus zero": np.array([-0.0, 0.0, -1, -0.0]),
    "far from zero": 1e6 + np.random.default_rng(2).random(3000),
    "all NaN": np.full(9, np.nan),
    "one NaN": np.array([1, 2, np.nan, 4]),
    "one Inf": np.array([1, -np.inf, 3, 4.5]),
    "all Inf": np.array([np.inf, -np.inf]),
    "outlier": np.append(np.random.default_rng(3).standard_normal(4000) * 1e-3, 1000.0),
    "small integers": np.random.default_rng(4).integers(-8, 8, 4000).astype(float),
    "negative": -np.random.default_rng(5).random(2000) - 5,
}


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8"])
@pytest.mark.parametrize("case", SPECIAL)
def test_values_of_every_kind(dtype, case):
    with np.errstate(over="ignore"):
        values = SPECIAL[case].astype(dtype)
    compare(statistics(plain(values)), values)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, np.nextafter(np.float32(1), np.float32(2))] * 500, "<f4"),
        np.array([1.0, np.nextafter(1, 2)] * 500, "<f8"),
        np.array([65504, -65504, 0, 1, 2], "<f2"),
        np.array([3.4e38, -3.4e38, 1e38, 0, 5], "<f4"),
        np.array([1.7e308, -1.7e308, 1e308, 0, 5], "<f8"),
        np.array([1.7e308, 1.6e308, 1.65e308], "<f8"),
        np.array([1e-42, -3e-42, 0, 2e-45], "<f4"),
        np.array([5e-324, 1e-310, -1e-310, 0], "<f8"),
        np.array([1e-30, 2e-30, 5e-30], "<f4"),
        np.array([6e-8, -6e-8, 1.2e-7], "<f2"),
        np.array([1e15, 1, 2, 3], "<f4"),
    ],
)
@pytest.mark.parametrize("bins", [1, 2, 7, 256, 1000])
def test_extreme_ranges(values, bins):
    got = statistics(plain(values), bins)
    compare(got, values)
    assert len(got.histogram.counts) == bins


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("dtype", ["<i1", "<u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"])
def test_integers_come_back_as_integers(dtype):
    limits = np.iinfo(dtype)
    values = np.random.default_rng(6).integers(limits.min, limits.max, 3000, dtype=dtype, endpoint=True)
    values[:2] = limits.min, limits.max
    got = statistics(plain(values))
    assert type(got.min) is type(got.max) is int
    assert (got.min, got.max) == (limits.min, limits.max)
    assert got.mean == sum(values.tolist()) / len(values)
    assert got.std == pytest.approx(values.astype(np.float64).std(), rel=1e-9)
    assert got.histogram.counts.sum() == len(values)


def test_64_bit_integers_keep_every_digit():
    base = 2**62
    values = np.array([base + 1, base + 3, base + 5], "<i8")
    got = statistics(plain(values), 4)
    assert (got.min, got.max) == (base + 1, base + 5)
    assert got.std == pytest.approx(math.sqrt(8 / 3))
    assert got.histogram.counts.sum() == 3
    one = statistics(plain(np.array([2**64 - 1, 2**64 - 2], "<u8")))
    assert (one.min, one.max, one.std) == (2**64 - 2, 2**64 - 1, 0.5)


def test_64_bit_integers_that_float64_cannot_tell_apart_are_binned_by_their_own_value():
    values = np.arange(2**53, 2**53 + 1000, dtype="<i8")
    got = statistics(plain(values), 10)
    edges = got.histogram.edges.tolist()
    assert got.histogram.counts.tolist() == [
        sum(1 for v in values.tolist() if low <= v and (v < high or (last and v <= high)))
        for low, high, last in zip(edges[:-1], edges[1:], [False] * 9 + [True], strict=True)
    ]


def test_truth_values_count_as_numbers():
    got = statistics(of_type(by_name("BOOL"), (6,), np.array([0, 1, 255, 2, 0, 1], np.uint8)))
    assert (got.count, got.min, got.max, got.zeros) == (6, 0, 1, 2)
    assert type(got.max) is int
    assert got.mean == pytest.approx(2 / 3)


@pytest.mark.usefixtures("chunk")
def test_complex_values_count_twice():
    values = np.array([1 + 2j, 0 - 3j, np.nan + 1j, 5 + np.inf * 1j], np.complex64)
    compare(statistics(plain(values)), values.view(np.float32))


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", "<i8", "<i1", "<c8"])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4, 2)])
def test_empty(dtype, shape):
    got = statistics(plain(np.empty(shape, dtype)), 16)
    compare(got, np.empty(0))
    assert got.count == 0
    assert got.histogram.counts.tolist() == [0] * 16


def test_a_constant_fills_one_bin():
    got = statistics(plain(np.full(500, 0.1, "<f4")), 8)
    assert got.mean == got.min == float(np.float32(0.1))
    assert got.std == 0
    assert sorted(got.histogram.counts.tolist()) == [0] * 7 + [500]


NAMES = [type.name for type in all_types()]


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("name", NAMES)
def test_every_type(name):
    type = by_name(name)
    blocks = finite_blocks(type, 6000 // type.elements + 3, 7)
    values = by_type(type, blocks)
    if values.dtype.kind == "c":
        values = values.view(np.float32)
    elements = of_type(type, (len(blocks), type.elements), blocks)
    got = statistics(elements, threads=2)
    if values.dtype.kind in "iub" and values.dtype.itemsize == 8:
        assert (got.min, got.max, got.histogram.counts.sum()) == (values.min(), values.max(), values.size)
    else:
        with np.errstate(all="ignore"):
            compare(got, values)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_scales_that_are_not_finite(name):
    type = by_name(name)
    blocks = random_blocks(type, 2000, 11)
    with np.errstate(all="ignore"):
        compare(statistics(of_type(type, (2000, type.elements), blocks)), by_type(type, blocks))


def test_a_big_endian_type():
    type = big_endian(by_name("Q4_0"))
    blocks = finite_blocks(by_name("Q4_0"), 300, 3)
    swapped = blocks.copy()
    swapped[:, :2] = blocks[:, 1::-1]
    compare(statistics(of_type(type, (300, 32), swapped)), by_type(by_name("Q4_0"), blocks))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_result_does_not_depend_on_threads(monkeypatch, threads):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 1024)
    values = np.random.default_rng(8).standard_normal(70001).astype("<f4")
    values[::999] = np.nan
    compare(statistics(plain(values), threads=threads), values)


def test_many_bins_and_impossible_ones():
    values = np.random.default_rng(9).standard_normal(3000).astype("<f4")
    compare(statistics(plain(values), 65534), values)
    for bins in (0, -1, 65535):
        with pytest.raises(ValueError, match="bins must be"):
            statistics(plain(values), bins)


@pytest.mark.parametrize("dtype", ["<f2", "<f4"])
def test_progress_rises_to_its_total_and_cancels(monkeypatch, dtype):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 128)
    elements = plain(np.ones(1000, dtype))
    seen = []
    statistics(elements, progress=lambda *at: seen.append(at))
    assert seen[-1][0] == seen[-1][1] > 0
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    with pytest.raises(Cancelled):
        statistics(elements, progress=lambda done, total: False)


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_tensors_that_are_read_in_the_largest_pieces(dtype):
    values = (np.random.default_rng(5).standard_normal((1 << 23) + 3) * 50).astype(dtype)
    compare(statistics(plain(values)), values)
