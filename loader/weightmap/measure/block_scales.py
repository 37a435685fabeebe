"""The scales of a block-quantized tensor as elements of their own, so that whatever draws or counts values does it with scales."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.blocks import coded
from weightmap.reading.elements import CHUNK, Elements, StoredElements
from weightmap.types.coded import CodedType
from weightmap.types.workspace import Workspace

WHICH = ("scale", "minimum")


class BlockScales(Elements):
    """What each sub-block's levels are multiplied with, or what is added to them: float32, a last axis of sub-blocks.

    A tensor whose rows are no whole number of blocks, which only a damaged file has, is one row of sub-blocks. Raises TypeError
    for a type without codes, ValueError for minima that it does not have.
    """

    def __init__(self, elements: StoredElements, which: str = "scale") -> None:
        self._elements, self._type, self._minima = elements, coded(elements.type), which == "minimum"
        if which not in WHICH:
            raise ValueError(f"which must be one of {', '.join(WHICH)}; got {which!r}")
        if self._minima and not _has_minima(self._type):
            raise ValueError(f"Blocks of {elements.type.name} have no minimum.")
        size = self._type.sub_elements
        self.count = elements.count // self._type.elements * self._type.groups
        whole = bool(elements.shape) and elements.shape[-1] % size == 0
        self.shape = (*elements.shape[:-1], elements.shape[-1] // size) if whole else (self.count,)
        self.value, self.grain, self.integers = np.dtype(np.float32), self._type.groups, False

    def chunk(self) -> int:
        """As many scales as the blocks of a chunk of elements have."""
        return max(min(self._elements.chunk(), CHUNK) // self._type.elements, 1) * self.grain

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read the blocks of sub-blocks start:stop."""
        blocks = self._elements.read_blocks(start // self.grain, -(-stop // self.grain), work)
        scaling = self._type.scaling(blocks, work)
        found = scaling.minima if self._minima else scaling.scales
        assert found is not None
        np.copyto(out, found.reshape(-1))


def _has_minima(type: CodedType) -> bool:
    """Whether something is added to the values of a block of this type."""
    empty = np.zeros((1, type.bytes), np.uint8)
    return type.scaling(empty, Workspace()).minima is not None
