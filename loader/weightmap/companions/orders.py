"""Companions whose numbers do not lie in the order of the weight's rows: read in that order, a band of rows at a time."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.workspace import Workspace

TILE_ROWS, TILE_COLUMNS = 128, 4
NEAR = 64  # rows for each one that is asked for: what lies between is read as well


class Swizzled(Elements):
    """Scales (rows, columns) that lie in tiles of 128 × 4, as matrix units read them; the stored ones are padded to whole tiles.

    In a tile the scale of row r and column c is number (r % 32) * 16 + r // 32 * 4 + c. One band of tiles is read at a time.
    """

    integers = False
    grain = 1

    def __init__(self, stored: Elements, rows: int, columns: int) -> None:
        self.shape, self.count, self.value = (rows, columns), rows * columns, stored.value
        self.stored, self._padded = stored, -(-columns // TILE_COLUMNS) * TILE_COLUMNS

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Put each band that the range touches in order, and take from it what is asked for."""
        at = start
        while at < stop:
            band, inside = divmod(at, TILE_ROWS * self.shape[1])
            until = min(stop, (band + 1) * TILE_ROWS * self.shape[1])
            found = self._band(band, work)[:, : self.shape[1]].reshape(-1)
            out[at - start : until - start] = found[inside : inside + until - at]
            at = until

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Runs within rows are taken together from each band; others one by one."""
        rows, columns = np.divmod(starts, self.shape[1])
        if not len(starts) or (columns + length > self.shape[1]).any():
            for at, start in enumerate(starts.tolist()):
                self.read(start, start + length, out[at], work)
            return
        bands = rows // TILE_ROWS
        for band in np.unique(bands).tolist():
            chosen = np.flatnonzero(bands == band)
            places = columns[chosen, None] + np.arange(length)
            out[chosen] = np.take_along_axis(self._band(band, work)[rows[chosen] % TILE_ROWS], places, axis=1)

    def _band(self, band: int, work: Workspace) -> NDArray[Any]:
        """All scales of 128 rows, (128, padded columns)."""
        size = TILE_ROWS * self._padded
        values = work.array("swizzled", (size,), self.value)
        self.stored.read(band * size, (band + 1) * size, values, work)
        tiles = values.reshape(-1, 32, 4, TILE_COLUMNS)  # (tile, r % 32, r // 32, column)
        ordered = work.array("swizzled rows", (4, 32, len(tiles), TILE_COLUMNS), self.value)
        np.copyto(ordered, tiles.transpose(2, 1, 0, 3))
        return ordered.reshape(TILE_ROWS, self._padded)


class Turned(Elements):
    """Numbers stored as (columns, rows), read as (rows, columns)."""

    grain = 1

    def __init__(self, stored: StoredElements) -> None:
        columns, rows = stored.shape
        self.shape, self.count = (rows, columns), prod(stored.shape)
        self.value, self.integers = stored.value, stored.integers
        self._stored = stored

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read the columns of the stored matrix that hold these rows."""
        rows, columns = self.shape
        first, last = start // columns, -(-stop // columns)
        values = work.array("turned", (columns, last - first), self.value)
        starts = np.arange(columns, dtype=np.int64) * rows + first
        self._stored.gather(starts, last - first, values, work)
        skip = start - first * columns
        out[...] = values.T.reshape(-1)[skip : skip + stop - start]

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Runs that begin in one column are rows of a piece of the stored matrix, where they lie near each other."""
        rows, columns = np.divmod(starts, self.shape[1])
        near = len(starts) and int(rows[-1] - rows[0]) < NEAR * len(starts)
        if not near or (columns != columns[0]).any() or int(columns[0]) + length > self.shape[1]:
            super().gather(starts, length, out, work)
            return
        first, many = int(rows[0]), int(rows[-1] - rows[0]) + 1
        values = work.array("turned", (length, many), self.value)
        begins = (int(columns[0]) + np.arange(length, dtype=np.int64)) * self.shape[0] + first
        self._stored.gather(begins, many, values, work)
        out[...] = values[:, rows - first].T


def padded_shape(rows: int, columns: int) -> tuple[int, int]:
    """Shape of swizzled scales as they are stored."""
    return -(-rows // TILE_ROWS) * TILE_ROWS, -(-columns // TILE_COLUMNS) * TILE_COLUMNS
