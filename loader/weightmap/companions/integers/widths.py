"""How many bits the codes of a packed weight have, and whether they straddle words: what widths and words themselves tell.

Words hold a dense stream of codes, or, as older writers had it, only as many codes as fit into each whole. With 1, 2, 4 or 8
bits that is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightmap.companions.base import Shape, named, remark, shown
from weightmap.companions.parts import Parts
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

SAMPLE = 1 << 14  # words that are looked at
ENOUGH = 32  # words: in so many, the upper bits of a dense stream are not zero by chance
LIKELY = ((4, "dense"), (8, "dense"), (2, "dense"), *((bits, "dense") for bits in (3, 6, 5, 1, 7)))
ALL = (*LIKELY, *((bits, "aligned") for bits in (3, 6, 5, 7)))


@dataclass(frozen=True, slots=True)
class Packing:
    """Codes of `bits` bits, packed `how`: "dense" or "aligned"; what is said about it, assumed, and else possible."""

    bits: int
    how: str
    said: tuple[Finding, ...] = ()
    assumed: str | None = None
    others: tuple[Packing, ...] = ()

    @property
    def words(self) -> str:
        """The packing for a sentence."""
        aligned = ", none across two words" if self.how == "aligned" else ""
        return f"{self.bits}-bit codes{aligned}"

    def packs(self, zero: TensorRecord) -> bool:
        """Whether zeros are packed as codes are."""
        return zero.type.name in ("I32", "U32")

    def zeros(self, shape: Shape, zero: TensorRecord) -> Shape:
        """Shape of stored zeros, one for each of `shape`: packed along the rows, or single numbers."""
        return (*shape[:-2], _words(shape[-2], self.bits, self.how), shape[-1]) if self.packs(zero) else shape


def packing_of(
    module: str, codes: TensorRecord, zero: TensorRecord | None, shape: Shape, parts: Parts
) -> Packing | str:
    """The packing of rows of `shape[-1]` codes into the words that are there; a sentence where nothing fits."""
    fitting = [(bits, how) for bits, how in ALL if _fits(bits, how, codes, zero, shape)]
    told = parts.config.number("num_bits", module) or parts.config.number("bits", module)
    if (
        not fitting
        and zero is not None
        and (alone := [bits for bits, how in ALL if _fits(bits, how, codes, None, shape)])
    ):
        bits = told if told in alone else alone[0]
        return (
            f"{named(zero)} has shape {shown(zero.shape)}, but zeros of {bits} bits for {shape[-2]:,} rows take "
            f"{_words(shape[-2], bits, 'dense'):,} words for each group."
        )
    if not fitting:
        need = f" ({told} bits need {_words(shape[-1], told, 'dense'):,})" if told and told <= 8 else ""
        return (
            f"{named(codes)} has {codes.shape[-1]:,} words per row, which hold {shape[-1]:,} codes of no number of bits{need}: "
            f"the weight is said to have the shape {shown(shape)}."
        )
    right = [one for one in fitting if one[0] == told]
    said: tuple[Finding, ...] = ()
    if told is not None and not right:
        text = f"{parts.config_name} says {told} bits, but {named(codes)} has {fitting[0][0]} for each of {shown(shape)} codes."
        said = (remark("quant_config", text, codes, parts),)
    first = (right or fitting)[0]
    if len(right) > 1:  # a few columns of an odd width, which take as many words either way
        first = right[1] if _upper_bits_unused(codes, first[0], parts) else right[0]
    elif shape[-1] > 32 // first[0] and 32 % first[0] and _is_other(codes, *first, parts):  # fewer lie alike
        return _other_words(codes, *first, shape)
    alike = [one for one in (right or fitting) if one != first]
    others = tuple(Packing(*one) for one in alike) if told is None else ()
    assumed = None
    if others:
        several = ", ".join(f"{other.bits}" for other in others)
        assumed = f"Nothing says how many bits the codes have: {first[0]} are assumed, and {several} fit as well."
    return Packing(*first, said, assumed, others)


def _fits(bits: int, how: str, codes: TensorRecord, zero: TensorRecord | None, shape: Shape) -> bool:
    if _words(shape[-1], bits, how) != codes.shape[-1]:
        return False
    packed = zero is not None and zero.type.name in ("I32", "U32") and len(zero.shape) > 1
    return not packed or zero is None or zero.shape[-2] == _words(shape[-2], bits, how)


def _words(codes: int, bits: int, how: str) -> int:
    return -(-codes * bits // 32) if how == "dense" else -(-codes // (32 // bits))


def _is_other(codes: TensorRecord, bits: int, how: str, parts: Parts) -> bool:
    """Whether words are packed the other way than their number says: upper bits of words tell it."""
    unused = _upper_bits_unused(codes, bits, parts)
    return not unused if how == "aligned" else unused and codes.count >= ENOUGH


def _other_words(codes: TensorRecord, bits: int, how: str, shape: Shape) -> str:
    """What is wrong with such words."""
    filled = 32 if how == "aligned" else 32 // bits * bits
    wanted = _words(shape[-1], bits, "dense" if how == "aligned" else "aligned")
    return (
        f"{named(codes)} has {codes.shape[-1]:,} words per row, but its codes of {bits} bits fill {filled} bits of each word, so "
        f"that {shape[-1]:,} of them take {wanted:,}."
    )


def _upper_bits_unused(codes: TensorRecord, bits: int, parts: Parts) -> bool:
    """Whether the bits that only a dense stream fills are zero in every word looked at."""
    many = min(codes.count, SAMPLE)
    words = np.empty(many, np.int32)
    parts.stored(codes).read(0, many, words.view(parts.stored(codes).value), Workspace())
    used = 32 // bits * bits
    return not (words.view(np.uint32) >> np.uint32(used)).any()
