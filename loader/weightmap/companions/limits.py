"""Between which values scales hold their codes: so that the range of a weight is found without decoding most of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.grid import Grid
from weightmap.companions.packed import Nibbles, SixBits
from weightmap.reading.elements import Codes, Elements, Spans, StoredElements

PIECE = 1 << 20  # codes, or scales, looked at in one go

Bounds = Callable[[float, float, int, int], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""(least code, largest code, first row of the grid, one past the last) to what these rows hold at the least and at the most."""


def limits(codes: Elements, grid: Grid, bounds: Bounds) -> Spans | None:
    """A span for every row of the grid; None where codes or scales may not be finite, or rows are too short to gain by it."""
    if not codes.count:
        return None
    rows = codes.count // grid.width
    if not isinstance(codes, StoredElements) or not rows or grid.width < 64 or not grid.across:
        return None
    ends = _ends(codes)
    if ends is None:
        return None
    lines = rows // grid.rows * grid.down
    edges = np.minimum(np.arange(grid.down + 1) * grid.tall, grid.rows)
    starts = (np.arange(rows // grid.rows)[:, None] * grid.rows + edges[:-1]).reshape(-1) * grid.width
    low, high = np.empty(lines, np.float32), np.empty(lines, np.float32)
    step = max(PIECE // grid.across, 1)
    with np.errstate(all="ignore"):
        for first in range(0, lines, step):
            last = min(first + step, lines)
            low[first:last], high[first:last] = bounds(*ends, first, last)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return None
    return Spans(np.append(starts, codes.count), low, high)


def _ends(codes: StoredElements) -> tuple[float, float] | None:
    """The least and the largest number that a code can be; None where one of the codes that are there is no number."""
    if isinstance(codes.type, Nibbles):
        return codes.type.extremes
    if isinstance(codes.type, SixBits):
        return -7.5, 7.5
    coded = codes.codes()
    if coded is None or len(coded.values) != 256:
        return None
    table = coded.values
    numbers = np.isfinite(table)
    if not numbers.all() and not _all_numbers(
        codes.count, coded, int(np.flatnonzero(~numbers[:128])[:1].sum()) or None
    ):
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
