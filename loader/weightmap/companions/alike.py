"""Statistics of codes of a byte in groups: scales of 16 bits come up again and again, so codes are counted under equal ones.

A group has too few codes to count them by itself. But a matrix has some thousands of different scales at most, and ten or
a hundred groups for each. Groups are taken in the order of their scales, and codes less their zeros counted, which with one
scale make one value each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Spans, Tallying
from weightmap.reading.sweep import thread_limit
from weightmap.reading.tally import Counts, count_into
from weightmap.types.fields import Bytes, Floats, quiet
from weightmap.types.workspace import Workspace

WORTH = 1 << 22  # codes: in fewer, scales do not come up often enough
OFTEN = 1 << 11  # codes that each scale has at least, on average
SMALLEST = 32  # codes of a group
ROOM = 3 << 22  # codes, and values, that all threads together have in hand: some 12 and 24 MB
VALUES = 1 << 21
PIECE = 1 << 20  # codes read at a time
COUNTED = 1 << 17  # codes counted at a time
CODES = 256

Numbers = NDArray[np.int16]


class Alike(NamedTuple):
    """Rows of codes in equal groups.

    width, size  codes of a row, and of a group, which divides it
    codes    (first row, one past the last, workspace) to the codes of whole rows as bytes, group after group
    scales   the same to their scales, (rows, groups), which are numbers of F16 or BF16
    zeros    the same to what is taken off each code, from 0 to 256, or None
    numbers  what each code stands for; with zeros, code and zero are taken as they are
    """

    width: int
    size: int
    codes: Callable[[int, int, Workspace], Bytes]
    scales: Callable[[int, int, Workspace], Floats]
    zeros: Callable[[int, int, Workspace], Numbers] | None
    numbers: NDArray[np.float32]


def alike(count: int, of: Alike, spans: Callable[[], Spans | None]) -> Tallying | None:
    """How to count the values of `count` codes under their scales; None where there are too many scales for that."""
    if count < WORTH or of.size < SMALLEST or of.width % of.size or not of.width <= PIECE:
        return None
    threads = max(thread_limit(), 2)
    scales = _different(count // of.width, of)
    if scales * OFTEN > count or scales * CODES * (1 if of.zeros is None else 2) > VALUES // threads:
        return None
    return Tallying(max(ROOM // threads // of.width, 1) * of.width, partial(_tally, of), spans)


def _keys(scales: Floats) -> NDArray[np.uint16]:
    """Numbers of F16 or BF16 by their bits: the same for two only where they are equal; flat."""
    bits = np.ascontiguousarray(scales).view(np.uint32).reshape(-1)
    upper, lower = bits >> 16, bits & 0xFFFF
    if not lower.any():
        return upper.astype(np.uint16)
    with np.errstate(all="ignore"):
        return scales.astype(np.float16).view(np.uint16).reshape(-1)


def _different(rows: int, of: Alike) -> int:
    """How many different scales there are."""
    found, step, work = np.zeros(1 << 16, np.bool_), max(PIECE * of.size // of.width, 1), Workspace()
    for first in range(0, rows, step):
        found[_keys(of.scales(first, min(first + step, rows), work))] = True
    return int(np.count_nonzero(found))


@quiet
def _tally(of: Alike, start: int, stop: int, work: Workspace) -> tuple[Floats, Counts]:
    """The values of codes start:stop, whole rows, and how often each occurs."""
    first, last, numbers = start // of.width, stop // of.width, of.numbers
    scales = of.scales(first, last, work).reshape(-1)
    keys = _keys(scales)
    order = np.argsort(keys, kind="stable")  # of numbers of so few bits a radix sort
    rising = keys[order]
    new = np.append(True, rising[1:] != rising[:-1])
    different, begins = scales[order[new]], np.cumsum(new) - 1
    if of.zeros is not None:
        zeros = of.zeros(first, last, work).reshape(-1)
        low, high = int(zeros.min()), int(zeros.max())
        numbers = np.arange(-high, CODES - low, dtype=np.float32)
    begins *= len(numbers)  # where the counters of each group begin
    if of.zeros is not None:
        begins += high - zeros[order].astype(np.intp)
    codes = _codes(of, first, last, work)
    counts = np.zeros((len(different), len(numbers)), np.int64)
    several = max(COUNTED // of.size, 1)
    for at in range(0, len(order), several):
        _count(codes, order[at : at + several], begins[at : at + several], counts, work)
    return (different[:, None] * numbers).reshape(-1), counts.reshape(-1)


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
