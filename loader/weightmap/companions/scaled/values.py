"""Codes times scales: the arithmetic of most schemes, over any range of elements, without ever holding codes or scales as a whole.

x = (code - zero) * scale + offset, in float32, one rounding for each operation in this order. Where scales are scaled themselves,
their product (or quotient) with the second scale is rounded first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.companions.codes import code_text, number_text
from weightmap.companions.counting.counted import counted, counted_alike
from weightmap.companions.counting.joint import Joint, joint
from weightmap.companions.grids.factors import Second, spread
from weightmap.companions.grids.grid import Grid, whole_rows
from weightmap.companions.grids.limits import limits
from weightmap.companions.packing.whole import Whole, whole
from weightmap.reading.elements import Codes, Elements, Numbered, Spans, Tallying
from weightmap.reading.sweep import workspace
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace

SCATTERED = 1 << 14  # elements of short runs that are worked on at a time
FLOAT: np.dtype[Any] = np.dtype(np.float32)

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Piece = Callable[[Indices, int, NDArray[Any], Workspace], None]


class Scaled(Values):
    """Elements of codes, each times the scale of its place.

    codes   in the weight's shape, read as float32
    scales  as many as the grid has, in its order; zeros and offsets likewise, or None
    """

    def __init__(
        self,
        codes: Elements,
        scales: Elements,
        grid: Grid,
        *,
        zeros: Elements | None = None,
        second: Second | None = None,
        offsets: Elements | None = None,
    ) -> None:
        self.shape, self.count, self.grain = codes.shape, codes.count, codes.grain
        self._codes, self._scales, self._zeros, self._offsets = codes, scales, zeros, offsets
        self._grid, self._second, self.group = grid, second, grid.over(codes.shape)
        self._alone = scales.count == 1  # one scale for all

    def chunk(self) -> int:
        """Whole rows, where they are not longer than that."""
        return whole_rows(super().chunk(), lcm(self._grid.width, self.grain))

    def layers(self) -> Mapping[str, Elements]:
        """Codes, scales, zeros and offsets as they are before anything is multiplied."""
        found = {"codes": self._codes, "scales": self._scales, "zeros": self._zeros, "offsets": self._offsets}
        return {name: layer for name, layer in found.items() if layer is not None}

    def codes(self) -> Codes | None:
        """With one scale for all, codes as stored; with scales of a byte, each joined with the byte of its scale."""
        if self._zeros is not None or self._offsets is not None:
            return None
        if self._alone:
            if (coded := self._codes.codes()) is None:
                return None
            with np.errstate(all="ignore"):
                scale = self._lines(np.zeros(1, np.int64), 0, 1, Workspace())[0, 0]
                return coded._replace(values=coded.values * scale)
        found = joint(self._codes, self._scales, self._second, self.count)
        return None if found is None else Codes(found.values, partial(self._read_joint, found))

    def _read_joint(self, joint: Joint, start: int, stop: int, out: NDArray[Any]) -> None:
        with workspace() as work:
            joint.read(start, stop, out, work)
            self._each(start, out, work, partial(self._join, joint))

    def _join(self, joint: Joint, rows: Indices, column: int, codes: NDArray[Any], work: Workspace) -> None:
        lines, first, last, skip = self._grid.place(rows, column, codes.shape[1])
        marks = self._taken(joint.scales, lines, first, last, "marks", work, np.dtype(np.uint16))
        np.multiply(marks, np.uint16(joint.step), out=marks)
        spread(np.add, codes, marks, self._grid.wide, skip)

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Decode the codes, then take the rows one part after the other: the end of one, whole ones, the beginning of one."""
        self._codes.read(start, stop, out, work)
        self._each(start, out, work, self._piece)

    @quiet
    def gather(self, starts: Indices, length: int, out: NDArray[Any], work: Workspace) -> None:
        """Runs that begin in one column have their scales gathered as well; of others each element has its own looked up."""
        self._codes.gather(starts, length, out, work)
        if not len(starts) or not length:
            return
        rows, columns = np.divmod(starts, self._grid.width)
        column = int(columns[0])
        if not (columns != column).any() and column + length <= self._grid.width:
            self._piece(rows, column, out, work)
        elif length >= SCATTERED:
            for row, start in enumerate(starts.tolist()):
                self._each(start, out[row], work, self._piece)
        else:
            step = max(SCATTERED // length, 1)
            for at in range(0, len(starts), step):
                places = starts[at : at + step, None] + np.arange(length)
                self._scattered(places.reshape(-1), out[at : at + step].reshape(-1), work)

    def tallying(self) -> Tallying | None:
        """Where codes of a byte share each scale with many others: these are counted, and the values of 256 codes computed."""
        return counted(self._codes, self._grid, self._under)

    def numbered(self) -> Numbered | None:
        """Where scales come up again and again, and values are nothing but their products with codes."""
        bare = self._zeros is None and self._offsets is None and self._second is None
        return counted_alike(self._codes, self._scales, self._grid) if bare else None

    @quiet
    def _under(self, numbers: Floats, first: int, last: int, work: Workspace) -> Floats:
        """What codes of these numbers are under each scale of rows first:last of the grid: (scales, numbers)."""
        values = work.array("under scales", ((last - first) * self._grid.across, len(numbers)), np.float32)
        values[...] = numbers
        for operation, factors in self._steps(np.arange(first, last), 0, self._grid.across, work):
            operation(values, factors.reshape(-1, 1), out=values)
        return values

    def whole(self) -> Whole | None:
        """Codes that are whole numbers, where each row has one scale or all have, and how these are applied; else None."""
        per_row = self._alone or self._grid.wide >= self._grid.width
        if not per_row or self._zeros is not None or self._offsets is not None or self._second is not None:
            return None
        return whole(self._codes, partial(self._each, piece=self._piece))

    def _each(self, start: int, values: NDArray[Any], work: Workspace, piece: Piece) -> None:
        """Do the same to the elements from `start` on, a rectangle at a time: (rows, first column, elements, workspace)."""
        width = self._grid.width
        row, column = divmod(start, width)
        at = 0
        if column:
            at = min(width - column, len(values))
            piece(np.array([row]), column, values[:at].reshape(1, -1), work)
            row += 1
        whole = (len(values) - at) // width
        if whole:
            rows = np.arange(row, row + whole)
            piece(rows, 0, values[at : at + whole * width].reshape(whole, width), work)
            at, row = at + whole * width, row + whole
        if at < len(values):
            piece(np.array([row]), 0, values[at:].reshape(1, -1), work)

    def _piece(self, rows: Indices, column: int, values: Floats, work: Workspace) -> None:
        """Codes (rows, columns from `column` on) to values, in place."""
        lines, first, last, skip = self._grid.place(rows, column, values.shape[1])
        for operation, factors in self._steps(lines, first, last, work):
            spread(operation, values, factors, self._grid.wide, skip)

    def _steps(self, lines: Indices, first: int, last: int, work: Workspace) -> Iterator[tuple[np.ufunc, Floats]]:
        """What is done to codes, one after the other, with numbers `first` to `last` of these rows of the grid."""
        if self._zeros is not None:
            yield np.subtract, self._taken(self._zeros, lines, first, last, "zeros", work)
        yield np.multiply, self._lines(lines, first, last, work)
        if self._offsets is not None:
            yield np.add, self._taken(self._offsets, lines, first, last, "offsets", work)

    def _scattered(self, places: Indices, values: Floats, work: Workspace) -> None:
        """Codes of elements anywhere to values, in place."""
        rows, columns = np.divmod(places, self._grid.width)
        lines = self._grid.lines(rows)
        picked, where = np.unique(lines * self._grid.across + columns // self._grid.wide, return_inverse=True)

        def each(source: Elements, scale: bool = False) -> Floats:
            found = np.empty((len(picked), 1), source.value)
            source.gather(picked, 1, found, work)
            factors: Floats = found.astype(np.float32, copy=False)
            if scale and self._second is not None:
                self._second.apply(factors, picked // self._grid.across, self._grid.down)
            return np.asarray(factors[where, 0])

        if self._zeros is not None:
            np.subtract(values, each(self._zeros), out=values)
        np.multiply(values, each(self._scales, scale=True), out=values)
        if self._offsets is not None:
            np.add(values, each(self._offsets), out=values)

    def _lines(self, lines: Indices, first: int, last: int, work: Workspace) -> Floats:
        """Scales `first` to `last` of these rows of scales, the second scale applied."""
        scales = self._taken(self._scales, lines, first, last, "scales", work)
        if self._second is not None:
            self._second.apply(scales, lines, self._grid.down)
        return scales

    def _taken(
        self,
        source: Elements,
        lines: Indices,
        first: int,
        last: int,
        name: str,
        work: Workspace,
        dtype: np.dtype[Any] = FLOAT,
    ) -> NDArray[Any]:
        """Columns first:last of rows of the grid, read once however many rows of elements share them."""
        across = self._grid.across
        begin, end = int(lines[0]), int(lines[-1]) + 1
        if end - begin > 2 * len(lines):  # far apart: only those
            picked, place = np.unique(lines, return_inverse=True)
        else:
            picked, place = np.arange(begin, end), lines - begin
        found = work.array(f"grid {name}", (len(picked), last - first), source.value)
        if last - first == across and end - begin == len(picked):
            source.read(begin * across, end * across, found.reshape(-1), work)
        else:
            source.gather(picked * across + first, last - first, found, work)
        if len(picked) == len(lines) and found.dtype == dtype:
            return found
        values = work.array(f"grid rows {name}", (len(lines), last - first), dtype)
        np.copyto(values, found[place], casting="same_kind")
        return values

    def spans(self) -> Spans | None:
        """Rows that share scales: between which values their scales hold them."""
        return limits(self._codes, self._grid, self._under)

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """Code, zero, scale and second scale of one value, and the value itself."""
        work, at = Workspace(), self._grid.flat(flat)
        rows = [("code", code_text(self._codes, flat))]
        if self._zeros is not None:
            rows.append(("zero", number_text(self._zeros, at)))
        place = np.unravel_index(at, self._scales.shape) if prod(self._scales.shape) > 1 else ()
        where = f" [{', '.join(map(str, place))}]" if place else ""
        rows.append((f"scale{where}", number_text(self._scales, at)))
        if self._second is not None:
            index = at // self._grid.across // self._grid.down if len(self._second.values) > 1 else 0
            sign = "÷" if self._second.divides else "×"
            rows.append((f"{self._second.name} ({sign})", repr(float(self._second.values[index]))))
        if self._offsets is not None:
            rows.append(("offset", number_text(self._offsets, at)))
        value = np.empty((1, 1), np.float32)
        self.gather(np.array([flat]), 1, value, work)
        return [*rows, ("value", str(value[0, 0]))]
