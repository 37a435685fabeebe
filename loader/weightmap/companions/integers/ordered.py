"""Arithmetic where each column names its group: the numbers of groups are fetched for every value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.types.fields import Floats, number
from weightmap.types.workspace import Workspace

FREE = 9  # bits that are enough for every zero, and that scales of 16 bits leave free in 32
LOWER = number((1 << FREE) - 1, "i2")
UPPER = number(0xFFFFFFFF << FREE & 0xFFFFFFFF, "u4")


class Of(NamedTuple):
    """What belongs to the groups of a rectangle.

    columns  the group of each column
    scales, zeros, offsets  (rows, groups); zeros are bytes where differences fit a signed one, else of 16 bits
    free     whether the lowest bits of each scale are free, and zeros fit into these
    scale    multiplies, or divides
    """

    columns: NDArray[np.int64]
    scales: Floats
    zeros: NDArray[Any] | None
    offsets: Floats | None
    free: bool
    scale: np.ufunc


def ordered(codes: NDArray[Any], of: Of, out: Floats, work: Workspace) -> None:
    """Codes (rows, columns) less their zeros, times their scales, plus their offsets, into `out`."""
    wide = out if out.flags.c_contiguous else work.array("wide scales", codes.shape, np.float32)
    whole = codes
    if of.zeros is None:
        _take(of.scales, of.columns, wide)
    else:
        less = work.array("wide zeros", codes.shape, of.zeros.dtype)
        if of.free and of.scales.flags.writeable:
            _together(of.scales, of.zeros, of.columns, wide, less)
        else:
            _take(of.zeros, of.columns, less)
            _take(of.scales, of.columns, wide)
        whole = np.subtract(codes, less, out=less)
        whole = whole.view(np.int8) if of.zeros.dtype == np.uint8 else whole
    of.scale(whole, wide, out=out)
    if of.offsets is not None:
        offsets = work.array("wide offsets", codes.shape, np.float32)
        _take(of.offsets, of.columns, offsets)
        np.add(out, offsets, out=out)


def _take(numbers: NDArray[Any], columns: NDArray[np.int64], out: NDArray[Any]) -> None:
    np.take(numbers, columns, axis=1, out=out, mode="wrap")  # nothing is beyond the end, and this looks for it quickest


def _together(
    scales: Floats, zeros: NDArray[Any], columns: NDArray[np.int64], wide_scales: Floats, wide_zeros: NDArray[Any]
) -> None:
    """Fetch scales and zeros at once: the bits that scales of 16 bits leave free in 32 have room for these."""
    bits, wide = scales.view(np.uint32), wide_scales.view(np.uint32)
    np.bitwise_or(bits, zeros.view(f"u{zeros.itemsize}"), out=bits)
    _take(bits, columns, wide)
    np.copyto(wide_zeros, wide, casting="unsafe")
    if zeros.itemsize > 1:
        np.bitwise_and(wide_zeros, LOWER, out=wide_zeros)
    np.bitwise_and(wide, UPPER, out=wide)
