"""Whole numbers multiplied with powers of a matrix of four, exactly: sums of four at a time, and one product of 16 by 16.

H of size G is the Kronecker power of H of four, so it can be applied digit by digit of an index in base four. The upper digits
are sums and differences of long runs, once pieces lie transposed, 16 numbers as one item; the lower two, within an item, are a
product that puts everything back into order. No sum exceeds what its type holds exactly.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

ITEM = 16
LARGEST_PRODUCT = 64**3  # multiplications: with more, the BLAS library would start threads

Floats = NDArray[np.float32]


@cache
def fours(size: int) -> Floats:
    """H of a power of four times its root: float32 (size, size), every number 1 or -1."""
    four = np.array([[1, 1, 1, -1], [1, 1, -1, 1], [1, -1, 1, 1], [-1, 1, 1, 1]], np.float32)
    whole = four if size == 4 else np.ascontiguousarray(np.kron(fours(size // 4), four), np.float32)
    whole.flags.writeable = False
    return whole


@cache
def _divided(side: int, size: int) -> Floats:
    return fours(side) / np.float32(1 << size.bit_length() // 2)


def turn_whole(numbers: NDArray[Any], size: int, out: Floats, work: Workspace) -> None:
    """Multiply each `size` neighbours of `numbers` (n,), whole pieces, with H into `out` (n,).

    numbers  int8, or float32 that are whole numbers of up to 128; float32 ones may be NaN, as is their whole piece then
    """
    side = min(size, ITEM)
    pieces, items = len(numbers) // size, size // side
    sums = numbers.reshape(pieces, items, side).transpose(1, 0, 2)
    if items > 1:
        sums = _transposed(numbers, pieces, items, side, work)
        _sums(sums.reshape(items, -1), work)
    if sums.dtype != np.float32:
        wide = work.array("butterflies wide", sums.shape, np.float32)
        np.copyto(wide, sums)
        sums = wide
    ordered, by = out.reshape(pieces, items, side).transpose(1, 0, 2), _divided(side, size)
    most = LARGEST_PRODUCT // side**2
    for first in range(0, pieces, most):
        np.matmul(sums[:, first : first + most], by, out=ordered[:, first : first + most])


def _transposed(numbers: NDArray[Any], pieces: int, items: int, side: int, work: Workspace) -> NDArray[Any]:
    """(items, pieces, side) of whole pieces, an item of each after the other; bytes widened to 16 bits.

    These hold 256 numbers of up to 128, added and subtracted: no row of H is all of one sign.
    """
    item = np.dtype(f"V{side * numbers.itemsize}")
    turned = work.array("butterflies stored", (items, pieces, side), numbers.dtype)
    np.copyto(turned.reshape(items, -1).view(item), numbers.view(item).reshape(pieces, items).T)
    if numbers.dtype == np.float32:
        return turned
    wide = work.array("butterflies", turned.shape, np.int16)
    np.copyto(wide, turned)
    return wide


def _sums(rows: NDArray[Any], work: Workspace) -> None:
    """Multiply the rows (a power of four, n) with H of as many, in place: of a, b, c, d the sum less twice d, c, b, a."""
    distance, both = 1, work.array("butterflies sums", (2, rows.size // 2), rows.dtype)
    while distance < len(rows):
        pairs = rows.reshape(-1, 2, 2, distance * rows.shape[1])
        first, second = pairs[:, :, 0], pairs[:, :, 1]
        added, less = (one.reshape(first.shape) for one in both)
        np.add(first, second, out=added)
        np.subtract(first, second, out=less)
        np.add(added, less[:, ::-1], out=first)
        np.subtract(added, less[:, ::-1], out=second)
        distance *= 4
