"""Whole numbers multiplied with powers of a matrix of four, exactly: sums of four at a time, and products of 16 by 16.

H of size G is the Kronecker power of H of four, so it can be applied digit by digit of an index in base four. The upper digits
are sums and differences of long runs, once pieces lie transposed, some numbers as one item; then items are put back into order.
The lower digits, within an item, are a product; or they are looked up before, where a key of 16 bits says several numbers. No
sum exceeds what its type holds exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

ITEM = 16
LARGEST_PRODUCT = 64**3  # multiplications: with more, the BLAS library would start threads
PIECE = 1 << 18  # numbers that are widened at a time
CACHE_LINE = 64  # bytes
MOST = 1 << 15  # sums that are less fit 16 bits

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
    sums = numbers if size == side else _upper_digits(numbers, size // side, side, work)
    by, most, step = _divided(side, size), LARGEST_PRODUCT // side**2, PIECE // side
    rows, products = sums.reshape(-1, side), out.reshape(-1, side)
    for first in range(0, len(rows), step):
        some, target = rows[first : first + step], products[first : first + step]
        if some.dtype != np.float32:
            wide = work.array("butterflies wide", some.shape, np.float32)
            np.copyto(wide, some)
            some = wide
        several = len(some) // most * most
        np.matmul(some[:several].reshape(-1, most, side), by, out=target[:several].reshape(-1, most, side))
        if several < len(some):
            np.matmul(some[several:], by, out=target[several:])


def _upper_digits(numbers: NDArray[Any], items: int, side: int, work: Workspace) -> NDArray[Any]:
    """All digits but those within an item of `side`, in the order of `numbers`; bytes widened to 16 bits.

    These hold 256 numbers of up to 128, added and subtracted: no row of H is all of one sign.
    """
    pieces, item = len(numbers) // (items * side), f"V{side * numbers.itemsize}"
    turned = work.array("butterflies stored", (items, _apart(pieces, side * numbers.itemsize), side), numbers.dtype)
    np.copyto(turned[:, :pieces].view(item)[..., 0], numbers.view(item).reshape(pieces, items).T)
    if numbers.dtype == np.float32:
        turned[:, pieces:] = 0  # sums of anything could warn
    else:
        wide = work.array("butterflies", turned.shape, np.int16)
        np.copyto(wide, turned)
        turned = wide
    return _in_order(_sums(turned.reshape(items, -1), work), pieces, side, work)


def first_digits(numbers: NDArray[np.int8], most: int) -> list[NDArray[Any]]:
    """Tables by key, one for each key of four neighbours: the part that a key's numbers, 2 or 4 in `numbers` (65536, some), have
    in the four sums, which are side by side in the clothes of one number: bytes where those of 16 numbers of up to `most` fit.
    """
    each, signs = numbers.shape[1], fours(4).astype(np.int16)
    wide, kind = numbers.astype(np.int16), (np.int8, np.uint32) if most * ITEM <= 1 << 7 else (np.int16, np.uint64)
    parts = [wide @ signs[at : at + each] for at in range(0, 4, each)]
    return [part.astype(kind[0]).view(kind[1])[:, 0] for part in parts]


def turn_keys(
    keys: NDArray[np.uint16], tables: Sequence[NDArray[Any]], size: int, out: Floats, work: Workspace
) -> None:
    """The same of what keys stand for, `tables` being their `first_digits`. `size` times the largest number is at most `MOST`."""
    quads, pieces, kind = size // 4, len(out) // size, tables[0].dtype
    shape, by_place = (quads, _apart(pieces, kind.itemsize)), keys.reshape(pieces, quads, len(tables))
    indices = work.array("butterflies wide", shape, np.intp)
    sums, part = work.array("butterflies", shape, kind), work.array("butterflies other", shape, kind)
    rows = sums.view(f"i{kind.itemsize // 4}")
    for place, table in enumerate(tables):
        np.copyto(indices[:, :pieces], by_place[..., place].T)
        np.take(table, indices, out=part if place else sums, mode="clip")  # what lies behind the pieces is anything
        if place:
            np.add(rows, part.view(rows.dtype), out=rows)
    if rows.dtype == np.int8:
        wide = work.array("butterflies wide", rows.shape, np.int16)
        np.copyto(wide, _sums(rows, work, last=4))
        rows = wide
        _sums(rows, work, first=4)
    else:
        _sums(rows, work)
    np.copyto(out, _in_order(rows, pieces, 4, work))
    np.multiply(out, np.float32(1 / (1 << size.bit_length() // 2)), out=out)


def _apart(pieces: int, size: int) -> int:
    """How many items of `size` bytes a line of one for each piece has room for: lines a power of two apart would push each other
    out of the cache.
    """
    return ((-(-pieces * size // CACHE_LINE)) | 1) * CACHE_LINE // size


def _in_order(rows: NDArray[Any], pieces: int, side: int, work: Workspace) -> NDArray[Any]:
    """The sums (n,) piece after piece, of rows (items, numbers of all pieces and more)."""
    item = f"V{side * rows.itemsize}"
    ordered = work.array("butterflies other", (pieces, len(rows) * side), rows.dtype)
    np.copyto(ordered.view(item), rows.view(item)[:, :pieces].T)
    return ordered.reshape(-1)


def _sums(rows: NDArray[Any], work: Workspace, first: int = 1, last: int = 0) -> NDArray[Any]:
    """Multiply the rows (a power of four, n) with H of as many, in place: of a, b, c, d the sum less twice d, c, b, a.

    Or, of its digits, with those from `first` to before `last` alone, which are powers of four themselves.
    """
    distance, both = first, work.array("butterflies other", (2, rows.size // 2), rows.dtype)
    while distance < min(last or len(rows), len(rows)):
        pairs = rows.reshape(-1, 2, 2, distance * rows.shape[1])
        one, other = pairs[:, :, 0], pairs[:, :, 1]
        added, less = (half.reshape(one.shape) for half in both)
        np.add(one, other, out=added)
        np.subtract(one, other, out=less)
        np.add(added, less[:, ::-1], out=one)
        np.subtract(added, less[:, ::-1], out=other)
        distance *= 4
    return rows
