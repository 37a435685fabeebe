"""Counts how often each small number comes up: what histograms come down to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

Counts = NDArray[np.int64]

PIECE = 1 << 17  # numbers widened at a time: all of a chunk where they are counted in pairs
WORTH_PAIRING = 1 << 16


def number_dtype(size: int) -> np.dtype[Any]:
    """Of numbers from 0 to `size` - 1, at most 65,536 of them: uint8 or uint16."""
    return np.dtype(np.uint8 if size <= 256 else np.uint16)


def count_into(counts: Counts, numbers: NDArray[Any]) -> None:
    """Add the occurrences of numbers (n,) to counters that are there, in place.

    `bincount` looks for the largest number first and makes new counters each time, and is still quicker where numbers are many.
    """
    if len(numbers) < len(counts):
        np.add.at(counts, numbers, _ONE)
    else:
        np.add(counts, np.bincount(numbers, minlength=len(counts)), out=counts)


_ONE = np.array(1, np.int64)  # as a number of Python's it would be converted at every call


class Tally:
    """Occurrences of 0 to `size` - 1 among at most `most` numbers, added up as they come. One per thread.

    Bytes are counted two at a time, as one number of 16 bits, which is half the work; such pairs are taken apart at the
    end.
    """

    def __init__(self, size: int, most: int) -> None:
        self.size = size
        self._dtype = number_dtype(size)
        self._paired = size <= 256 and most >= WORTH_PAIRING
        self._counts: Counts = np.zeros(1 << 16 if self._paired else size, np.int64)
        self._odd: Counts = np.zeros(size, np.int64)

    def room(self, count: int, work: Workspace) -> NDArray[Any]:
        """Where to write `count` numbers for `add`: uint8 or uint16, in the workspace."""
        return work.array("numbers", (count,), self._dtype)

    def add(self, numbers: NDArray[Any], work: Workspace) -> None:
        """Count these numbers, an array as `room` gives it."""
        if self._paired:
            if len(numbers) % 2:
                self._odd[numbers[-1]] += 1
            numbers = numbers[: len(numbers) & ~1].view(np.uint16)
        for start in range(0, len(numbers), PIECE):
            piece = numbers[start : start + PIECE]
            wide = work.array("wide numbers", piece.shape, np.intp)
            np.copyto(wide, piece)
            count_into(self._counts, wide)

    def result(self) -> Counts:
        """Occurrences of each number, (size,)."""
        if not self._paired:
            return self._counts
        pairs = self._counts.reshape(256, 256)
        single: Counts = pairs.sum(axis=0) + pairs.sum(axis=1)
        return single[: self.size] + self._odd
