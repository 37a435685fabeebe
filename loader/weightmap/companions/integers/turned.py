"""The transpose of what is stored, as GPTQ and AWQ keep their weights: a row of values is a column of the file.

Bands of columns (`companions.integers.bands`) are turned round a piece at a time; where codes are packed down the columns, as whole
words, so that several codes are moved at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weightmap.companions.integers.bands import Bands
from weightmap.companions.integers.matrix import clusters, matrices
from weightmap.companions.integers.packed import WORD, Along, Codes, Down
from weightmap.companions.packing import unpacking
from weightmap.companions.packing.stored import Rows
from weightmap.types.fields import Bytes
from weightmap.types.workspace import Workspace

CLOSE = 16  # rows that lie as close are read as one band


class Turned(Codes):
    """Rows are the `height` columns of each stored matrix of a stack, columns its `width` rows."""

    def __init__(self, of: Along | Down, height: int, width: int) -> None:
        self._of, self._height, self.bits, self.signed = of, height, of.bits, of.signed
        if isinstance(of, Down):
            self._bands = Bands(of.of, of.line_bytes, of.height)
        else:
            self._bands = Bands(of.of, of.row_bytes, width)

    def read(self, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Bands of stored columns, turned round."""
        parts = list(_close(rows, self._height))
        if len(parts) == 1:
            return self._band(parts[0][1], parts[0][2], left, right, work, name)
        out: Bytes = work.array(f"{name} turned", (len(rows), right - left), np.uint8)
        for place, matrix, local in parts:
            out[place] = self._band(matrix, local, left, right, work, name)
        return out

    def _band(self, matrix: int, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        begin, end = int(rows[0]), int(rows[-1]) + 1
        of = self._of
        if isinstance(of, Along):
            start, stop = of.span(begin, end)
            if of.order is not None and start % WORD == stop % WORD == 0:
                lines = work.array(f"{name} lines", ((stop - start) // WORD, right - left), "<u4")
                self._bands.put(matrix, left, start, lines.T, work)
                codes = unpacking.across(lines, of.bits, of.order, work, name)
                top = start // WORD * len(of.order)  # the row that the first word begins with
                return codes[begin - top : end - top] if end - begin == len(rows) else codes[rows - top]
            stored = self._bands.take(matrix, left, right, start, stop, work, f"{name} band")
            return turned(of.unpacked(stored, begin, end, work, name), rows - begin, work, f"{name} lines")
        first, last, top = of.lines(left, right)
        padded = -(-(last - first) // of.bits) * of.bits  # a whole number of units of eight codes
        lines = work.array(f"{name} lines", (end - begin, padded), "<u4")
        lines[:, last - first :] = 0
        self._bands.put(matrix, first, begin * WORD, lines[:, : last - first].T, work)
        picked = lines if end - begin == len(rows) else lines[rows - begin]
        return unpacking.dense(picked.view(np.uint8), of.bits, work, name)[:, left - top :][:, : right - left]


def _close(rows: Rows, height: int) -> Iterator[tuple[slice, int, Rows]]:
    """(where in `rows`, matrix, rows within it) of what is read as one band."""
    for matrix, part, local in matrices(rows, height):
        for run in clusters(local, CLOSE):
            yield slice(part.start + run.start, part.start + run.stop), matrix, local[run]


def turned(stored: Bytes, columns: Rows, work: Workspace, name: str) -> Bytes:
    """These columns of `stored` as rows."""
    out: Bytes = work.array(name, (len(columns), len(stored)), np.uint8)
    np.copyto(out, (stored if len(columns) == stored.shape[1] else stored[:, columns]).T)
    return out
