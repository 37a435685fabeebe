"""Weights that were rotated before they were quantized: turned back while they are read.

Each row is cut into pieces of G values, and each piece is multiplied with the symmetric matrix H of G × G that is its own
inverse: the Kronecker power of a matrix of four, so a few sums of four do for it. They are float32 in an order of our own,
the same whatever part is read; runtimes multiply with the matrix, and differ from this and from each other in the last bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.reading.elements import Elements
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace

LARGEST = 4096


def is_size(size: int) -> bool:
    """Whether there is a matrix of this size: a power of four."""
    return 4 <= size <= LARGEST and size & (size - 1) == 0 and size.bit_length() % 2 == 1


def turn(values: NDArray[np.float32], size: int, work: Workspace) -> None:
    """Multiply each row of (n, size) with H, in place.

    Along each axis of four the values a, b, c, d become s - 2d, s - 2c, s - 2b, s - 2a, s being their sum.
    """
    total = work.array("rotated sum", (values.size // 4,), np.float32)
    stride = 1
    while stride < size:
        four = values.reshape(-1, 4, stride)
        a, b, c, d = (four[:, place] for place in range(4))
        s = total.reshape(a.shape)
        np.add(a, b, out=s)
        np.add(s, c, out=s)
        np.add(s, d, out=s)
        for first, second in ((a, d), (b, c)):
            kept = work.array("rotated kept", first.shape, np.float32)
            np.add(second, second, out=kept)
            np.add(first, first, out=first)
            np.subtract(s, first, out=second)
            np.subtract(s, kept, out=first)
        stride *= 4
    np.multiply(values, np.float32(1 / np.sqrt(size)), out=values)


class Rotated(Values):
    """Values of `base` with the rotation of pieces of `size` undone; rows are whole numbers of pieces."""

    def __init__(self, base: Values, size: int) -> None:
        self.shape, self.count, self.grain = base.shape, base.count, lcm(size, base.grain)
        self._base, self._size = base, size

    def layers(self) -> Mapping[str, Elements]:
        """Those of the rotated weight, and the rotated weight."""
        return {**self._base.layers(), "rotated": self._base}

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Whole pieces: read, then turn."""
        self._base.read(start, stop, out, work)
        turn(out.reshape(-1, self._size), self._size, work)

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The steps of the rotated value at this place, and the sum over its piece."""
        piece = flat // self.grain * self.grain
        values = np.empty(self.grain, np.float32)
        self.read(piece, piece + self.grain, values, Workspace())
        *steps, (_, rotated) = self._base.explain(flat)
        return [
            *steps,
            ("rotated value", rotated),
            (f"turned back over {self._size:,} values", str(values[flat - piece])),
        ]
