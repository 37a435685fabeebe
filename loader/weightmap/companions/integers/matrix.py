"""Values that several tensors make up, as a matrix that is read by rectangles.

How the parts lie decides which rectangles are cheap: whole rows where codes are packed along them, tall bands where they are
packed down the columns. So a class here decodes rectangles only, of a size that stays in the cache, and reads of ranges and
of runs are cut into such.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.companions.packing.stored import Rows
from weightmap.reading.elements import CHUNK, SHARES
from weightmap.types.workspace import Workspace

PIECE = 1 << 20  # elements: the most that is decoded at a time; with fewer, what each piece costs of itself would count


class Matrix(Values):
    """Elements in rows of `width`; leading axes fold into the rows. Reads may begin and end anywhere.

    cut   columns are cut at multiples of this where rows are longer than a piece
    tall  rows are cut at multiples of this where a piece has as many
    """

    grain = cut = tall = 1

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape, self.count = shape, prod(shape)
        self.width = shape[-1] if shape else 1

    @abstractmethod
    def tile(self, rows: Rows, left: int, right: int, out: NDArray[Any], work: Workspace) -> None:
        """Write columns left:right of the rising `rows` into `out`, (len(rows), right - left), its last axis contiguous.

        At most `PIECE` elements are asked for at a time.
        """

    def chunk(self) -> int:
        """Whole rows as far as that is possible; twice as many where few rows are only a part of each line of the cache."""
        wanted = super().chunk() * (2 if self.tall > 1 and self.count >= 2 * SHARES * CHUNK else 1)
        return self._rows(max(wanted // self.width, 1)) * self.width if 0 < self.width <= CHUNK else wanted

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """The end of a row, whole rows, and the beginning of one."""
        at = start
        while at < stop:
            row, left = divmod(at, self.width)
            rows, right = 1, min(left + stop - at, self.width)
            if left == 0 and right == self.width:
                rows = (stop - at) // self.width
            done = at - start
            at += rows * (right - left)
            piece = out[done : at - start].reshape(rows, right - left)
            self._pieces(np.arange(row, row + rows, dtype=np.int64), left, right, piece, work)

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Rectangles where the runs of all rows have the same columns, else run by run."""
        if not len(starts) or not length:
            return
        rows, lefts = np.divmod(starts, self.width)
        many = int(np.searchsorted(rows, rows[0], side="right"))  # runs of the first row
        if int(lefts.max()) + length <= self.width and len(rows) % many == 0:
            of_rows, of_runs = rows.reshape(-1, many), lefts.reshape(-1, many)
            if (of_rows == of_rows[:, :1]).all() and (of_runs == of_runs[0]).all():
                self._runs(np.ascontiguousarray(of_rows[:, 0]), of_runs[0], length, out, work)
                return
        for index, start in enumerate(starts.tolist()):
            self.read(start, start + length, out[index], work)

    def _runs(self, rows: Rows, lefts: Rows, length: int, out: NDArray[Any], work: Workspace) -> None:
        """The same runs of several rows: as many of them at a time as lie within a piece, picked from what they span."""
        target = out.reshape(len(rows), len(lefts), length)
        first = 0
        while first < len(lefts):
            left = int(lefts[first])
            last = max(int(np.searchsorted(lefts, left + PIECE - length, side="right")), first + 1)
            right = int(lefts[last - 1]) + length
            if last - first == 1:
                self._pieces(rows, left, right, target[:, first], work)
            else:
                picked = lefts[first:last, None] - left + np.arange(length)
                tall = max(PIECE // (right - left), 1)
                for top in range(0, len(rows), tall):
                    several = rows[top : top + tall]
                    values = work.array("spanned", (len(several), right - left), self.value)
                    self._pieces(several, left, right, values, work)
                    target[top : top + tall, first:last] = values[:, picked]
            first = last

    def _pieces(self, rows: Rows, left: int, right: int, out: NDArray[Any], work: Workspace) -> None:
        tall, wide = self.piece(len(rows), right - left)
        for top in range(0, len(rows), tall):
            for at in range(left, right, wide):
                last = min(at + wide, right)
                self.tile(rows[top : top + tall], at, last, out[top : top + tall, at - left : last - left], work)

    def piece(self, rows: int, columns: int) -> tuple[int, int]:
        """(rows, columns) of the rectangles that a read of so many is cut into: whole rows as long as they fit."""
        wide = columns if columns <= PIECE else max(PIECE // self.cut, 1) * self.cut
        return self._rows(max(min(PIECE // wide, rows), 1)), wide

    def _rows(self, most: int) -> int:
        return most // self.tall * self.tall or most


def matrices(rows: Rows, height: int) -> Iterator[tuple[int, slice, Rows]]:
    """(matrix, where in `rows`, rows within it) for each matrix of a stack that the rising rows are part of."""
    first, last = int(rows[0]) // height, int(rows[-1]) // height
    if first == last:
        yield first, slice(0, len(rows)), rows - first * height
        return
    at = np.searchsorted(rows, np.arange(first, last + 2) * height).tolist()
    for matrix, begin, end in zip(range(first, last + 1), at, at[1:], strict=False):
        if begin < end:
            yield matrix, slice(begin, end), rows[begin:end] - matrix * height


def clusters(rows: Rows, close: int) -> Iterator[slice]:
    """Runs of rows in which no two neighbours are more than `close` apart."""
    if int(rows[-1] - rows[0]) == len(rows) - 1:
        yield slice(0, len(rows))
        return
    ends = [0, *(np.flatnonzero(np.diff(rows) > close) + 1).tolist(), len(rows)]
    yield from (slice(begin, end) for begin, end in pairwise(ends))
