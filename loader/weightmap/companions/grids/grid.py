"""Where scales lie over a weight: one for all, one per row, one per block of rows and columns; and which of it a shape says."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
Indices = NDArray[np.int64]

USUAL_BLOCKS = ((128, 128), (64, 64), (32, 32), (1, 128))


@dataclass(frozen=True, slots=True)
class Grid:
    """A weight as rows of `width` elements, and the scales over it, in C order.

    rows   rows of one matrix: with each matrix of a stack the scales begin anew
    tall   rows that share scales
    wide   elements of a row that share a scale; the last group of a row may have fewer
    """

    rows: int
    tall: int
    width: int
    wide: int

    @property
    def down(self) -> int:
        """Rows of scales of one matrix."""
        return -(-self.rows // self.tall)

    @property
    def across(self) -> int:
        """Scales of one row."""
        return -(-self.width // self.wide)

    def line(self, row: int) -> int:
        """Row of scales of a row of elements."""
        matrix, inside = divmod(row, self.rows)
        return matrix * self.down + inside // self.tall

    def lines(self, rows: Indices) -> Indices:
        """The same of many."""
        matrices, inside = np.divmod(rows, self.rows)
        lines: Indices = matrices * self.down + inside // self.tall
        return lines

    def place(self, rows: Indices, column: int, many: int) -> tuple[Indices, int, int, int]:
        """(rows of scales, first scale of each, one past the last, values that the first one lacks) of a rectangle."""
        first, last = column // self.wide, (column + many - 1) // self.wide + 1
        return self.lines(rows), first, last, column - first * self.wide

    def flat(self, element: int) -> int:
        """Flat index of the scale of a flat index."""
        row, column = divmod(element, self.width)
        return self.line(row) * self.across + column // self.wide

    def over(self, shape: Shape) -> tuple[int, int] | None:
        """(rows, columns) of the last two axes of a weight that share a scale; None where those are no rectangles."""
        rows, columns = (1, 1, *shape)[-2:]
        if self.width == columns and (self.tall == 1 or self.rows == rows):
            return min(self.tall, rows), min(self.wide, columns)
        matrices = self.wide * self.tall if self.wide == self.width else 0
        return (rows, columns) if matrices and matrices % max(rows * columns, 1) == 0 else None

    def count(self, shape: Shape) -> int:
        """Scales that a weight of this shape has."""
        rows = prod(shape[:-1])
        return rows // self.rows * self.down * self.across if rows else 0


def one_for_all(shape: Shape) -> Grid:
    """A single scale."""
    rows, width = prod(shape[:-1]), shape[-1] if shape else 1
    return Grid(max(rows, 1), max(rows, 1), max(width, 1), max(width, 1))


def in_groups(shape: Shape, wide: int) -> Grid:
    """A scale for every `wide` elements of each row."""
    return Grid(max(prod(shape[:-1]), 1), 1, max(shape[-1], 1), wide)


def in_blocks(shape: Shape, tall: int, wide: int) -> Grid:
    """A scale for each block of `tall` rows and `wide` columns of every matrix."""
    return Grid(max(shape[-2], 1), tall, max(shape[-1], 1), wide)


def per_leading(shape: Shape, axes: int) -> Grid:
    """A scale for each position of the first `axes` axes."""
    width = prod(shape[axes:])
    return Grid(max(prod(shape[:axes]), 1), 1, max(width, 1), max(width, 1))


def expected_blocks(shape: Shape, tall: int, wide: int) -> Shape:
    """Shape of the scales of a weight (..., rows, columns) in blocks."""
    return (*shape[:-2], -(-shape[-2] // tall), -(-shape[-1] // wide))


def without_ones(shape: Shape) -> Shape:
    """A shape without the axes of length one at its end."""
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def whole_rows(wanted: int, rows: int) -> int:
    """As many elements as are wanted or a few less, so that they are a multiple of `rows` where it is not more, nor none."""
    return wanted // rows * rows if 0 < rows <= wanted else wanted
