"""Counts how often each small number comes up: what histograms come down to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

Counts = NDArray[np.int64]

BATCH = 1 << 19  # numbers counted at once: each count adds up 65,536 counters, whatever it counts
WORTH_PAIRING = 1 << 16


class Tally:
    """Occurrences of 0 to `size` - 1 among at most `most` numbers, added up as they come. One per thread.

    Numbers are collected and counted in batches. Bytes are counted two at a time, as one number of 16 bits, which is half
    the work; such pairs are taken apart at the end.
    """

    def __init__(self, size: int, most: int) -> None:
        self.size = size
        self._paired = size <= 256 and most >= WORTH_PAIRING
        self._counts: Counts = np.zeros(1 << 16 if self._paired else size, np.int64)
        self._odd: Counts = np.zeros(size, np.int64)
        self._numbers = np.empty(min(most, BATCH), np.uint8 if size <= 256 else np.uint16)
        self._used = 0

    def room(self, count: int, work: Workspace) -> NDArray[Any]:
        """Where to write the next `count` numbers, uint8 or uint16; they are counted later."""
        if self._used + count > len(self._numbers):
            self._count(work)
            if count > len(self._numbers):  # a piece that is larger than a batch: plain types are read in such
                self._numbers = np.empty(count, self._numbers.dtype)
        self._used += count
        return self._numbers[self._used - count : self._used]

    def result(self, work: Workspace) -> Counts:
        """Occurrences of each number, (size,)."""
        self._count(work)
        if not self._paired:
            return self._counts
        pairs = self._counts.reshape(256, 256)
        single: Counts = pairs.sum(axis=0) + pairs.sum(axis=1)
        return single[: self.size] + self._odd

    def _count(self, work: Workspace) -> None:
        numbers, self._used = self._numbers[: self._used], 0
        if self._paired:
            if len(numbers) % 2:
                self._odd[numbers[-1]] += 1
            numbers = numbers[: len(numbers) & ~1].view(np.uint16)
        # bincount would make this copy in fresh memory each time, whose pages cost more than the counting
        wide = work.array("wide numbers", numbers.shape, np.intp)
        np.copyto(wide, numbers)
        self._counts += np.bincount(wide, minlength=len(self._counts))
