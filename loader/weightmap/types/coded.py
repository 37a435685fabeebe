"""Stored types whose blocks can be taken apart: codes, what they stand for, and the scales that these are multiplied with.

What stands here is what statistics of blocks, pictures of scales and a look into one block are made from. A type whose blocks
have no codes, or that does not say where they are, is a StoredType and no more: it decodes.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from weightmap.types.anatomy import Coding, Scaling
from weightmap.types.base import Blocks, StoredType
from weightmap.types.grids import grid
from weightmap.types.workspace import Workspace


class CodedType(StoredType):
    """A stored type whose blocks are codes with scales. Subclasses set `anatomy` and what follows here, and write `coding`.

    levels          what its codes stand for, before scales: a range of whole numbers, or the name of a grid
    first_code      the code of the first level; code_elements is how many neighbours share a code
    ends            levels from which on a code counts as one at the end; None takes the lowest and the highest
    formula         how a value comes about; its words are those of `Block.terms`
    """

    coded = True
    levels: range | str
    first_code: int = 0
    code_elements: int = 1
    ends: tuple[int, int] | None = None
    formula: str

    @abstractmethod
    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """The codes of `blocks` (n, self.bytes) as stored."""

    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """What the levels of `blocks` are multiplied with, and what is added: here one scale, and perhaps one minimum, a block."""
        found = self.block_scales(blocks, work)
        return Scaling(found[:, :1], found[:, 1:] if found.shape[1] > 1 else None)

    def level_values(self) -> NDArray[np.float32]:
        """What each code stands for, from `first_code` on: float32 (codes,), or (codes, code_elements)."""
        named = grid(self.levels) if isinstance(self.levels, str) else np.array(self.levels)
        return named.astype(np.float32)
