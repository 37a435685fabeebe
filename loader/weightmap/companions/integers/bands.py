"""Tall rectangles of stored matrices, for weights that are stored turned: a row of values is a column of what lies in the file.

Reading a few columns costs a read per stored row, however little it brings. So columns are read in wide bands, and the last
ones are kept for the next rows, which lie beside: a pass in order reads everything about once.
"""

from __future__ import annotations

import threading

import numpy as np

from weightmap.companions.integers.stored import byte_rows
from weightmap.reading.elements import StoredElements
from weightmap.types.fields import Bytes
from weightmap.types.workspace import Workspace

BUDGET = 1 << 22  # bytes of a band
KEPT = 2  # bands: threads of a pass are in one or in two neighbours
NARROW = 1 << 8  # bytes of each stored row that a band has at least
PADDING = 64  # bytes after each line in memory: with distances of a power of two, lines would push each other out of the cache
FEW = 4  # lines that are read by themselves


class Bands:
    """Stored rows ("lines") of `width` bytes, `height` of them in each matrix of a stack. Thread-safe."""

    def __init__(self, of: StoredElements, width: int, height: int) -> None:
        self._of, self._width, self._height = of, width, height
        self._tall = min(height, BUDGET // NARROW)
        self.wide = min(max(BUDGET // self._tall // 64 * 64, NARROW), width)
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, int, int], Bytes] = {}

    def take(self, matrix: int, first: int, last: int, begin: int, end: int, work: Workspace, name: str) -> Bytes:
        """Bytes begin:end of lines first:last of one matrix: (last - first, end - begin), not to be written to."""
        if last - first <= FEW and (matrix, 0, 0) not in self._kept:
            lines = np.arange(first, last, dtype=np.int64) + matrix * self._height
            return byte_rows(self._of, lines * self._width + begin, end - begin, work, name)
        sections = range(first // self._tall, (last - 1) // self._tall + 1)
        columns = range(begin // self.wide, (end - 1) // self.wide + 1)
        if len(sections) == 1 and len(columns) == 1:
            top, left = sections[0] * self._tall, columns[0] * self.wide
            return self._band(matrix, sections[0], columns[0])[first - top : last - top, begin - left : end - left]
        out: Bytes = work.array(name, (last - first, end - begin), np.uint8)
        for section in sections:
            top = section * self._tall
            upper, lower = max(first, top), min(last, top + self._tall)
            for column in columns:
                left = column * self.wide
                one, other = max(begin, left), min(end, left + self.wide)
                piece = self._band(matrix, section, column)[upper - top : lower - top, one - left : other - left]
                out[upper - first : lower - first, one - begin : other - begin] = piece
        return out

    def _band(self, matrix: int, section: int, column: int) -> Bytes:
        key = matrix, section, column
        with self._lock:
            band = self._kept.pop(key, None)
            if band is None:
                while len(self._kept) >= KEPT:
                    self._kept.pop(next(iter(self._kept)))
                band = self._read(*key)
            self._kept[key] = band  # the last one used is the last to go
            return band

    def _read(self, matrix: int, section: int, column: int) -> Bytes:
        top, left = section * self._tall, column * self.wide
        lines = np.arange(top, min(top + self._tall, self._height), dtype=np.int64) + matrix * self._height
        wide = min(self.wide, self._width - left)
        band: Bytes = np.empty((len(lines), wide + PADDING), np.uint8)[:, :wide]
        byte_rows(self._of, lines * self._width + left, wide, Workspace(), "band", band)
        band.flags.writeable = False
        return band
