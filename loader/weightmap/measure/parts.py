"""Complex values as real ones: the real and the imaginary part of each, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements
from weightmap.types.workspace import Workspace


class RealParts(Elements):
    """Complex elements read as twice as many real ones; the shape grows a last axis of two."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self.shape, self.count = (*elements.shape, 2), 2 * elements.count
        self.value = np.empty(0, elements.value).real.dtype
        self.grain = 2 * elements.grain
        self.integers = False

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Real and imaginary parts of elements start / 2 to stop / 2."""
        self._elements.read(start // 2, stop // 2, out.view(self._elements.value), work)


def real_parts(elements: Elements) -> Elements:
    """The elements themselves, or where they are complex their parts."""
    return RealParts(elements) if elements.value.kind == "c" else elements
