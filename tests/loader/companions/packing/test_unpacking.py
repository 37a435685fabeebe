"""Codes out of packed words, for every width, against bits written one by one."""

from __future__ import annotations

import numpy as np
import pytest
from support.packing import aligned, awq, down, words

from weightmap.companions.packing import unpacking
from weightmap.types.workspace import Workspace

WIDTHS = range(1, 9)


def drawn(bits: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(bits).integers(0, 1 << bits, shape, np.uint8)


@pytest.mark.parametrize("bits", WIDTHS)
def test_dense_streams(bits: int) -> None:
    codes = drawn(bits, 5, 96)
    packed = words(codes, bits).view(np.uint8)
    assert np.array_equal(unpacking.dense(packed, bits, Workspace(), "codes"), codes)


@pytest.mark.parametrize("bits", WIDTHS)
def test_words_that_codes_do_not_straddle(bits: int) -> None:
    per = 32 // bits
    codes = drawn(bits, 5, 4 * per)
    packed = aligned(codes, bits).view(np.uint8)
    assert np.array_equal(unpacking.aligned(packed, bits, Workspace(), "codes"), codes)


def test_the_order_of_awq() -> None:
    codes = drawn(4, 6, 40)
    assert np.array_equal(unpacking.interleaved(awq(codes).view(np.uint8), 4, Workspace(), "codes"), codes)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("rows", [3, 32, 50, 130])
def test_streams_down_the_columns(bits: int, rows: int) -> None:
    codes = drawn(bits, rows, 7)
    packed = down(codes, bits).view(np.uint32)
    period = 32 // bits if 32 % bits == 0 else 32
    for first, last in ((0, rows), (1, 2), (rows // 2, rows), (rows - 1, rows)):
        found = unpacking.down(packed, bits, first, last, period, Workspace(), "codes")
        assert np.array_equal(found, codes[first:last])


@pytest.mark.parametrize("bits", [3, 5, 6, 7])
def test_aligned_words_down_the_columns(bits: int) -> None:
    codes = drawn(bits, 25, 6)
    packed = np.ascontiguousarray(aligned(codes.T, bits).T).view(np.uint32)
    assert np.array_equal(unpacking.down(packed, bits, 3, 25, 32 // bits, Workspace(), "codes"), codes[3:])
