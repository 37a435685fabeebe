"""Codes of half a byte times scales of a byte, rounded to whole numbers: with 65,536 pairs of both there are a table's worth.

A group has whole bytes of codes, so a byte and the scale of its group say two numbers at once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.packing.packed import Nibbles
from weightmap.companions.packing.whole import Keyed
from weightmap.reading.elements import Elements, StoredElements, decoded_codes
from weightmap.types.fields import Bytes, looked_up, number, quiet
from weightmap.types.workspace import Workspace

WORTH = 1 << 18  # values: with fewer, to make the tables takes as long as to compute them
MOST = np.float32(127)
SHORT = 32  # words of a row: numpy takes longer to begin each shorter row than for its words


def rounded(values: NDArray[np.float32]) -> None:
    """Round to whole numbers from -127 to 127, in place."""
    np.rint(values, out=values)
    np.clip(values, -MOST, MOST, out=values)  # in a quarter of the time of a minimum and a maximum


class _Tables(NamedTuple):
    """By scale * 256 + byte: two float32 values, and two int8 where none is NaN; and scales with which one is."""

    values: NDArray[np.complex64]
    whole: NDArray[np.uint16]
    odd: tuple[int, ...]


def _mark(keys: NDArray[np.uint16], scales: Bytes) -> None:
    """Put each scale into the upper bytes of its row of keys: of short rows four keys at a time, all firsts, all seconds."""
    words = keys.view(np.uint64) if keys.shape[1] % 4 == 0 else keys
    upper = scales.astype(words.dtype)
    np.multiply(upper, number(0x0100010001000100 if words.itemsize > 2 else 1 << 8, words.dtype.str), out=upper)
    if words.shape[1] > SHORT:
        np.bitwise_or(words, upper[:, None], out=words)
        return
    for column in words.T:
        np.bitwise_or(column, upper, out=column)


class RoundedPairs:
    """Looks up codes in groups of `wide`, whose rows are whole groups."""

    def __init__(self, codes: StoredElements, scales: StoredElements, wide: int) -> None:
        self._codes, self._scales, self._wide = codes, scales.as_stored(np.dtype(np.uint8)), wide
        self._kinds = codes.type, scales.type

    def read(self, start: int, stop: int, out: NDArray[np.float32], work: Workspace) -> None:
        """The numbers of elements start:stop, whole bytes."""
        looked_up(self._tables.values, self._keys(start, stop, work)[0], out.view(np.complex64), work)

    def whole(self, start: int, stop: int, work: Workspace) -> NDArray[Any]:
        """The same as int8 (stop - start,) in the workspace, or as float32 where there may be NaN."""
        keys = self._sound_keys(start, stop, work)
        if keys is None:
            keys = self._keys(start, stop, work)[0]
            values = work.array("rounded values", (stop - start,), np.float32)
            looked_up(self._tables.values, keys, values.view(np.complex64), work)
            return values
        numbers = work.array("rounded numbers", (stop - start,), np.int8)
        looked_up(self._tables.whole, keys, numbers.view(np.uint16), work)
        return numbers

    def keyed(self) -> Keyed:
        """The same as keys of two each."""
        return Keyed(int(MOST), lambda: self._tables.whole.view(np.int8).reshape(-1, 2), self._sound_keys)

    def _sound_keys(self, start: int, stop: int, work: Workspace) -> NDArray[np.uint16] | None:
        keys, scales = self._keys(start, stop, work)
        return None if any(np.equal(scales, code).any() for code in self._tables.odd) else keys

    def _keys(self, start: int, stop: int, work: Workspace) -> tuple[NDArray[np.uint16], Bytes]:
        """Where each byte of codes is in the tables, and the scales of the groups that it is of."""
        first, last, each = start // self._wide, -(-stop // self._wide), self._wide // 2
        scales = work.array("rounded scales", (last - first,), np.uint8)
        self._scales.read(first, last, scales, work)
        keys = work.array("rounded keys", ((last - first) * each,), np.uint16)
        begin = start // 2 - first * each
        part = keys[begin : begin + (stop - start) // 2]
        keys[:begin] = 0
        keys[begin + len(part) :] = 0
        np.copyto(part, self._codes.read_blocks(start // 2, stop // 2, work)[:, 0])
        _mark(keys.reshape(-1, each), scales)
        return part, scales

    @cached_property
    def _tables(self) -> _Tables:
        codes, scales = self._kinds
        assert isinstance(codes, Nibbles)
        return _tables(codes, decoded_codes(scales).astype(np.float32))


@quiet
def _tables(codes: Nibbles, factors: NDArray[np.float32]) -> _Tables:
    values = codes.numbers * factors[:, None]
    rounded(values)
    pairs = np.ascontiguousarray(values[:, codes.code_pairs.view(np.uint16)])
    odd = np.isnan(values).any(axis=1)
    whole = np.where(odd[:, None], np.float32(0), pairs).astype(np.int8)
    return _Tables(pairs.view(np.complex64).reshape(-1), whole.view(np.uint16).reshape(-1), tuple(np.flatnonzero(odd)))


def pairs_of(codes: Elements, scales: Elements, wide: int) -> RoundedPairs | None:
    """How to look them up; None where codes or scales are others, groups no whole bytes, or there are few."""
    if not isinstance(codes, StoredElements) or not isinstance(codes.type, Nibbles) or wide % 2 or codes.count < WORTH:
        return None
    if not isinstance(scales, StoredElements) or scales.type.elements != 1 or scales.type.bytes != 1:
        return None
    return RoundedPairs(codes, scales, wide)
