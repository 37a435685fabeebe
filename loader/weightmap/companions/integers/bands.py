"""Tall rectangles of stored matrices, for weights that are stored turned: a row of values is a column of what lies in the file.

Reading a few columns costs a read per stored row, however little it brings. So columns are read in wide bands, and the last
ones are kept on a shelf for the next rows, which lie beside: a pass in order reads everything about once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.packing.shelf import SHELF
from weightmap.companions.packing.stored import byte_rows
from weightmap.reading.elements import StoredElements
from weightmap.types.fields import Bytes
from weightmap.types.workspace import Workspace

BUDGET = (
    9 << 20
)  # bytes of a band: a weight of 4,096 × 4,096 has 8 MiB of codes, and one a little larger needs no second band
NARROW = 1 << 8  # bytes of each stored row that a band has at least
CACHE_LINE = 64  # bytes
AT_ONCE = 512  # lines turned at a time: each has a line of the cache there still when its next items are wanted
FEW = 4  # lines that are read by themselves


class Bands:
    """Stored rows ("lines") of `width` bytes, `height` of them in each matrix of a stack. Thread-safe."""

    def __init__(self, of: StoredElements, width: int, height: int) -> None:
        self._of, self._width, self._height = of, width, height
        self._tall = min(height, BUDGET // NARROW)
        self.wide = min(max(BUDGET // self._tall // 64 * 64, NARROW), width)
        self._owner = SHELF.owner(self)

    def take(self, matrix: int, first: int, last: int, begin: int, end: int, work: Workspace, name: str) -> Bytes:
        """Bytes begin:end of lines first:last of one matrix: (last - first, end - begin), in scratch memory."""
        out: Bytes = work.array(name, (last - first, end - begin), np.uint8)
        self.put(matrix, first, begin, out, work)
        return out

    def put(self, matrix: int, first: int, begin: int, out: NDArray[Any], work: Workspace) -> None:
        """The same from line `first` and byte `begin` on as items of any size into `out` (lines, items), which may be turned."""
        size = out.itemsize
        last, end = first + len(out), begin + out.shape[1] * size
        if last - first <= FEW and not SHELF.holds((self._owner, matrix, 0, 0)):
            lines = np.arange(first, last, dtype=np.int64) + matrix * self._height
            stored = byte_rows(self._of, lines * self._width + begin, end - begin, work, "few lines")
            np.copyto(out, stored.view(out.dtype))
            return
        for section in range(first // self._tall, (last - 1) // self._tall + 1):
            top = section * self._tall
            upper, lower = max(first, top), min(last, top + self._tall)
            for column in range(begin // self.wide, (end - 1) // self.wide + 1):
                left = column * self.wide
                one, other = max(begin, left), min(end, left + self.wide)
                piece = out[upper - first : lower - first, (one - begin) // size : (other - begin) // size]
                part = slice(upper - top, lower - top), slice(one - left, other - left)
                self._copy(matrix, section, column, part, piece, work)

    def _copy(
        self,
        matrix: int,
        section: int,
        column: int,
        part: tuple[slice, slice],
        out: NDArray[Any],
        work: Workspace,
    ) -> None:
        """A part of a band, which is read where it is not on the shelf."""
        top, left = section * self._tall, column * self.wide
        height, wide = min(self._tall, self._height - top), min(self.wide, self._width - left)
        nbytes = height * distance(wide)
        with SHELF.place((self._owner, matrix, section, column), nbytes) as place:
            band = place.buffer[:nbytes].reshape(height, -1)[:, :wide]
            if not place.full:
                lines = np.arange(top, top + height, dtype=np.int64) + matrix * self._height
                byte_rows(self._of, lines * self._width + left, wide, work, "band", band)
                place.full = True
            stored = band[part].view(out.dtype)
            for first in range(0, len(out), AT_ONCE):
                np.copyto(out[first : first + AT_ONCE], stored[first : first + AT_ONCE])


def distance(wide: int) -> int:
    """From line to line of so many bytes in memory: an odd number of lines of the cache, or lines would push each other out."""
    return (-(-wide // CACHE_LINE) | 1) * CACHE_LINE
