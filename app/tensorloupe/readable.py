"""What views can look at: a tensor, a weight that lies in several, one layer of such a weight, a pair of tensors seen as one.

All of them are read in the same ways. What only stored tensors have (a type, blocks, a place in the file) is asked for here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import weightmap
from tensorloupe.weights import kind_name

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from tensorloupe.weights import Weight

    Shown = Weight | weightmap.Layer
    Readable = Shown | weightmap.PairValues


def _is_layer(tensor: Shown) -> TypeIs[weightmap.Layer]:
    """Asked without loading what plain files do not need."""
    return not isinstance(tensor, weightmap.Tensor) and hasattr(tensor, "weight")


def weight_of(tensor: Shown | None) -> Weight | None:
    """The weight; of a layer the one that it belongs to."""
    return tensor.weight if tensor is not None and _is_layer(tensor) else tensor


def block_of(tensor: Readable) -> int:
    """Values per block along a row; 1 where there are no blocks."""
    size: int = getattr(tensor, "block_size", 0)
    return size or (tensor.type.elements if isinstance(tensor, weightmap.Tensor) else 1)


def bordered(tensor: Readable) -> int:
    """Values per block, where blocks stand one above the other in the rows so that lines part them; else 0."""
    block = block_of(tensor)
    return block if block > 1 and tensor.shape and tensor.shape[-1] % block == 0 else 0


def group_of(tensor: Readable) -> tuple[int, int]:
    """(rows, columns) of a block, or of the values of a weight that share a scale; 0, 0 where there are none to part.

    May read a small tensor: call it in the background.
    """
    if block := bordered(tensor):
        return 1, block
    weight = getattr(tensor, "weight", tensor)  # of a layer, which has the groups of the weight where it has its shape
    shared: tuple[int, int] | None = getattr(weight, "group_shape", None)
    return shared if shared is not None and weight.shape == tensor.shape else (0, 0)


def has_blocks(tensor: Shown) -> bool:
    """Whether the view of blocks has something to tell of it: codes with scales, or how a value is made."""
    return tensor.type.coded if isinstance(tensor, weightmap.Tensor) else not _is_layer(tensor)


def sub_block_of(tensor: Readable) -> int:
    """Values that share a scale, where a block has several of them; else 0."""
    if isinstance(tensor, weightmap.Tensor) and tensor.type.groups > 1:
        return tensor.type.sub_elements
    return 0


def count_of(tensor: Readable) -> int:
    """How many values there are."""
    return math.prod(tensor.shape)


def is_whole(tensor: Readable) -> bool:
    """Whether the stored values are integers or truth values."""
    if isinstance(tensor, weightmap.Tensor):
        return (tensor.type.dtype or tensor.type.value).kind in "iub"
    return is_layer(tensor) and tensor.elements().value.kind in "iub"  # a layer; all else are floats


def is_layer(tensor: Readable) -> bool:
    """Whether it is a layer of a weight: its codes, scales or zeros."""
    return hasattr(tensor, "weight")


def is_unsigned(tensor: Readable) -> bool:
    """Whether its type has no values below zero."""
    return isinstance(tensor, weightmap.Tensor) and (tensor.type.dtype or tensor.type.value).kind in "ub"


def is_complex(tensor: Readable) -> bool:
    """Whether its values are complex: pictures show their magnitudes, statistics count their parts."""
    return isinstance(tensor, weightmap.Tensor) and (tensor.type.dtype or tensor.type.value).kind == "c"


def problem_of(tensor: Readable) -> weightmap.Finding | None:
    """Why the values cannot be given, None where they can."""
    problem: weightmap.Finding | None = getattr(tensor, "problem", None)
    return problem


def words_of(tensor: Shown) -> str:
    """How it is stored, for a title, escaped: "Q4_K", "fp8_block", "scales, fp8_block"."""
    return f"{weightmap.printable(tensor.name)}, {kind_name(tensor.weight)}" if _is_layer(tensor) else kind_name(tensor)


def name_of(tensor: Readable) -> str:
    """Its name, escaped; of a layer that of its weight and its own."""
    weight = getattr(tensor, "weight", None)
    return weightmap.printable(tensor.name if weight is None else f"{weight.name} · {tensor.name}")
