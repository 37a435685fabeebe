"""Scales and zeros that are stored turned, as weights of GPTQ and AWQ are: rows of them are turned round once, for all reads.

A hundredth of the codes, they are asked for as often; and to turn a few thousand numbers takes numpy longer to begin than to do.
So rows are kept turned and decoded, where codes are kept as they lie (`companions.integers.bands`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.packed import Along, Codes
from weightmap.companions.integers.per_group import Grid
from weightmap.companions.packing.shelf import SHELF
from weightmap.companions.packing.stored import Rows, byte_rows
from weightmap.reading.elements import StoredElements
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace

ROOM = 1 << 20  # bytes of the rows that are turned together
AT_ONCE = 1 << 16  # numbers turned at a time
FEW = 4  # rows that are read by themselves


class Upright(ABC):
    """Rows of `groups` numbers of a dtype, `height` of them in each matrix of a stack. Thread-safe."""

    def __init__(self, of: StoredElements, groups: int, height: int, dtype: type[np.generic]) -> None:
        self._stored, self._across, self._height, self._dtype = of, groups, height, np.dtype(dtype)
        self._tall = min(max(ROOM // max(groups * self._dtype.itemsize, 1), 1), height)
        self._owner = SHELF.owner(self)

    @abstractmethod
    def _turned(self, lines: Rows, begin: int, end: int, work: Workspace) -> NDArray[Any]:
        """Numbers begin:end of these stored lines, one for each group of a matrix: (end - begin, groups), of any layout."""

    def _take(self, rows: Rows, first: int, last: int, work: Workspace, name: str) -> NDArray[Any]:
        """Numbers first:last of the rising `rows`, in scratch memory."""
        out = work.array(f"{name} upright", (len(rows), last - first), self._dtype)
        at = 0
        while at < len(rows):
            matrix, row = divmod(int(rows[at]), self._height)
            section = row // self._tall
            end = matrix * self._height + min((section + 1) * self._tall, self._height)
            until = len(rows) if int(rows[-1]) < end else int(np.searchsorted(rows, end))
            self._put(matrix, section, rows[at:until], first, last, out[at:until], work)
            at = until
        return out

    def _put(
        self, matrix: int, section: int, rows: Rows, first: int, last: int, out: NDArray[Any], work: Workspace
    ) -> None:
        """Those of rows of one section, which is turned where it is not on the shelf."""
        key = self._owner, matrix, section, 0
        above, top = matrix * self._height, section * self._tall
        begin, end = int(rows[0]) - above, int(rows[-1]) + 1 - above
        if end - begin <= FEW and not SHELF.holds(key):
            np.copyto(out, self._lines(matrix, begin, end, work)[rows - above - begin, first:last])
            return
        bottom = min(top + self._tall, self._height)
        nbytes = (bottom - top) * self._across * self._dtype.itemsize
        with SHELF.place(key, nbytes) as place:
            kept = place.buffer[:nbytes].view(self._dtype).reshape(-1, self._across)
            if not place.full:
                step = max(AT_ONCE // self._across, 1)
                for at in range(top, bottom, step):
                    until = min(at + step, bottom)
                    np.copyto(kept[at - top : until - top], self._lines(matrix, at, until, work))
                place.full = True
            together = end - begin == len(rows)
            picked = slice(begin - top, end - top) if together else rows - above - top
            np.copyto(out, kept[picked, first:last])

    def _lines(self, matrix: int, begin: int, end: int, work: Workspace) -> NDArray[Any]:
        lines = np.arange(self._across, dtype=np.int64) + matrix * self._across
        return self._turned(lines, begin, end, work)


class TurnedGrid(Upright, Grid):
    """Numbers stored by groups: (groups, rows) for each matrix of a stack of `height` rows each."""

    def __init__(self, of: StoredElements, groups: int, height: int) -> None:
        Grid.__init__(self, of, groups)
        Upright.__init__(self, of, groups, height, np.float32)

    def read(self, rows: Rows, first: int, last: int, work: Workspace, name: str) -> Floats:
        """Float32 (len(rows), last - first): stored columns, turned round."""
        return self._take(rows, first, last, work, name)

    def _turned(self, lines: Rows, begin: int, end: int, work: Workspace) -> NDArray[Any]:
        size = self.of.type.bytes
        stored = byte_rows(self.of, (lines * self._height + begin) * size, (end - begin) * size, work, "turned numbers")
        values = work.array("turned values", (len(lines), end - begin), self.of.value)
        self.of.type.decode(stored.reshape(-1, size), values.reshape(-1, 1), work)
        with np.errstate(over="ignore", invalid="ignore"):
            return values.T.astype(np.float32, copy=False)


class TurnedZeros(Upright, Codes):
    """Codes packed along lines that are stored by groups."""

    def __init__(self, of: Along, groups: int, height: int) -> None:
        super().__init__(of.of, groups, height, np.uint8)
        self._of, self.bits, self.signed = of, of.bits, of.signed

    def read(self, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Stored columns, turned round."""
        return self._take(rows, left, right, work, name)

    def _turned(self, lines: Rows, begin: int, end: int, work: Workspace) -> NDArray[Any]:
        return self._of.read(lines, begin, end, work, "turned zeros").T
