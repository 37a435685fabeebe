"""How many bits MLX's codes have, which shapes leave open: 4 bits in groups of 64 take the room of 8 bits in groups of 32.

Two things tell. The extremes of a group are made the first or the last code, so in the true width that occurs in every group,
and in one too wide hardly by chance. And the lower half of a code is spread evenly while the upper one is not: where a config
says too few bits, every other code is distributed unlike its neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import named, remark
from weightmap.companions.integers.packed import Along
from weightmap.companions.parts import Parts
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

SAMPLE = 1 << 16  # bytes of codes that are looked at
SURE, UNLIKELY = 0.99, 0.9  # shares of groups
EVENLY = 0.4  # share of codes at the ends; of weights that are spread as weights are, two bits have half of it
UNLIKE = 0.1  # distance of two distributions, beside what chance makes


def width(
    module: str, codes: TensorRecord, room: int, possible: list[int], parts: Parts
) -> tuple[int, str | None, tuple[Finding, ...]]:
    """(bits, what is assumed or None, findings): the config's, unless its codes contradict it; else the codes'.

    possible  falling widths that fit the room of `room` bits of a group
    """
    told, size = parts.config.number("bits", module), parts.config.number("group_size", module)
    looked = _Look(codes, room, parts)
    sure = next((bits for bits in possible if looked.reaching(bits) >= SURE), None)
    if told is None:
        found = looked.best(possible)
        return found, None if looked.decided(found, possible) else _assumption(found, room, possible), ()
    if told in possible and (size is None or told * size == room):
        wider = 2 * told
        contradicted = wider in possible and looked.reaching(wider) >= SURE and looked.halves_of(told)
        narrow = sure is not None and sure < told and looked.reaching(told) < UNLIKELY
        if not contradicted and not (narrow and not looked.halves_of(sure or told)):
            return told, None, ()
        found = wider if contradicted else sure or told
    else:
        found = looked.best(possible)
    text = (
        f"{parts.config_name} says {told} bits in groups of {size or room // told:,} for {named(codes)}, but its shapes and codes "
        f"are those of {found} bits in groups of {room // found:,}."
    )
    return found, None, (remark("quant_config", text, codes, parts),)


def reading(bits: int, room: int) -> str:
    """What the reading with another width is called."""
    return f"{bits}-bit codes in groups of {room // bits:,}"


def _assumption(found: int, room: int, possible: list[int]) -> str:
    others = " or ".join(f"{bits} in groups of {room // bits:,}" for bits in possible if bits != found)
    return (
        f"Nothing says how many bits the codes have: {found} in groups of {room // found:,} are assumed, as they are "
        f"distributed; {others} would fit as well."
    )


class _Look:
    """Codes of the first rows of a weight, in any width."""

    def __init__(self, codes: TensorRecord, room: int, parts: Parts) -> None:
        self._codes, self._room, self._parts = codes, room, parts
        self._shares: dict[int, float] = {}

    def _read(self, bits: int) -> NDArray[np.uint8]:
        """Whole groups, (groups, codes of each)."""
        wide, size = self._codes.shape[-1] * 4, self._room // bits
        rows = min(max(SAMPLE // wide, 1), self._codes.count // self._codes.shape[-1])
        columns = min(self._codes.shape[-1] * 32 // bits, max(SAMPLE * 8 // self._room, 1) * size)
        along = Along(self._parts.stored(self._codes), bits, wide)
        found = along.read(np.arange(rows, dtype=np.int64), 0, columns, Workspace(), "codes")
        return np.ascontiguousarray(found).reshape(-1, size)

    def reaching(self, bits: int) -> float:
        """The share of groups in which the first or the last code of this width occurs."""
        if bits not in self._shares:
            groups = self._read(bits)
            ends = (groups == 0).any(axis=1) | (groups == (1 << bits) - 1).any(axis=1)
            self._shares[bits] = float(np.mean(ends))
        return self._shares[bits]

    def best(self, possible: list[int]) -> int:
        """The largest width whose groups reach an end, or a wider one whose halves its codes are."""
        found = next((bits for bits in possible if self.reaching(bits) >= SURE), None)
        found = found or max(possible, key=self.reaching)
        while 2 * found in possible and self.halves_of(found):
            found *= 2
        if found == 2 and 1 in possible and self._evenly():
            return 1
        return found

    def decided(self, bits: int, possible: list[int]) -> bool:
        """Whether the codes leave no other width: they are seen to be no pairs of narrower ones, and no halves of wider ones."""
        if bits == possible[-1]:
            return all(self.reaching(wider) < SURE for wider in possible[:-1])
        return self.reaching(bits) >= SURE and bits // 2 in possible and self.halves_of(bits // 2)

    def _evenly(self) -> bool:
        """Whether the first and the last code of two bits are as many as the two between: rather pairs of single bits."""
        codes = self._read(2)
        return float(np.mean((codes == 0) | (codes == 3))) > EVENLY

    def halves_of(self, bits: int) -> bool:
        """Whether codes of this width are rather the two halves of codes twice as wide: every other one is unlike the rest."""
        codes = self._read(bits).reshape(-1)
        several = codes[: len(codes) // 2 * 2].reshape(-1, 2)
        lower, upper = (np.bincount(several[:, half], minlength=1 << bits) / max(len(several), 1) for half in (0, 1))
        chance = 2 * np.sqrt((1 << bits) / (np.pi * max(len(several), 1)))
        return bool(np.abs(lower - upper).sum() / 2 > UNLIKE + chance)
