import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weightmap.measure.binning import Binning, equal_edges
from weightmap.reading.tally import Tally
from weightmap.types.workspace import Workspace


def slots(binning, values):
    out = np.empty(len(values), np.uint16)
    binning.put(values, out, Workspace())
    return out


@settings(max_examples=200)
@given(
    limits=st.tuples(
        st.floats(width=32, allow_nan=False, allow_infinity=False), st.floats(0, 3.0000000054977558e38, width=32)
    ),
    bins=st.sampled_from([1, 2, 3, 10, 256, 1000]),
    seed=st.integers(0, 99),
    outside=st.booleans(),
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_slot_is_that_of_comparing_with_every_edge(dtype, limits, bins, seed, outside):
    low, high = limits[0], min(limits[0] + limits[1], 3.4e38)
    edges = equal_edges(low, high, bins)
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        spread = (low + (high - low) * rng.random(500)).astype(dtype)
        close = edges.astype(dtype)
        close = np.concatenate([close, np.nextafter(close, np.inf), np.nextafter(close, -np.inf), -close])
    values = np.concatenate([spread, close[np.isfinite(close)].astype(dtype)])
    wide = values.astype(np.float64)
    if not outside:
        values = values[(wide >= edges[0]) & (wide <= edges[-1])]
        wide = values.astype(np.float64)
    expected = np.searchsorted(edges[:-1] if outside else edges[1:-1], wide, side="right")
    if outside:
        expected += wide > edges[-1]
    assert np.array_equal(slots(Binning(edges, np.dtype(dtype), outside=outside), values), expected)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("limits", [(0.5, 99.5), (-1e30, 1e30), (-7, 1e3), (2e9, 4e18), (-5e18, -1e3)])
def test_integers_against_their_exact_values(dtype, limits):
    edges = equal_edges(*limits, 10)
    info = np.iinfo(dtype)
    wanted = [0, 1, 2, 99, 100, int(info.min), int(info.max), 10**9, *(int(e) + d for e in edges for d in (-1, 0, 1))]
    values = [v for v in wanted if info.min <= v <= info.max]
    expected = [sum(e <= v for e in edges[:-1].tolist()) + (v > edges.tolist()[-1]) for v in values]
    got = slots(Binning(edges, np.dtype(dtype), outside=True), np.array(values, dtype))
    assert got.tolist() == expected


def test_edges_reach_both_limits():
    for low, high in [(0.1, 0.7), (-1.7e308, 1.7e308), (1, np.nextafter(1, 2)), (5.0, 5.0), (-(2**63), 2**63 - 1)]:
        edges = equal_edges(low, high, 256)
        assert (edges[0], edges[-1], len(edges)) == (float(low), float(high), 257)
        assert (edges[1:] >= edges[:-1]).all()


@pytest.mark.parametrize(("size", "most"), [(256, 10**6), (256, 100), (3, 10**6), (300, 10**6), (1 << 16, 5000)])
def test_a_tally_counts_everything(size, most):
    numbers = np.random.default_rng(1).integers(0, size, 600_001 if most > 600_000 else most)
    tally, work = Tally(size, most), Workspace()
    at = 0
    for length in (7, 1000, 50_001, 300_000, 1, 249_000):
        piece = numbers[at : at + length]
        room = tally.room(len(piece), work)
        room[:] = piece
        tally.add(room, work)
        at += len(piece)
    assert np.array_equal(tally.result(), np.bincount(numbers[:at], minlength=size))
