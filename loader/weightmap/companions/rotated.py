"""Weights that were rotated before they were quantized: turned back while they are read.

Each row is cut into pieces of G values, and each piece is multiplied with the symmetric matrix H of G × G that is its own
inverse: the Kronecker power of a matrix of four. Up to 64 values are multiplied with H as it is, which is what processors do
quickest; longer pieces are made of such by sums of four. Sums are float32 in an order of their own, the same whatever part
is read; runtimes multiply with the whole matrix, and differ from this and from each other in the last bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.reading.elements import Elements
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace

LARGEST = 4096
PIECE = 1 << 16  # values at a time, whole pieces of any size
SIDE = 64  # of the matrices that are multiplied: so small that the BLAS library starts no threads for them

Floats = NDArray[np.float32]


def is_size(size: int) -> bool:
    """Whether there is a matrix of this size: a power of four."""
    return 4 <= size <= LARGEST and size & (size - 1) == 0 and size.bit_length() % 2 == 1


@cache
def matrix(size: int) -> Floats:
    """H of a power of four: float32 (size, size), every number ± 1 / sqrt(size), which is exact."""
    four = np.array([[1, 1, 1, -1], [1, 1, -1, 1], [1, -1, 1, 1], [-1, 1, 1, 1]], np.float32) / np.float32(2)
    whole = four if size == 4 else np.ascontiguousarray(np.kron(matrix(size // 4), four), np.float32)
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
        self.shape, self.count, self.grain = base.shape, base.count, lcm(size, min(size, SIDE) * SIDE, base.grain)
        self._base, self._size = base, size

    def layers(self) -> Mapping[str, Elements]:
        """Those of the rotated weight, and the rotated weight."""
        return {**self._base.layers(), "rotated": self._base}

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Whole pieces: read, then turn."""
        self._base.read(start, stop, out, work)
        turn(out, self._size, work)

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
