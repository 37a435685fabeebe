"""Companions whose numbers do not lie in the order of the weight's rows: read in that order, a band of rows at a time."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.workspace import Workspace

TILE_ROWS, TILE_COLUMNS = 128, 4
SHARE = 32  # neighbouring rows of a tile that are stored 16 bytes apart
NEAR = 64  # rows for each one that is asked for: what lies between is read as well


class Swizzled(Elements):
    """Scales (rows, columns) that lie in tiles of 128 × 4, as matrix units read them; the stored ones are padded to whole tiles.

    In a tile the scale of row r and column c is number (r % 32) * 16 + r // 32 * 4 + c. A scale is one byte, so that four
    columns are put in order as one word, before they are decoded.
    """

    integers = False
    grain = 1

    def __init__(self, stored: StoredElements, rows: int, columns: int) -> None:
        self.shape, self.count, self.value = (rows, columns), rows * columns, stored.value
        self.stored, self._tiles = stored, -(-columns // TILE_COLUMNS)

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Put the rows of each band of tiles that the range touches in order, and take from them what is asked for."""
        columns = self.shape[1]
        for band in range(start // (TILE_ROWS * columns), (stop - 1) // (TILE_ROWS * columns) + 1):
            top = band * TILE_ROWS
            first, last = max(start // columns, top), min(-(-stop // columns), top + TILE_ROWS)
            begin, end = max(start, first * columns), min(stop, last * columns)
            found = self._rows(first, last, work)[:, :columns]
            target, inside = out[begin - start : end - start], begin - first * columns
            if len(target) == found.size:
                np.copyto(target.reshape(found.shape), found)
            else:
                target[...] = found.reshape(-1)[inside : inside + len(target)]

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
            first, last = int(rows[chosen[0]]), int(rows[chosen[-1]]) + 1
            places = columns[chosen, None] + np.arange(length)
            out[chosen] = np.take_along_axis(self._rows(first, last, work)[rows[chosen] - first], places, axis=1)

    def _rows(self, first: int, last: int, work: Workspace) -> NDArray[Any]:
        """All scales of rows first:last of one band, (last - first, padded columns)."""
        size, top = TILE_ROWS * TILE_COLUMNS * self._tiles, first // TILE_ROWS * TILE_ROWS
        stored = work.array("swizzled", (size,), np.uint8)
        self.stored.read_stored(first // TILE_ROWS * size, (first // TILE_ROWS + 1) * size, stored)
        tiles = stored.view(np.uint32).reshape(self._tiles, SHARE, TILE_ROWS // SHARE)  # (tile, r % 32, r // 32)
        ordered = work.array("swizzled rows", (last - first, self._tiles), np.uint32)
        for share in range((first - top) // SHARE, (last - 1 - top) // SHARE + 1):
            begin, end = max(first - top, share * SHARE), min(last - top, (share + 1) * SHARE)
            lines = tiles[:, begin - share * SHARE : end - share * SHARE, share]
            np.copyto(ordered[begin + top - first : end + top - first], lines.T)
        values = work.array("swizzled values", (last - first, self._tiles * TILE_COLUMNS), self.value)
        self.stored.type.decode(ordered.view(np.uint8).reshape(-1, 1), values.reshape(-1, 1), work)
        return values


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
