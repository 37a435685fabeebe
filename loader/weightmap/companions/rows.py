"""Codes that are not packed one after the other: two rows in one row of bytes, six bits in two planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.workspace import Workspace

_NUMBERS = ((np.arange(16) ^ 8) - 8).astype(np.float32)


class PairedRows(Elements):
    """The codes as float32, -8 to 7, (..., 2 * rows of bytes, columns): the even row in the low nibbles, the odd in the high."""

    value = np.dtype(np.float32)
    integers = False
    grain = 1

    def __init__(self, stored: StoredElements, shape: tuple[int, ...]) -> None:
        self.shape, self.count = shape, 2 * stored.count
        self._stored, self._width = stored, shape[-1]

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read the bytes of the rows that the range touches, and of each row the nibbles that are its own."""
        width = self._width
        row, column, at = start // width, start % width, 0
        while at < len(out):
            many = min(width - column, len(out) - at)
            self._nibbles(row, column, out[at : at + many], work)
            row, column, at = row + 1, 0, at + many

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Run by run."""
        for index, start in enumerate(starts.tolist()):
            self.read(start, start + length, out[index], work)

    def _nibbles(self, row: int, column: int, out: NDArray[Any], work: Workspace) -> None:
        codes = work.array("paired", (len(out),), np.uint8)
        first = row // 2 * self._width + column
        self._stored.read_codes(first, first + len(out), codes)
        np.right_shift(codes, 4, out=codes) if row % 2 else np.bitwise_and(codes, 15, out=codes)
        np.take(_NUMBERS, codes, out=out, mode="clip")


class SixInPlanes(Elements):
    """Codes of six bits less 32, as float32: in each row the lower four bits of all of them, then the upper two."""

    value = np.dtype(np.float32)
    integers = False

    def __init__(self, stored: StoredElements, shape: tuple[int, ...]) -> None:
        self.shape, self.count, self.grain = shape, shape[0] * shape[1], shape[1]
        self._stored, self._bytes = stored, shape[1] // 4 * 3

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Whole rows: both planes laid over each other."""
        width = self.shape[1]
        first, last = start // width, stop // width
        rows = work.array("planes", (last - first, self._bytes), np.uint8)
        self._stored.read_codes(first * self._bytes, last * self._bytes, rows.reshape(-1))
        low, high = rows[:, : width // 2], rows[:, width // 2 :]
        codes = work.array("six", (last - first, width), np.uint8)
        codes[:, 0::2], codes[:, 1::2] = low & 15, low >> 4
        for place in range(4):
            codes[:, place::4] |= (high >> 2 * place & 3) << 4
        np.subtract(codes, np.float32(32), out=out.reshape(codes.shape))
