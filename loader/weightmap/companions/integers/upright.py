"""Scales and zeros that are stored turned, as weights of GPTQ and AWQ are: rows of them are turned round once, for all reads.

A hundredth of the codes, they are asked for as often; and to turn a few thousand numbers takes numpy longer to begin than to do.
So rows are kept turned and decoded, where codes are kept as they lie (`companions.integers.bands`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.matrix import Rows, matrices
from weightmap.companions.integers.packed import Along, Codes
from weightmap.companions.integers.per_group import Grid
from weightmap.companions.integers.shelf import SHELF
from weightmap.companions.integers.stored import byte_rows
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
        for matrix, part, local in matrices(rows, self._height):
            sections = range(int(local[0]) // self._tall, int(local[-1]) // self._tall + 1)
            ends = np.searchsorted(local, [section * self._tall for section in (*sections, sections.stop)]).tolist()
            for section, begin, end in zip(sections, ends, ends[1:], strict=False):
                if begin < end:
                    self._put(matrix, section, local[begin:end], first, last, out[part][begin:end], work)
        return out

    def _put(
        self, matrix: int, section: int, rows: Rows, first: int, last: int, out: NDArray[Any], work: Workspace
    ) -> None:
        """Those of rows of one section, which is turned where it is not on the shelf."""
        key = self._owner, matrix, section, 0
        begin, end, top = int(rows[0]), int(rows[-1]) + 1, section * self._tall
        lines = np.arange(self._across, dtype=np.int64) + matrix * self._across
        if end - begin <= FEW and not SHELF.holds(key):
            np.copyto(out, self._turned(lines, begin, end, work)[rows - begin, first:last])
            return
        bottom = min(top + self._tall, self._height)
        nbytes = (bottom - top) * self._across * self._dtype.itemsize
        with SHELF.place(key, nbytes) as place:
            kept = place.buffer[:nbytes].view(self._dtype).reshape(-1, self._across)
            if not place.full:
                step = max(AT_ONCE // self._across, 1)
                for at in range(top, bottom, step):
                    until = min(at + step, bottom)
                    np.copyto(kept[at - top : until - top], self._turned(lines, at, until, work))
                place.full = True
            lie_together = end - begin == len(rows)
            np.copyto(out, kept[begin - top : end - top, first:last] if lie_together else kept[rows - top, first:last])


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
