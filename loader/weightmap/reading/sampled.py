"""Some rows in place of all, evenly spread: what is wanted at once of a tensor that takes long to go through."""

from __future__ import annotations

from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weightmap.asked import step_asked
from weightmap.reading.elements import Elements
from weightmap.types.workspace import Workspace

FAST = 1 << 20  # elements that a quick sample has, about


class SampledRows(Elements):
    """1 of every `step` rows, the first among them, of each matrix that the last two axes make."""

    def __init__(self, source: Elements, step: int) -> None:
        *leading, rows, width = source.shape
        self._source, self._rows, self.step = source, rows, step
        self.shape = (*leading, -(-rows // step), width)
        self.count = prod(self.shape)
        self.value, self.integers, self.costly = source.value, source.integers, source.costly
        self.grain = source.grain if width % source.grain == 0 else max(width, 1)

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """The end of a row, whole rows, and the beginning of one, each from where it lies in the source."""
        width, at = self.shape[-1], start
        while at < stop:
            row, left = divmod(at, width)
            whole = 0 if left else (stop - at) // width
            length = width if whole else min(width - left, stop - at)
            matrix, below = np.divmod(np.arange(row, row + max(whole, 1), dtype=np.int64), self.shape[-2])
            starts = (matrix * self._rows + below * self.step) * width + left
            end = at + len(starts) * length
            self._source.gather(starts, length, out[at - start : end - start].reshape(-1, length), work)
            at = end

    def __str__(self) -> str:
        return f"1 of every {self.step:,} rows"


def sampled(elements: Elements, sample: int | Literal["fast"] | None) -> SampledRows | None:
    """A sample of these elements: 1 of every so many rows; "fast" chooses how many. None where everything is to be read.

    That is so, too, where nothing would be left out, as of a single row. Raises ValueError, TypeError.
    """
    if sample is None:
        return None
    step = step_asked(sample, -(-elements.count // FAST))
    step = min(step, elements.shape[-2]) if len(elements.shape) > 1 and elements.count else 1
    return SampledRows(elements, step) if step > 1 else None
