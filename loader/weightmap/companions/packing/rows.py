"""Codes that are not packed one after the other: two rows in one row of bytes, six bits in two planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.packing.unpacking import dense
from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.fields import number
from weightmap.types.workspace import Workspace

PIECE = 1 << 16  # bytes that are parted at a time, so that they stay in the cache


class PairedRows(Elements):
    """The codes as float32, -8 to 7, (..., 2 * rows of bytes, columns): the even row in the low nibbles, the odd in the high."""

    value = np.dtype(np.float32)
    integers = False
    grain = 1

    def __init__(self, stored: StoredElements, shape: tuple[int, ...]) -> None:
        self.shape, self.count = shape, 2 * stored.count
        self._stored, self._width = stored, shape[-1]

    def chunk(self) -> int:
        """Whole pairs of rows where they are not too long: then each byte is read once."""
        wanted, pair = super().chunk(), 2 * self._width
        return wanted // pair * pair if 0 < pair <= wanted else wanted

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Rows in pairs as far as both are asked for, else of each row the nibbles that are its own."""
        width, at = self._width, start
        while at < stop:
            row, column = divmod(at, width)
            pairs = (stop - at) // (2 * width) if column == 0 == row % 2 else 0
            many = 2 * width * pairs or min(width - column, stop - at)
            piece = out[at - start : at - start + many]
            if pairs:
                self._pairs(row // 2, pairs, piece.reshape(pairs, 2, width), work)
            else:
                self._nibbles(row, column, piece, work)
            at += many

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Run by run."""
        for index, start in enumerate(starts.tolist()):
            self.read(start, start + length, out[index], work)

    def _pairs(self, first: int, many: int, out: NDArray[Any], work: Workspace) -> None:
        """Both rows of each row of bytes, (many, 2, columns): shifting moves the sign of a nibble to where it counts."""
        step = max(PIECE // self._width, 1)
        for at in range(0, many, step):
            some = out[at : at + step]
            codes = work.array("paired", (len(some), self._width), np.int8)
            begin = (first + at) * self._width
            self._stored.read_stored(begin, begin + codes.size, codes.view(np.uint8).reshape(-1))
            high = work.array("paired high", codes.shape, np.int8)
            np.copyto(some[:, 1], np.right_shift(codes, 4, out=high))
            np.left_shift(codes, 4, out=codes)
            np.copyto(some[:, 0], np.right_shift(codes, 4, out=codes))

    def _nibbles(self, row: int, column: int, out: NDArray[Any], work: Workspace) -> None:
        codes = work.array("paired", (len(out),), np.int8)
        first = row // 2 * self._width + column
        self._stored.read_stored(first, first + len(out), codes.view(np.uint8))
        if row % 2 == 0:
            np.left_shift(codes, 4, out=codes)
        np.copyto(out, np.right_shift(codes, 4, out=codes))


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
        self._stored.read_stored(first * self._bytes, last * self._bytes, rows.reshape(-1))
        packed = work.array("six low", (last - first, width // 2), np.uint8)
        np.copyto(packed, rows[:, : width // 2])
        codes = dense(packed.reshape(1, -1), 4, work, "six")
        upper = work.array("six high", (1, -(-codes.size // 8) * 2), np.uint8)  # whole words of 16 bits
        np.copyto(upper[0, : codes.size // 4].reshape(last - first, -1), rows[:, width // 2 :])
        tops = dense(upper, 2, work, "six tops")[:, : codes.size]
        np.left_shift(tops, number(4), out=tops)
        np.bitwise_or(codes, tops, out=codes)
        np.subtract(codes.view(np.int8), number(32, "i1"), out=codes.view(np.int8))
        np.copyto(out, codes.view(np.int8).reshape(-1))
