"""What views can look at: a tensor, or a pair of tensors seen as one. Both are read in the same ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import weightmap

    Readable = weightmap.Tensor | weightmap.PairValues


def block_of(tensor: Readable) -> int:
    """Values per block along a row; 1 where there are no blocks."""
    size: int = getattr(tensor, "block_size", 0) or tensor.type.elements
    return size
