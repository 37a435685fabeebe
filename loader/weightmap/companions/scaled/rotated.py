"""Weights that were rotated before they were quantized: turned back while they are read.

Each row is cut into pieces of G values, and each piece is multiplied with the symmetric matrix H of G × G that is its own
inverse: the Kronecker power of a matrix of four. Where values are whole numbers times one scale for the row, the numbers are
turned and then scaled: their sums are exact, whatever the order, and each value is rounded once (`companions.scaled.butterflies`).

Others are multiplied with H as it is, up to 64 at a time; longer pieces are made of such by sums of four. Sums are float32 in
an order of their own, the same whatever part is read. Runtimes multiply with the whole matrix, and differ from this and from
each other in the last bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.companions.grids.grid import whole_rows
from weightmap.companions.packing.whole import Whole
from weightmap.companions.scaled.butterflies import MOST, first_digits, fours, turn_keys, turn_whole
from weightmap.companions.scaled.values import Scaled
from weightmap.reading.elements import Elements
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace

LARGEST = 4096
PIECE = 1 << 16  # values at a time, whole pieces of any size
MANY = 1 << 17  # whole numbers: with fewer, to make tables for their keys would take longer than it saves
WHOLE = 1 << 19  # whole numbers at a time: with sums and products 8 MB, and with fewer numpy's calls would count
SIDE = 64  # of the matrices that are multiplied: so small that the BLAS library starts no threads for them

Floats = NDArray[np.float32]


def is_size(size: int) -> bool:
    """Whether there is a matrix of this size: a power of four."""
    return 4 <= size <= LARGEST and size & (size - 1) == 0 and size.bit_length() % 2 == 1


@cache
def matrix(size: int) -> Floats:
    """H of a power of four: float32 (size, size), every number ± 1 / sqrt(size), which is exact."""
    whole = fours(size) / np.float32(1 << size.bit_length() // 2)
    whole.flags.writeable = False
    return whole


def turn(values: Floats, size: int, work: Workspace) -> None:
    """Multiply each `size` neighbours of (n,), whole pieces, with H, in place; the first is the first of a product."""
    side = min(size, SIDE)
    for start in range(0, len(values), PIECE):
        piece = values[start : start + PIECE]
        product = _multiplied(piece.reshape(-1, side), matrix(side), work).reshape(-1)
        stride = side
        while stride < size:
            _sum(product.reshape(-1, 4, stride), piece.reshape(-1, 4, stride), work)
            stride *= 4
            if stride < size:
                np.copyto(product, piece)
        if side == size:
            np.copyto(piece, product)


def _multiplied(rows: Floats, by: Floats, work: Workspace) -> Floats:
    """Rows (n, side) times the matrix, `SIDE` rows in each product; in the last one zeros stand for what lies behind the end."""
    side = rows.shape[1]
    whole, products = len(rows) // SIDE, -(-len(rows) // SIDE)
    out = work.array("turned back", (products, SIDE, side), np.float32)
    np.matmul(rows[: whole * SIDE].reshape(whole, SIDE, side), by, out=out[:whole])
    if whole < products:
        rest = np.zeros((1, SIDE, side), np.float32)
        rest[0, : len(rows) - whole * SIDE] = rows[whole * SIDE :]
        np.matmul(rest, by, out=out[whole:])
    return out.reshape(-1, side)[: len(rows)]


def _sum(source: Floats, target: Floats, work: Workspace) -> None:
    """Of the values a, b, c, d along axis 1 half their sum less d, c, b, a."""
    a, b, c, d = (source[:, place] for place in range(4))
    half = np.add(a, b, out=work.array("rotated sum", a.shape, np.float32))
    np.add(half, c, out=half)
    np.add(half, d, out=half)
    np.multiply(half, np.float32(0.5), out=half)
    for place, less in enumerate((d, c, b, a)):
        np.subtract(half, less, out=target[:, place])


class Rotated(Values):
    """Values of `base` with the rotation of pieces of `size` undone; rows are whole numbers of pieces."""

    def __init__(self, base: Values, size: int) -> None:
        self.shape, self.count = base.shape, base.count
        self._base, self._size = base, size
        self._whole = base.whole() if isinstance(base, Scaled) else None
        alike = (
            size if self._whole is not None else min(size, SIDE) * SIDE
        )  # so many are turned the same wherever reads begin
        self.grain = lcm(size, alike, base.grain)

    def chunk(self) -> int:
        """Whole rows, as those of the rotated weight are read best."""
        return whole_rows(super().chunk(), lcm(self.shape[-1], self.grain))

    def layers(self) -> Mapping[str, Elements]:
        """Those of the rotated weight, and the rotated weight."""
        return {**self._base.layers(), "rotated": self._base}

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Whole pieces: read, then turn; whole numbers are turned, then scaled."""
        if self._whole is None:
            self._base.read(start, stop, out, work)
            turn(out, self._size, work)
            return
        step = max(WHOLE // self.grain, 1) * self.grain
        for at in range(start, stop, step):
            piece = out[at - start : at - start + step]
            self._turn(self._whole, at, piece, work)
            self._whole.scale(at, piece, work)

    def _turn(self, whole: Whole, start: int, out: Floats, work: Workspace) -> None:
        """The whole numbers from `start` on, turned."""
        keyed, stop = whole.keyed, start + len(out)
        if keyed is not None and len(out) >= MANY and keyed.most * self._size <= MOST:
            keys = keyed.read(start, stop, work)
            if keys is not None:
                turn_keys(keys, self._digits, self._size, out, work)
                return
        turn_whole(whole.read(start, stop, work), self._size, out, work)

    @cached_property
    def _digits(self) -> list[NDArray[Any]]:
        assert self._whole is not None and self._whole.keyed is not None
        return first_digits(self._whole.keyed.numbers(), self._whole.keyed.most)

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The steps of the rotated value at this place, and the sum over its piece."""
        piece = flat // self.grain * self.grain
        values = np.empty(min(self.grain, self.count - piece), np.float32)
        self.read(piece, piece + len(values), values, Workspace())
        *steps, (_, rotated) = self._base.explain(flat)
        return [
            *steps,
            ("rotated value", rotated),
            (f"turned back over {self._size:,} values", str(values[flat - piece])),
        ]
