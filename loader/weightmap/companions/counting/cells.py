"""Statistics of codes that share each scale with thousands: the codes under each scale are counted, not every value computed.

A code of a byte under one scale has 256 values at most. A block of 128 × 128 has 16,384 codes, and a row of a matrix some
thousands; so to count them and to compute 256 values is less work than to compute all, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weightmap.companions.grids.factors import by_rows
from weightmap.companions.grids.grid import Grid
from weightmap.reading.elements import CHUNK, SHARES, Codes, Spans, Tallying
from weightmap.reading.tally import Counts, count_into
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace

CODES = 256
FEWEST = 1 << 11  # codes under one scale: with fewer, there is little to gain
MOST, SCALES = 1 << 21, 1 << 8  # codes, and scales, in hand at a time: the more, the less is spent on each
LONGEST = 1 << 21  # codes of a row of scales
PIECE = 1 << 18  # codes counted at a time: they, and the counters of the few scales that they have, stay in the cache

Stored = Callable[[int, int, int, Workspace], Bytes]
"""(first row, one past the last, their width, workspace) to the codes of whole rows, as bytes."""

Every = Callable[[int, int, Workspace], Floats]
"""(first row of the grid, one past the last, workspace) to the values of all codes under each of its scales: (scales, 256)."""


def cells(count: int, grid: Grid, stored: Stored, every: Every, spans: Callable[[], Spans | None]) -> Tallying | None:
    """How to count the values of `count` codes of a byte under the scales of a grid; None where scales have too few codes each."""
    band = grid.tall * grid.width  # codes of a row of scales
    each = min(grid.tall, grid.rows) * min(grid.wide, grid.width)
    if each < FEWEST or band > LONGEST:
        return None
    if grid.rows % grid.tall and count > grid.rows * grid.width:
        return None  # in a stack, rows of scales would not begin at even distances
    counting = _Counting(grid)

    def tally(start: int, stop: int, work: Workspace) -> tuple[Floats, Counts]:
        counts = counting.counted(stored(start // grid.width, stop // grid.width, grid.width, work), work)
        values = every(start // band, start // band + len(counts), work)
        counts = counts.reshape(values.shape)
        odd = np.flatnonzero(np.isnan(values[0]))  # codes that are no numbers: few, and mostly not there
        if len(odd) and not counts[:, odd].any():
            values[:, odd] = 0
        return values.reshape(-1), counts.reshape(-1)

    some = min(max(count // SHARES, CHUNK), max(SCALES * each, CHUNK), MOST)
    return Tallying(max(some // band, 1) * band, tally, spans)


def bytes_of(codes: Codes, first: int, last: int, width: int, work: Workspace) -> Bytes:
    """Rows of codes that are bytes one after the other."""
    stored = work.array("cell codes", (last - first, width), np.uint8)
    codes.read(first * width, last * width, stored.reshape(-1))
    return stored


class _Counting:
    """Counts bytes under each scale, a rectangle of some scales at a time."""

    def __init__(self, grid: Grid) -> None:
        self._tall, self._wide, self._across = grid.tall, min(grid.wide, grid.width), grid.across
        several = max(PIECE // (grid.tall * self._wide), 1)
        self._cells = min(several, grid.across)  # of a row of scales, in one rectangle
        self._bands = max(several // self._cells, 1)  # more than one only where they are whole rows of scales
        # where the counters of each row and of each column of a rectangle begin
        self._down = (np.arange(self._bands * grid.tall) // grid.tall * (self._cells * CODES)).astype(np.uint16)[
            :, None
        ]
        self._right = (np.arange(self._cells * self._wide) // self._wide * CODES).astype(np.uint16)

    def counted(self, stored: Bytes, work: Workspace) -> Counts:
        """How often each byte comes up under each scale of whole rows of scales: (rows of scales, scales of a row, 256)."""
        counts = work.array("cell counts", (-(-len(stored) // self._tall), self._across, CODES), np.int64)
        counts[...] = 0
        tall, wide = len(self._down), len(self._right)
        for top in range(0, len(stored), tall):
            lines = slice(top // self._tall, top // self._tall + self._bands)
            for left in range(0, stored.shape[1], wide):
                cell = left // self._wide
                into = counts[lines, cell : cell + self._cells].reshape(-1)  # a view: they lie one after the other
                self._add(stored[top : top + tall, left : left + wide], into, work)
        return counts

    def _add(self, part: Bytes, into: Counts, work: Workspace) -> None:
        wide = min(part.shape[1], PIECE)
        tall = PIECE // wide
        for top in range(0, len(part), tall):
            for left in range(0, part.shape[1], wide):
                some = part[top : top + tall, left : left + wide]
                keys = work.array("cells", some.shape, np.uint16)
                np.copyto(keys, some)
                if self._cells > 1:
                    by_rows(np.add, keys, self._right[left : left + some.shape[1]])
                if self._bands > 1:
                    by_rows(np.add, keys, self._down[top : top + len(some)])
                indices = work.array("cell indices", (keys.size,), np.intp)
                np.copyto(indices, keys.reshape(-1))
                count_into(into, indices)
