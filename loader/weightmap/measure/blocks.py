"""One block of a tensor taken apart: its fields, its scales and codes, what they stand for, and where each of them lies."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import StoredElements
from weightmap.types.anatomy import Coding, Field, Scaling
from weightmap.types.base import Blocks, StoredType
from weightmap.types.byteorder import BigEndian
from weightmap.types.coded import CodedType
from weightmap.types.workspace import Workspace

_WORDS = re.compile("[a-z]+")


@dataclass(frozen=True, slots=True)
class BlockNumber:
    """A float that a block holds: its name ("d", "dmin", "m", "e"), its bits as stored, and what they are as a number."""

    name: str
    stored: int
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One block. With the words of `formula`, value = scale of the sub-block * level + minimum of the sub-block.

    index          of the block in the tensor, counted from 0
    offset         absolute position of its first byte in the tensor's file
    position       index per axis of its first element; its elements run along the last axis
    bytes          uint8, as stored
    fields         what those bytes are, in their order
    numbers        the floats among them
    scales         float32 (groups,): what the levels of each sub-block are multiplied with
    minima         float32 (groups,): what is added to its values; None where nothing is
    scale_codes, minimum_codes  int16 (groups,), as stored; None where sub-blocks have none of their own
    codes          int16 (elements / type.code_elements,), as stored
    signs          int8 (elements,) of 1 and -1 where they are stored apart, else None
    levels         float32 (elements,): what the codes stand for before the scale, with sign and shift
    values         float32 (elements,): what the block decodes to
    """

    type: CodedType
    index: int
    offset: int
    position: tuple[int, ...]
    bytes: NDArray[np.uint8]
    fields: tuple[Field, ...]
    numbers: tuple[BlockNumber, ...]
    scales: NDArray[np.float32]
    minima: NDArray[np.float32] | None
    scale_codes: NDArray[np.int16] | None
    minimum_codes: NDArray[np.int16] | None
    codes: NDArray[np.int16]
    signs: NDArray[np.int8] | None
    levels: NDArray[np.float32]
    values: NDArray[np.float32]

    @property
    def formula(self) -> str:
        """How a value comes about; its words are the keys of `terms`."""
        return self.type.formula

    def terms(self, element: int) -> dict[str, int | float]:
        """The numbers that stand for the words of the formula, for one element of the block. IndexError outside of it."""
        element = _inside(element, self.type.elements, "element")
        group = element // self.type.sub_elements
        known: dict[str, int | float] = {number.name: number.value for number in self.numbers}
        known["code"] = int(self.codes[element // self.type.code_elements])
        known["value"], known["scale"] = float(self.levels[element]), float(self.scales[group])
        if self.scale_codes is not None:
            known["sc"] = int(self.scale_codes[group])
        if self.minimum_codes is not None:
            known["mn"] = int(self.minimum_codes[group])
        return {word: known[word] for word in _WORDS.findall(self.formula)}

    def bytes_of(self, element: int) -> tuple[int, ...]:
        """Where in the block the code (and the sign, and the shift) of an element lies: offsets of bytes, rising."""
        element = _inside(element, self.type.elements, "element")
        return tuple(np.flatnonzero(_places(self.type)[0][:, element]).tolist())

    def bytes_of_group(self, group: int) -> tuple[int, ...]:
        """Where in the block the scale and the minimum of a sub-block's own lie; empty where it has none."""
        group = _inside(group, self.type.groups, "sub-block")
        return tuple(np.flatnonzero(_places(self.type)[1][:, group]).tolist())


def coded(type: StoredType) -> CodedType:
    """The type, if its blocks can be taken apart; else TypeError."""
    if not isinstance(type, CodedType):
        raise TypeError(f"{type.name} has no blocks of codes and scales.")
    return type


def block(elements: StoredElements, index: int) -> Block:
    """Read and take apart one block. IndexError outside of the tensor, TypeError for a type without codes."""
    type, record = coded(elements.type), elements.record
    index = _inside(index, elements.count // type.elements, "block")
    work = Workspace()
    stored = elements.read_blocks(index, index + 1, work).copy()
    values = np.empty((1, type.elements), type.value)
    type.decode(stored, values, work)
    scaling = _own(type.scaling(stored, work))
    coding = type.coding(stored, work)
    position = np.unravel_index(index * type.elements, elements.shape) if elements.shape else ()
    return Block(
        type=type,
        index=index,
        offset=record.offset + index * type.bytes,
        position=tuple(int(at) for at in position),
        bytes=_kept(stored[0]),
        fields=type.anatomy,
        numbers=_numbers(type, stored, work),
        scales=_kept(scaling.scales[0]),
        minima=None if scaling.minima is None else _kept(scaling.minima[0]),
        scale_codes=_small(scaling.scale_codes),
        minimum_codes=_small(scaling.minimum_codes),
        codes=_kept(coding.codes[0].astype(np.int16)),
        signs=None if coding.signs is None else _kept(coding.signs[0].copy()),
        levels=_kept(levels(type, coding)[0]),
        values=_kept(values[0]),
    )


def levels(type: CodedType, coding: Coding) -> NDArray[np.float32]:
    """What the codes of n blocks stand for, with signs and shifts: float32 (n, elements)."""
    n = len(coding.codes)
    found = type.level_values()[coding.codes.astype(np.intp) - type.first_code].reshape(n, type.elements)
    if coding.signs is not None:
        found = found * coding.signs
    if coding.shifts is not None:
        found = (found.reshape(n, coding.shifts.shape[1], -1) + coding.shifts[:, :, None]).reshape(n, -1)
    return found


def _numbers(type: CodedType, blocks: Blocks, work: Workspace) -> tuple[BlockNumber, ...]:
    """The floats of one block. One that is put together from several places is a half, as far as ggml has such."""
    values = type.block_scales(blocks, work)[0].tolist() if type.scales else []
    found = []
    for (name, _, _), value in zip(type.scales, values, strict=True):
        field = next((field for field in type.anatomy if field.name == name), None)
        if field is None:
            with np.errstate(invalid="ignore", over="ignore"):
                stored = int(np.float16(value).view(np.uint16))
        else:
            kind = f"{'>' if isinstance(type, BigEndian) else '<'}u{field.size}"
            stored = int(blocks[0, field.offset : field.offset + field.size].view(kind)[0])
        found.append(BlockNumber(name, stored, value))
    return tuple(found)


@cache
def _places(type: CodedType) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which bytes say what: (bytes, elements) for codes, (bytes, groups) for scales of sub-blocks.

    Found out by trying: what changes when one bit of an empty block is set?
    """
    tried = np.zeros((type.bytes, 8, type.bytes), np.uint8)
    at = np.arange(type.bytes)
    tried[at, :, at] = 1 << np.arange(8, dtype=np.uint8)
    blocks = np.concatenate([np.zeros((1, type.bytes), np.uint8), tried.reshape(-1, type.bytes)])
    coding, scaling = type.coding(blocks, Workspace()), type.scaling(blocks, Workspace())
    elements = [_changed(found, type, type.elements) for found in (coding.codes, coding.signs, coding.shifts)]
    stored = (scaling.scale_codes, scaling.minimum_codes) if type.groups > 1 else ()
    groups = [_changed(found, type, type.groups) for found in stored]
    return np.any(elements, axis=0), np.any([np.zeros((type.bytes, type.groups), np.bool_), *groups], axis=0)


def _changed(found: NDArray[Any] | None, type: CodedType, many: int) -> NDArray[np.bool_]:
    """Where one bit of a byte made a difference to the empty block, which comes first: (bytes, many)."""
    if found is None:
        return np.zeros((type.bytes, many), np.bool_)
    changed = (found[1:] != found[0]).reshape(type.bytes, 8, -1).any(axis=1)
    return np.repeat(changed, many // changed.shape[1], axis=1)


def _own(scaling: Scaling) -> Scaling:
    """A copy that lies in no workspace."""
    parts = (scaling.scales, scaling.minima, scaling.scale_codes, scaling.minimum_codes)
    return Scaling(*(None if part is None else part.copy() for part in parts))  # type: ignore[arg-type]


def _small(codes: NDArray[Any] | None) -> NDArray[np.int16] | None:
    return None if codes is None else _kept(codes[0].astype(np.int16))


def _kept(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _inside(index: int, count: int, what: str) -> int:
    try:
        at = operator.index(index)
    except TypeError:
        raise TypeError(f"{what} must be a whole number; got {index!r}") from None
    if not -count <= at < count:
        raise IndexError(f"{what} {index:,} is out of bounds: there are {count:,}")
    return at % count
