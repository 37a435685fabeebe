"""Statistics of codes of a byte in groups: scales of 16 bits come up again and again, so codes are counted under equal ones.

A group has too few codes to count them by itself. But a matrix has some thousands of different scales at most, and ten or
a hundred groups for each. Groups are taken in the order of their scales, and codes less their zeros counted, which with one
scale make one value each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Numbered
from weightmap.reading.sweep import thread_limit
from weightmap.reading.tally import Counts, count_into
from weightmap.types.fields import Bytes, Floats, quiet
from weightmap.types.workspace import Workspace

WORTH = 1 << 22  # codes: in fewer, scales do not come up often enough
OFTEN = 1 << 11  # codes that each scale has at least, on average
SMALLEST = 32  # codes of a group
ROOM = 1 << 23  # codes, and values, that all threads together have in hand: some 8 and 24 MB
VALUES = 1 << 21
PIECE = 1 << 20  # codes read at a time
COUNTED = 1 << 17  # codes counted at a time
CODES = 256

Numbers = NDArray[np.int16]


class Alike(NamedTuple):
    """Rows of codes in equal groups.

    width, size  codes of a row, and of a group, which divides it
    codes    (first row, one past the last, workspace) to the codes of whole rows as bytes, group after group
    kind     what scales are stored as: F16 or BF16
    scales   the same to their scales, (rows, groups)
    zeros    the same to what is taken off each code, from 0 to 256, or None
    numbers  what each code stands for; with zeros, code and zero are taken as they are
    """

    width: int
    size: int
    codes: Callable[[int, int, Workspace], Bytes]
    kind: str
    scales: Callable[[int, int, Workspace], Floats]
    zeros: Callable[[int, int, Workspace], Numbers] | None
    numbers: NDArray[np.float32]


class _Kinds(NamedTuple):
    """What there is: scales by their keys, float32 (65536,), and whether each occurs; from which to which number zeros go."""

    scales: Floats
    there: NDArray[np.bool_]
    low: int
    high: int


@quiet
def alike(count: int, of: Alike) -> Numbered | None:
    """The values of `count` codes under their scales, and how to count them; None where there are too many scales for that."""
    if count < WORTH or of.size < SMALLEST or of.width % of.size or not of.width <= PIECE:
        return None
    threads, kinds = max(thread_limit(), 2), _kinds(count // of.width, of)
    numbers = of.numbers if of.zeros is None else np.arange(-kinds.high, CODES - kinds.low, dtype=np.float32)
    scales = kinds.scales[kinds.there]
    if len(scales) * OFTEN > count or len(scales) * len(numbers) > VALUES // threads:
        return None
    ranks = np.maximum(np.cumsum(kinds.there) - 1, 0).astype(np.uint16)  # even in a file that changes
    values = (scales[:, None] * numbers).reshape(-1)
    chunk = max(ROOM // threads // of.width, 1) * of.width
    return Numbered(chunk, values, _Counting(of, ranks, kinds, len(numbers)).add)


def _keys(of: Alike, first: int, last: int, work: Workspace) -> tuple[NDArray[np.uint16], Floats]:
    """The bits of the scales of rows first:last, and the scales, both flat."""
    scales = of.scales(first, last, work).reshape(-1)
    if of.kind == "F16":
        return scales.astype(np.float16).view(np.uint16), scales
    return (scales.view(np.uint32) >> 16).astype(np.uint16), scales


def _kinds(rows: int, of: Alike) -> _Kinds:
    found, there, low, high = np.zeros(1 << 16, np.float32), np.zeros(1 << 16, np.bool_), CODES, 0
    step, work = max(PIECE * of.size // of.width, 1), Workspace()
    for first in range(0, rows, step):
        last = min(first + step, rows)
        keys, scales = _keys(of, first, last, work)
        found[keys], there[keys] = scales, True
        if of.zeros is not None:
            zeros = of.zeros(first, last, work)
            low, high = min(low, int(zeros.min())), max(high, int(zeros.max()))
    return _Kinds(found, there, low, high)


class _Counting(NamedTuple):
    """Counts codes under scales: by the key of a scale its rank, what there is, and how many counters a scale has."""

    of: Alike
    ranks: NDArray[np.uint16]
    kinds: _Kinds
    many: int

    @quiet
    def add(self, start: int, stop: int, counts: Counts, work: Workspace) -> None:
        """Count codes start:stop, whole rows."""
        of, counts = self.of, counts.reshape(-1, self.many)
        first, last = start // of.width, stop // of.width
        under = self.ranks[_keys(of, first, last, work)[0]]
        order = np.argsort(under, kind="stable")  # of numbers of so few bits a radix sort
        begins = under[order].astype(np.intp) * self.many  # where the counters of each group begin
        if of.zeros is not None:
            zeros = of.zeros(first, last, work).reshape(-1)[order].astype(np.intp)
            begins += self.kinds.high - np.clip(zeros, self.kinds.low, self.kinds.high)
        codes = _codes(of, first, last, work)
        several = max(COUNTED // of.size, 1)
        for at in range(0, len(order), several):
            _count(codes, order[at : at + several], begins[at : at + several], counts, work)


def _codes(of: Alike, first: int, last: int, work: Workspace) -> Bytes:
    """Codes of rows first:last by groups: (groups, codes of each)."""
    codes: Bytes = work.array("alike codes", (last - first, of.width), np.uint8)
    step = max(PIECE // of.width, 1)
    for top in range(first, last, step):
        end = min(top + step, last)
        codes[top - first : end - first] = of.codes(top, end, work)
    return codes.reshape(-1, of.size)


def _count(codes: Bytes, groups: NDArray[np.intp], begins: NDArray[np.intp], counts: Counts, work: Workspace) -> None:
    """Count the codes of some groups, which follow each other in the order of their scales."""
    many = counts.shape[1]
    first, last = int(begins[0]) // many, int(begins[-1]) // many
    picked = work.array("alike groups", (len(groups), codes.shape[1]), np.uint8)
    np.take(codes, groups, axis=0, out=picked, mode="wrap")
    short = (last + 1 - first) * many <= 1 << 16
    places = work.array("alike places", picked.shape, np.uint16 if short else np.intp)
    np.add(picked, (begins - first * many).astype(places.dtype)[:, None], out=places)
    count_into(counts[first : last + 1].reshape(-1), places.reshape(-1))
