"""A place in a tensor of blocks: which block, and which of its elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import weightmap


@dataclass(frozen=True, slots=True)
class Place:
    """An element of a block of a tensor of this shape, `size` elements to a block."""

    shape: tuple[int, ...] = ()
    size: int = 1
    number: int = 0
    element: int = 0

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return math.prod(self.shape) // self.size

    def fits(self, tensor: weightmap.Tensor) -> bool:
        """Whether it is a place in such a tensor."""
        return (self.shape, self.size) == (tensor.shape, tensor.type.elements)

    @property
    def index(self) -> tuple[int, ...]:
        """The element's index, a number for each axis."""
        return tuple(int(i) for i in np.unravel_index(self.number * self.size + self.element, self.shape))

    @property
    def leading(self) -> tuple[int, ...]:
        """The place in the axes before the last two."""
        return self.index[:-2] if self.blocks else ()

    def at(self, number: int, element: int = 0) -> Place | None:
        """Another block, None where there is none of that number."""
        return replace(self, number=number, element=element) if 0 <= number < self.blocks else None

    def of(self, index: Sequence[int]) -> Place:
        """The place of an element."""
        number, element = divmod(int(np.ravel_multi_index(tuple(index), self.shape)), self.size)
        return replace(self, number=number, element=element)

    def step(self, blocks: int, element: int | None) -> Place:
        """So many blocks on, staying at the ends."""
        number = min(max(self.number + blocks, 0), self.blocks - 1)
        if number == self.number or element is None:
            element = self.element
        return replace(self, number=number, element=element)
