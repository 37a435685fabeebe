"""Codes times scales over any grid and any range: against numpy on the whole, with zeros, offsets and second scales."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.elements import of_type, plain

from weightmap.companions.grids.factors import Second, by_rows
from weightmap.companions.grids.grid import Grid, in_blocks, in_groups, one_for_all, per_leading
from weightmap.companions.packing.packed import e2m1
from weightmap.companions.scaled.values import Scaled
from weightmap.measure.range import value_range
from weightmap.measure.spans import spanned_range
from weightmap.measure.statistics import statistics
from weightmap.reading.sweep import Meter
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

SHAPE = (3, 10, 90)
GRIDS = {
    "one": one_for_all(SHAPE),
    "matrices": per_leading(SHAPE, 1),
    "rows": per_leading(SHAPE, 2),
    "groups": in_groups(SHAPE, 16),
    "whole groups": in_groups(SHAPE, 30),
    "blocks": in_blocks(SHAPE, 4, 32),
    "columns": Grid(10, 10, 90, 1),
}


def spread(scales: np.ndarray, grid: Grid) -> np.ndarray:
    """The scale of each element, one element at a time."""
    return scales[[grid.flat(at) for at in range(np.prod(SHAPE))]].reshape(SHAPE)


def made(grid: Grid, parts: str) -> tuple[Scaled, np.ndarray]:
    drawn = np.random.default_rng(grid.wide)
    number = grid.count(SHAPE)
    codes = drawn.integers(-128, 128, SHAPE, np.int8)
    scales, zeros, offsets = (drawn.uniform(0.5, 2, number).astype(np.float32) for _ in range(3))
    second = drawn.uniform(0.5, 2, 30 // grid.rows).astype(np.float32)  # one for each matrix
    matrix = np.arange(number) // max(number // len(second), 1) % len(second)
    factors = scales / second[matrix] if "2" in parts else scales
    wanted = codes.astype(np.float32)
    wanted = wanted - spread(zeros, grid) if "z" in parts else wanted
    wanted = wanted * spread(factors, grid)
    wanted = wanted + spread(offsets, grid) if "o" in parts else wanted
    found = Scaled(
        plain(codes),
        plain(scales),
        grid,
        zeros=plain(zeros) if "z" in parts else None,
        offsets=plain(offsets) if "o" in parts else None,
        second=Second("second", second, divides=True) if "2" in parts else None,
    )
    return found, wanted


def ranges(count: int, seed: int) -> Iterator[tuple[int, int]]:
    yield 0, count
    for _ in range(40):
        start, stop = sorted(np.random.default_rng(seed).integers(0, count + 1, 2).tolist())
        seed += 1
        yield start, stop


@pytest.mark.parametrize("kind", GRIDS)
@pytest.mark.parametrize("parts", ["", "z", "o", "2", "zo2"])
def test_any_range_and_any_runs(kind: str, parts: str) -> None:
    values, wanted = made(GRIDS[kind], parts)
    flat, work = wanted.reshape(-1), Workspace()
    for start, stop in ranges(values.count, 7):
        out = np.empty(stop - start, np.float32)
        values.read(start, stop, out, work)
        assert out.tobytes() == flat[start:stop].tobytes()
    drawn = np.random.default_rng(1)
    for length in (1, 7, 45, 90, 200):
        starts = np.unique(drawn.integers(0, values.count - length, 20))
        aligned = np.arange(3, 27, 4) * 90 + 20
        for begins in (starts, aligned[aligned + length <= values.count]):
            out = np.empty((len(begins), length), np.float32)
            values.gather(begins, length, out, work)
            assert out.tobytes() == np.stack([flat[at : at + length] for at in begins]).tobytes()
    at = 1234
    assert np.float32(values.explain(at)[-1][1]) == flat[at]


@pytest.mark.parametrize("kind", GRIDS)
def test_bounds_hold_and_give_the_exact_range(kind: str) -> None:
    for parts in ("", "zo2"):
        values, wanted = made(GRIDS[kind], parts)
        spans = values.spans()
        assert spans is not None
        for first, last, low, high in zip(spans.edges[:-1], spans.edges[1:], spans.low, spans.high, strict=True):
            assert low <= wanted.reshape(-1)[first:last].min()
            assert high >= wanted.reshape(-1)[first:last].max()
        found = spanned_range(values, spans, meter=Meter(None, values.count))
        assert found is None or (found.low, found.high) == (wanted.min(), wanted.max())
        assert statistics(values).max == wanted.max()


def test_codes_that_are_no_numbers_have_no_bounds() -> None:
    codes = np.random.default_rng(1).integers(0, 0x7F, (4, 128), np.uint8)
    type, scales = by_name("F8_E4M3"), plain(np.ones(4, np.float32))
    assert type is not None
    assert Scaled(of_type(type, codes.shape, codes), scales, in_groups(codes.shape, 128)).spans() is not None
    codes[2, 77] = 0xFF
    values = Scaled(of_type(type, codes.shape, codes), scales, in_groups(codes.shape, 128))
    assert values.spans() is None
    assert value_range(values, threads=1, meter=Meter(None, 512)).nan == 1
    scales = plain(np.array([1, np.inf, 1, 1], np.float32))
    assert Scaled(plain(codes.view(np.int8)), scales, in_groups(codes.shape, 128)).spans() is None


def test_nibbles_are_bounded_by_their_numbers() -> None:
    codes = np.random.default_rng(1).integers(0, 256, (4, 64), np.uint8)
    values = Scaled(
        of_type(e2m1(), (4, 128), codes), plain(np.arange(1, 5, dtype=np.float32)), in_groups((4, 128), 128)
    )
    spans = values.spans()
    assert spans is not None
    assert spans.high.tolist() == [6, 12, 18, 24]
    assert spans.low.tolist() == [-6, -12, -18, -24]


def test_one_scale_for_all_is_counted_by_code() -> None:
    values, wanted = made(GRIDS["one"], "2")
    codes = values.codes()
    assert codes is not None and len(codes.values) == 256
    found = statistics(values)
    assert (found.min, found.max) == (wanted.min(), wanted.max())
    assert found.zeros == np.count_nonzero(wanted == 0)
    assert found.mean == pytest.approx(wanted.astype(np.float64).mean())


@pytest.mark.parametrize("width", [511, 512, 1000, 8192])
def test_a_scale_per_row_leaves_numpys_buffer_as_it_was(width: int) -> None:
    drawn, usual = np.random.default_rng(width), np.getbufsize()
    values, scales = (
        drawn.standard_normal((7, width)).astype(np.float32),
        drawn.standard_normal((7, 1)).astype(np.float32),
    )
    wanted = values * scales
    by_rows(np.multiply, values, scales)
    assert np.array_equal(values, wanted)
    with pytest.raises(TypeError):
        by_rows(np.multiply, values, np.array([[object()]] * 7))
    assert np.getbufsize() == usual


def test_chunks_are_whole_rows() -> None:
    codes = np.zeros((256, 3000), np.int8)
    weight = Scaled(plain(codes), plain(np.ones((256, 1), np.float32)), per_leading(codes.shape, 1))
    assert weight.chunk() == 131_072 // 3000 * 3000
    long = np.zeros((2, 200_000), np.int8)
    weight = Scaled(plain(long), plain(np.ones((2, 1), np.float32)), per_leading(long.shape, 1))
    assert weight.chunk() == 131_072
