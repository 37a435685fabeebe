"""Scales in tiles and scales turned round, codes in planes: any range and any runs, against the order written out one by one."""

from __future__ import annotations

import numpy as np
import pytest
from support.elements import plain
from support.floats import low_first, swizzled

from weightmap.companions.grids.orders import Swizzled, Turned, padded_shape
from weightmap.companions.packing.rows import SixInPlanes
from weightmap.reading.elements import Elements
from weightmap.types.workspace import Workspace


def assert_reads(elements: Elements, wanted: np.ndarray) -> None:
    flat, work, drawn = wanted.reshape(-1), Workspace(), np.random.default_rng(1)
    width = wanted.shape[1]
    for _ in range(30):
        start, stop = sorted(drawn.integers(0, flat.size + 1, 2).tolist())
        out = np.empty(stop - start, elements.value)
        elements.read(start, stop, out, work)
        assert np.array_equal(out, flat[start:stop])
    for length in (1, 2, width, 2 * width):
        last = flat.size - length
        aligned = np.arange(0, len(wanted) - 1, 3) * width
        for starts in (np.unique(drawn.integers(0, last, 15)), aligned[aligned <= last], np.array([0, last])):
            out = np.empty((len(starts), length), elements.value)
            elements.gather(starts, length, out, work)
            assert np.array_equal(out, np.stack([flat[at : at + length] for at in starts]))


@pytest.mark.parametrize("shape", [(1, 1), (40, 3), (128, 4), (130, 5), (300, 9)])
def test_tiles(shape: tuple[int, int]) -> None:
    wanted = np.random.default_rng(2).integers(0, 256, shape, np.uint8)
    stored = swizzled(wanted)
    assert stored.shape == padded_shape(*shape)
    if wanted.size > 1:
        assert_reads(Swizzled(plain(stored), *shape), wanted)
    out = np.empty(wanted.size, np.float32)
    Swizzled(plain(stored), *shape).read(0, wanted.size, out, Workspace())
    assert np.array_equal(out, wanted.reshape(-1))


@pytest.mark.parametrize("shape", [(12, 4), (300, 7), (700, 2)])
def test_turned(shape: tuple[int, int]) -> None:
    wanted = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    assert_reads(Turned(plain(np.ascontiguousarray(wanted.T))), wanted)


@pytest.mark.parametrize("shape", [(3, 20), (1, 4), (5, 64)])
def test_six_bits_in_planes(shape: tuple[int, int]) -> None:
    codes = np.random.default_rng(2).integers(0, 64, shape, np.uint8)
    tops = (codes >> 4).reshape(len(codes), -1, 4) << np.array([0, 2, 4, 6], np.uint8)
    stored = np.concatenate([low_first(codes & 15), np.bitwise_or.reduce(tops, axis=2)], axis=1)
    of, work = SixInPlanes(plain(stored), shape), Workspace()
    for first, last in ((0, len(codes)), (0, 1), (len(codes) - 1, len(codes))):
        out = np.empty((last - first, shape[1]), np.float32)
        of.read(first * shape[1], last * shape[1], out.reshape(-1), work)
        assert np.array_equal(out, codes[first:last].astype(np.float32) - 32)
