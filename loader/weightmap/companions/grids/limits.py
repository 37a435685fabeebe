"""Between which values scales hold their codes: so that the range of a weight is found without decoding most of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.grids.grid import Grid
from weightmap.companions.packing.packed import Nibbles, SixBits
from weightmap.reading.elements import Codes, Elements, Spans, StoredElements
from weightmap.types.workspace import Workspace

WIDE = 64  # elements of a row at least
PIECE = 1 << 20  # codes, or scales, looked at in one go

Under = Callable[[NDArray[np.float32], int, int, Workspace], NDArray[np.float32]]
"""(numbers, first row of the grid, one past the last, workspace) to what codes of these numbers are under each of its scales:
(scales, numbers)."""


def limits(codes: Elements, grid: Grid, under: Under) -> Spans | None:
    """A span for every row of the grid; None where codes or scales may not be finite, or rows are too short to gain by it, or
    end where no read may end.
    """
    ends = _ends(codes, finite=True) if _worth(codes, grid) and grid.width % codes.grain == 0 else None
    found = None if ends is None else _limits(codes.count, grid, ends, under)
    if found is None:
        return None
    rows = codes.count // grid.width
    edges = np.minimum(np.arange(grid.down + 1) * grid.tall, grid.rows)
    starts = (np.arange(rows // grid.rows)[:, None] * grid.rows + edges[:-1]).reshape(-1) * grid.width
    return Spans(np.append(starts, codes.count), found[0].min(axis=1), found[1].max(axis=1))


def cell_limits(codes: Elements, grid: Grid, under: Under) -> Spans | None:
    """A span for every scale of a grid whose matrices begin with a row of it; what is no number among the codes has no part.

    None where scales may not be finite, or rows are too short.
    """
    ends = _ends(codes, finite=False) if _worth(codes, grid) else None
    found = None if ends is None else _limits(codes.count, grid, ends, under)
    if found is None:
        return None
    low, high = found[0].reshape(-1), found[1].reshape(-1)
    each = min(grid.tall, grid.rows) * min(grid.wide, grid.width)
    return Spans(np.arange(len(low) + 1) * each, low, high, partial(_rows, grid))


def _rows(grid: Grid, cell: int) -> tuple[NDArray[np.int64], int]:
    """(where each row of the codes of one scale begins, how many codes it has)."""
    line, place = divmod(cell, grid.across)
    matrix, inside = divmod(line, grid.down)
    top, left = inside * grid.tall, place * grid.wide
    rows = matrix * grid.rows + np.arange(top, min(top + grid.tall, grid.rows), dtype=np.int64)
    return rows * grid.width + left, min(grid.wide, grid.width - left)


def _worth(codes: Elements, grid: Grid) -> bool:
    return isinstance(codes, StoredElements) and codes.count >= grid.width >= WIDE and grid.across > 0


def _limits(
    count: int, grid: Grid, ends: tuple[float, float], under: Under
) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """The bounds of all scales, (rows of the grid, scales of a row); None where one of them is not finite."""
    lines = count // grid.width // grid.rows * grid.down
    low, high = np.empty((2, lines, grid.across), np.float32)
    step, work = max(PIECE // grid.across, 1), Workspace()
    with np.errstate(all="ignore"):
        for first in range(0, lines, step):
            last = min(first + step, lines)
            values = under(np.array(ends, np.float32), first, last, work).reshape(last - first, -1, 2)
            one, other = values[..., 0], values[..., 1]  # rounding keeps the order
            np.minimum(one, other, out=low[first:last])
            np.maximum(one, other, out=high[first:last])
    return (low, high) if np.isfinite(low).all() and np.isfinite(high).all() else None


def _ends(codes: Elements, *, finite: bool) -> tuple[float, float] | None:
    """The least and the largest number that a code can be; None where that is not known, or one has to be `finite` and is not."""
    assert isinstance(codes, StoredElements)
    if isinstance(codes.type, Nibbles):
        return codes.type.extremes
    if isinstance(codes.type, SixBits):
        return -codes.type.largest, codes.type.largest
    coded = codes.codes()
    if coded is None or len(coded.values) != 256:
        return None
    table = coded.values
    numbers = np.isfinite(table)
    first = int(np.flatnonzero(~numbers[:128])[:1].sum()) or None
    if finite and not numbers.all() and not _all_numbers(codes.count, coded, first):
        return None
    return float(table[numbers].min()), float(table[numbers].max())


def _all_numbers(count: int, coded: Codes, first: int | None) -> bool:
    """Whether every code of one byte has less than `first` in its seven lower bits: from there on they are no numbers."""
    if first is None:
        return False
    found = np.empty(min(PIECE, count), np.uint8)
    for start in range(0, count, PIECE):
        piece = found[: min(PIECE, count - start)]
        coded.read(start, start + len(piece), piece)
        if int(np.bitwise_and(piece, 127, out=piece).max()) >= first:
            return False
    return True
