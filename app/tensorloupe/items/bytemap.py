"""Where a model's bytes lie, as stretches along one line: header, tensors, gaps, what is not read, what is promised and
not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.items.outline import Ints

HEADER, TENSOR, GAP, MISSING, UNREAD = range(5)
PADDING = 64  # bytes between two tensors that are there for alignment, not by mistake
_FARTHEST = 2  # times the file's size: what is promised beyond that is drawn as far as this


class Mark(NamedTuple):
    """A place on the line where something happens, and which byte of its file that is."""

    position: float
    byte: int
    said: str


class Stretches(NamedTuple):
    """Stretches in the order of their start, (n,) each; parts of a split model lie one after the other.

    start, end  positions on the common line
    kind        HEADER, TENSOR, GAP, MISSING, or UNREAD: behind a header that does not tell what lies there
    number      the tensor that a stretch belongs to, -1 for none
    ends        for each part that ends early, where it does
    breaks      for each part whose header breaks off, where it does
    bases       for each part, the position on the line where it begins
    length      of the whole line
    """

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    kind: Ints
    number: Ints
    ends: tuple[Mark, ...]
    breaks: tuple[Mark, ...]
    bases: tuple[float, ...]
    length: float

    def at(self, position: float) -> int | None:
        """Which stretch lies at a position of the line."""
        found = int(np.searchsorted(self.start, position, side="right")) - 1
        return found if found >= 0 and position < self.end[found] else None

    @property
    def kinds(self) -> frozenset[int]:
        """Which kinds there are; what is no longer than padding between tensors counts as no gap."""
        gaps = self.end - self.start > PADDING
        return frozenset(np.flatnonzero(np.bincount(self.kind[(self.kind != GAP) | gaps])).tolist())

    def within(self, first: float, last: float) -> NDArray[np.int64]:
        """Which stretches touch a part of the line."""
        return np.flatnonzero((self.end > first) & (self.start < last))

    def runs(self, of: NDArray[np.int64]) -> list[tuple[float, float, int]]:
        """(start, end, which) of neighbouring tensors of which `of` says the same, by their numbers; less than 0: none."""
        if not of.size or not self.kind.size:
            return []
        which = np.where(self.kind == TENSOR, of[np.maximum(self.number, 0)], -1)
        firsts = np.flatnonzero(np.append(True, which[1:] != which[:-1]))
        lasts = np.append(firsts[1:], which.size) - 1
        runs = zip(self.start[firsts].tolist(), self.end[lasts].tolist(), which[firsts].tolist(), strict=True)
        return [run for run in runs if run[2] >= 0]


def stretches(parts: Sequence[weightmap.Part], records: Sequence[weightmap.Tensor]) -> Stretches:
    """The map of a model. An overlap shows the later tensor from where it starts; a tensor in no known place is left out."""
    rows: list[tuple[float, float, int, int]] = []
    early: list[Mark] = []
    breaks: list[Mark] = []
    bases: list[float] = []
    base = 0.0
    by_part: list[list[int]] = [[] for _ in parts]
    for number, tensor in enumerate(records):
        if parts[tensor.part].located:
            by_part[tensor.part].append(number)
    for part, numbers in zip(parts, by_part, strict=True):
        size = part.size or 0
        numbers.sort(key=lambda number: records[number].offset)
        promised = max((t.offset + t.nbytes for t in (records[n] for n in numbers)), default=size)
        extent = float(max(size, min(promised, _FARTHEST * max(size, 1)) if part.size else promised))
        rows += _part(part, records, numbers, base, extent)
        if promised > size:
            early.append(Mark(base + size, size, "the file ends here"))
        if part.breaks_in is not None:
            breaks.append(Mark(base + part.header_end, part.header_end, "the header breaks off here"))
        bases.append(base)
        base += extent
    rows = [row for row in rows if row[1] > row[0]]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    start, end = table[:, 0], table[:, 1]
    if len(rows) > 1:
        end = np.minimum(end, np.append(start[1:], end[-1]))
    kind, number_of = table[:, 2].astype(np.int64), table[:, 3].astype(np.int64)
    return Stretches(start, end, kind, number_of, tuple(early), tuple(breaks), tuple(bases), base)


def _part(
    part: weightmap.Part, records: Sequence[weightmap.Tensor], numbers: Sequence[int], base: float, extent: float
) -> list[tuple[float, float, int, int]]:
    size, at = part.size or 0, 0
    rows: list[tuple[float, float, int, int]] = []
    first = min((records[number].offset for number in numbers), default=size)
    head = min(part.data_start or first, first, size) if part.breaks_in is None else part.header_end
    if head:
        rows.append((base, base + head, HEADER, -1))
        at = head
    for number in numbers:
        tensor = records[number]
        begin, end = tensor.offset, tensor.offset + tensor.nbytes
        if begin > at and at < size:
            rows.append((base + at, base + min(begin, size), GAP, -1))
        if begin < size:
            rows.append((base + begin, base + min(end, size), TENSOR, number))
        if end > size and begin < extent:
            rows.append((base + max(begin, size), base + min(end, extent), MISSING, number))
        at = max(at, end)
    if at < size:
        rows.append((base + at, base + size, GAP if part.located else UNREAD, -1))
    return rows
