"""What a block consists of, for those who look into one: where its fields lie, its scales, its codes, what the codes stand for.

Every type whose blocks hold codes says so beside its decoder. A value is then, in the float32 operations of the decoder,

    scale of its sub-block * level of its code + minimum of its sub-block

where the level is a whole number, or an entry of the type's table, with the sign and the shift that are stored apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Field(NamedTuple):
    """Some bytes of a block.

    name    of the field: "d", "scales", "codes"
    offset  of its first byte in the block
    size    in bytes
    role    "scale", "minimum", "sub-scales", "codes", "signs" or "unused" (adds nothing to the values)
    words   what it is, for a legend: "block scale, float16"
    """

    name: str
    offset: int
    size: int
    role: str
    words: str


def half_scale(offset: int) -> Field:
    """The scale of a block as a half."""
    return Field("d", offset, 2, "scale", "block scale, float16")


def half_minimum(name: str, offset: int) -> Field:
    """What is added to, or taken away from, the values of a block, as a half."""
    return Field(name, offset, 2, "minimum", "block minimum, float16")


def codes_at(offset: int, size: int, words: str, name: str = "codes") -> Field:
    """Codes, or some bits of each."""
    return Field(name, offset, size, "codes", words)


def sub_scales(offset: int, size: int, words: str, name: str = "scales") -> Field:
    """What the scales (and minima) of sub-blocks are made from."""
    return Field(name, offset, size, "sub-scales", words)


def signs_at(offset: int, size: int, words: str, name: str = "signs") -> Field:
    """Signs that are stored apart from the codes."""
    return Field(name, offset, size, "signs", words)


class Scaling(NamedTuple):
    """What the levels of n blocks are multiplied with and what is added to them; arrays may lie in a workspace.

    scales         float32 (n, groups): of each sub-block
    minima         float32 (n, groups): added to each value of the sub-block; None where nothing is
    scale_codes    integers (n, groups) as stored, minimum_codes likewise; None where a sub-block has none of its own
    """

    scales: NDArray[np.float32]
    minima: NDArray[np.float32] | None = None
    scale_codes: NDArray[Any] | None = None
    minimum_codes: NDArray[Any] | None = None


class Coding(NamedTuple):
    """The codes of n blocks; arrays may lie in a workspace.

    codes   integers (n, codes of a block) as stored; a code stands for one element, or for several neighbours
    signs   int8 (n, elements) of 1 and -1 where signs are stored apart, else None
    shifts  float32 (n, any number that divides the elements): added to the levels of so many equal runs, else None
    """

    codes: NDArray[Any]
    signs: NDArray[np.int8] | None = None
    shifts: NDArray[np.float32] | None = None
