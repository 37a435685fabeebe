"""Counts how often each small number comes up in an array: what histograms come down to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


class Tally:
    """Occurrences of 0 to `size` - 1, added up over many arrays of uint8 or uint16. One per thread.

    Bytes are counted two at a time, as one number of 16 bits: half the work. Such pairs are taken apart at the end.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._single: Counts = np.zeros(max(size, 256), np.int64)
        self._pairs: Counts | None = np.zeros(1 << 16, np.int64) if size <= 256 else None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers to be counted."""
        return np.dtype(np.uint16 if self._pairs is None else np.uint8)

    def add(self, numbers: NDArray[Any]) -> None:
        """Count a contiguous array of `dtype`."""
        even = 0
        if self._pairs is not None and (even := len(numbers) & ~1):
            self._pairs += np.bincount(numbers[:even].view(np.uint16), minlength=1 << 16)
        if even < len(numbers):
            self._single += np.bincount(numbers[even:], minlength=len(self._single))

    def result(self) -> Counts:
        """Occurrences of each number, (size,)."""
        counts = self._single
        if self._pairs is not None:
            pairs = self._pairs.reshape(256, 256)
            counts = counts + pairs.sum(axis=0) + pairs.sum(axis=1)
        return counts[: self.size]
