"""Elements in another order than they are stored in, worked out while they are read.

A converter reorders, joins and cuts tensors. Each class here does one such thing to the elements of a range when a pass
asks for it, so that a comparison streams and no reordered copy of a tensor is ever held. All are `Elements`, and nest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements
from weightmap.types.workspace import Workspace

Indices = NDArray[np.int64]
Shape = tuple[int, ...]
Edit = Callable[[NDArray[Any]], None]

BAND = 1 << 22  # elements of a transposed tensor to make at a time: each band reads all rows of the stored one


class Lazy(Elements):
    """What the classes below share. `level` keeps their scratch arrays apart when they nest."""

    integers = False

    def __init__(self, shape: Shape, grain: int, bases: Sequence[Elements]) -> None:
        self.shape, self.count, self.grain = shape, prod(shape), grain
        self.value = np.result_type(*(base.value for base in bases))
        self.level = 1 + max(getattr(base, "level", 0) for base in bases)

    def _scratch(self, work: Workspace, name: str, shape: Shape, value: np.dtype[Any] | None = None) -> NDArray[Any]:
        return work.array(f"{name} {self.level}", shape, value or self.value)

    def gather(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        """As `Elements.gather`, one run after the other."""
        for row, start in enumerate(starts.tolist()):
            read_range(self, start, start + length, out[row], work, f"run {self.level}")


class Part(Lazy):
    """The elements from `start` on, as `shape`: a cut, a slice of experts, or all of them in another shape."""

    def __init__(self, base: Elements, shape: Shape, start: int = 0) -> None:
        super().__init__(shape, base.grain if start % base.grain == 0 else 1, (base,))
        self._base, self._start = base, start

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read on from the part's start."""
        read_range(self._base, self._start + start, self._start + stop, out, work, f"part {self.level}")

    def gather(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        """Runs of the base."""
        self._base.gather(starts + self._start, length, out, work)


class Joined(Lazy):
    """Several elements one after the other: stacked experts, or queries, keys and values in one tensor."""

    def __init__(self, bases: Sequence[Elements], shape: Shape) -> None:
        grain = lcm(*(base.grain for base in bases))
        super().__init__(shape, gcd(grain, *(base.count for base in bases)), bases)
        self._bases = tuple(bases)
        self._ends = np.cumsum([base.count for base in bases])

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read what each base has of the range."""
        index = int(np.searchsorted(self._ends, start, side="right"))
        at = start
        while at < stop:
            base, end = self._bases[index], int(self._ends[index])
            until, first = min(stop, end), end - base.count
            target = out[at - start : until - start]
            if base.value == self.value:
                read_range(base, at - first, until - first, target, work, f"join {self.level}")
            else:
                values = self._scratch(work, "joined", (until - at,), base.value)
                read_range(base, at - first, until - first, values, work, f"join {self.level}")
                np.copyto(target, values)
            at, index = until, index + 1


class Reordered(Lazy):
    """Rows of `width` elements in another order, some of them left out: row i is row `rows[i]` of the base."""

    def __init__(self, base: Elements, width: int, rows: Indices, shape: Shape) -> None:
        super().__init__(shape, max(width, 1), (base,))
        self._base, self._width, self._rows = base, width, rows

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Gather the rows in rising order, then put each in its place."""
        self._place(self._rows[start // self._width : stop // self._width] * self._width, self._width, out, work)

    def gather(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        """Runs inside rows are runs inside rows of the base."""
        rows, offsets = np.divmod(starts, self._width)
        if int(offsets.max(initial=0)) + length > self._width:
            super().gather(starts, length, out, work)
        else:
            self._place(self._rows[rows] * self._width + offsets, length, out, work)

    def _place(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        order = np.argsort(starts, kind="stable")
        values = self._scratch(work, "rows", (len(starts), length))
        self._base.gather(starts[order], length, values, work)
        out.reshape(len(starts), length)[order] = values


class Columns(Lazy):
    """Every row of `width` elements reduced to, or reordered by, the given columns."""

    def __init__(self, base: Elements, width: int, columns: Indices, shape: Shape) -> None:
        super().__init__(shape, len(columns), (base,))
        self._base, self._width, self._columns = base, width, columns

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read whole rows of the base and pick."""
        first, last = start // self.grain, stop // self.grain
        values = self._scratch(work, "columns", (last - first, self._width))
        read_range(self._base, first * self._width, last * self._width, values.reshape(-1), work, f"pick {self.level}")
        np.take(values, self._columns, axis=1, out=out.reshape(last - first, self.grain), mode="clip")


class Transposed(Lazy):
    """Each matrix of (rows, columns) of the base turned round: (batch, rows, columns) becomes (batch, columns, rows)."""

    def __init__(self, base: Elements, rows: int, columns: int, shape: Shape) -> None:
        super().__init__(shape, max(rows, 1), (base,))
        self._base, self._rows, self._columns = base, rows, columns

    def chunk(self) -> int:
        """Wide bands, since each one reads through all rows of the base."""
        return max(min(BAND, self.count) // self.grain, 1) * self.grain

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Take a band of columns of the base, some rows at a time."""
        line, last = start // self.grain, stop // self.grain
        lines = out.reshape(last - line, self.grain)
        at = 0
        while line < last:
            matrix, column = divmod(line, self._columns)
            wide = min(last - line, self._columns - column)
            self._band(matrix, column, lines[at : at + wide], work)
            line, at = line + wide, at + wide

    def _band(self, matrix: int, column: int, lines: NDArray[Any], work: Workspace) -> None:
        wide, piece = len(lines), max((1 << 17) // len(lines), 1)
        for row in range(0, self._rows, piece):
            height = min(piece, self._rows - row)
            starts = (matrix * self._rows + row + np.arange(height, dtype=np.int64)) * self._columns + column
            values = self._scratch(work, "band", (height, wide))
            self._base.gather(starts, wide, values, work)
            lines[:, row : row + height] = values.T

    def gather(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        """Runs of one offset and matrix share the rows that they cross."""
        lines, offsets = np.divmod(starts, self._rows)
        matrices, columns = np.divmod(lines, self._columns)
        if int(offsets.max(initial=0)) + length > self._rows:
            super().gather(starts, length, out, work)
            return
        for key in np.unique(matrices * self._rows + offsets).tolist():
            chosen = np.flatnonzero(matrices * self._rows + offsets == key)
            first = int(columns[chosen].min())
            wide = int(columns[chosen].max()) + 1 - first
            values = self._scratch(work, "band", (length, wide))
            self._base.gather((key + np.arange(length, dtype=np.int64)) * self._columns + first, wide, values, work)
            out[chosen] = values[:, columns[chosen] - first].T


class Edited(Lazy):
    """Every element changed in place by `edit`, which gets float32 or float64 arrays."""

    def __init__(self, base: Elements, edit: Edit) -> None:
        super().__init__(base.shape, base.grain, (base,))
        self._base, self._edit = base, edit

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read, then change."""
        self._base.read(start, stop, out, work)
        self._edit(out)

    def gather(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        """Gather, then change."""
        self._base.gather(starts, length, out, work)
        self._edit(out)

    def chunk(self) -> int:
        """As the base likes it."""
        return self._base.chunk()


def read_range(base: Elements, start: int, stop: int, out: NDArray[Any], work: Workspace, name: str) -> None:
    """Elements start:stop of the base, wherever its grain lies; `name` is that of a scratch array for what is too much."""
    first = start // base.grain * base.grain
    last = min(-(-stop // base.grain) * base.grain, base.count)
    if (first, last) == (start, stop):
        base.read(start, stop, out, work)
        return
    values = work.array(name, (last - first,), base.value)
    base.read(first, last, values, work)
    out[...] = values[start - first : stop - first].reshape(out.shape)
