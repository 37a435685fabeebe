"""Statistics of codes that share each scale with thousands: the codes under each scale are counted, not every value computed.

A code of a byte under one scale has 256 values at most. A block of 128 × 128 has 16,384 codes, so to count them and to
compute 256 values is much less work than to compute all, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.grid import Grid
from weightmap.reading.elements import CHUNK, Elements, Tallying
from weightmap.reading.tally import Counts, count_into
from weightmap.types.workspace import Workspace

CODES = 256
FEWEST = 1 << 11  # codes under one scale: with fewer, there is little to gain
PIECE = 1 << 17  # codes counted at a time: they, and the counters of the few scales that they have, stay in the cache

Scales = Callable[[NDArray[np.int64], int, int, Workspace], NDArray[np.float32]]


def cells(codes: Elements, grid: Grid, scales: Scales) -> Tallying | None:
    """How to count the values of codes of a byte times the scales of a grid; None where scales have too few codes each.

    scales  (rows of the grid, first column, one past the last, workspace) to float32 of as many rows and columns
    """
    if codes.integers:
        return None  # they are numbers as they stand: to compute values is as quick
    coded = codes.codes()
    band = grid.tall * grid.width  # codes of a row of scales
    each = min(grid.tall, grid.rows) * min(grid.wide, grid.width)
    if coded is None or len(coded.values) != CODES or each < FEWEST or band > 4 * CHUNK:
        return None
    if grid.rows % grid.tall and codes.count > grid.rows * grid.width:
        return None  # in a stack, rows of scales would not begin at even distances
    numbers, lines = coded.values.astype(np.float32), max(CHUNK // band, 1)
    counting = _Counting(grid)

    def count(start: int, stop: int, work: Workspace) -> tuple[NDArray[np.float32], Counts]:
        stored = work.array("cell codes", ((stop - start) // grid.width, grid.width), np.uint8)
        coded.read(start, stop, stored.reshape(-1))
        counts = counting.counted(stored, work)
        first = start // band
        factors = scales(np.arange(first, first + len(counts)), 0, grid.across, work)
        with np.errstate(all="ignore"):
            values = numbers * factors.reshape(-1, 1)
        return values.reshape(-1), counts.reshape(-1)

    return Tallying(lines * band, count)


class _Counting:
    """Counts bytes under each scale, a rectangle of some scales at a time."""

    def __init__(self, grid: Grid) -> None:
        self._tall, self._wide, self._across = grid.tall, min(grid.wide, grid.width), grid.across
        several = max(PIECE // (grid.tall * self._wide), 1)
        self._cells = min(several, grid.across)  # of a row of scales, in one rectangle
        self._bands = max(several // self._cells, 1)
        band = np.arange(self._bands * grid.tall) // grid.tall * self._cells
        cell = np.arange(self._cells * self._wide) // self._wide
        self._marks = ((band[:, None] + cell) * CODES).astype(np.uint16)

    def counted(self, stored: NDArray[np.uint8], work: Workspace) -> Counts:
        """How often each byte comes up under each scale of whole rows of scales: (rows of scales, scales of a row, 256)."""
        counts = np.zeros((-(-len(stored) // self._tall), self._across, CODES), np.int64)
        tall, wide = len(self._marks), self._marks.shape[1]
        for top in range(0, len(stored), tall):
            for left in range(0, stored.shape[1], wide):
                self._add(
                    stored[top : top + tall, left : left + wide], top // self._tall, left // self._wide, counts, work
                )
        return counts

    def _add(self, part: NDArray[np.uint8], line: int, cell: int, counts: Counts, work: Workspace) -> None:
        step = max(PIECE // part.shape[1], 1)
        found = np.zeros(self._bands * self._cells * CODES, np.int64)
        for row in range(0, len(part), step):
            some = part[row : row + step]
            keys = work.array("cells", some.shape, np.uint16)
            np.add(some, self._marks[row : row + len(some), : some.shape[1]], out=keys)
            indices = work.array("cell indices", some.shape, np.intp)
            np.copyto(indices, keys)
            count_into(found, indices.reshape(-1))
        into = counts[line : line + self._bands, cell : cell + self._cells]
        into += found.reshape(self._bands, self._cells, CODES)[: into.shape[0], : into.shape[1]]
