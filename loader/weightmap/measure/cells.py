"""Cells of a picture under way: what each reduction keeps of the elements seen so far, and how tiles are added to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

REDUCTIONS = ("max_abs", "mean", "rms")

SMALL, LARGE = 1e-280, 1e290  # a smaller sum of squares may have lost some, a larger sum has no room for others

Grid = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One tile, reduced: what to add to the cells from row `top` and column `left` on.

    exponents  None, or for each cell the power of two that its values were divided by before they were added up
    """

    top: int
    left: int
    first: Grid
    second: Grid
    bad: Grid | None
    exponents: Grid | None = None


class Cells:
    """A grid of running reductions.

    Largest magnitude keeps minimum and maximum; mean and root mean square keep a float64 sum (of squares) and a count. Where
    that sum would leave float64, as only doubles make it, each cell's values are divided by a power of two of their size.
    """

    def __init__(self, row_edges: NDArray[np.int64], column_edges: NDArray[np.int64], reduction: str) -> None:
        self._row_edges, self._column_edges = row_edges, column_edges
        size = (len(row_edges) - 1, len(column_edges) - 1)
        self._extremes = reduction == "max_abs"
        if self._extremes:
            self._first, self._second = np.full(size, np.inf, np.float64), np.full(size, -np.inf, np.float64)
        else:
            self._first, self._second = np.zeros(size, np.float64), np.zeros(size, np.int64)
        self._bad = np.zeros(size, np.bool_)
        self._power = 2 if reduction == "rms" else 1
        self._exponents: Grid | None = None  # until a part has some

    def reduced(self, values: Grid, rows: NDArray[np.int64], left: int, work: Workspace) -> Part:
        """Reduce a tile: `values` (rows, columns) of these rising rows, from column `left` on."""
        top, row_starts = _starts(self._row_edges, rows)
        first_column, column_starts = _starts(
            self._column_edges, np.arange(left, left + values.shape[1], dtype=np.int64)
        )
        bad = None
        if values.dtype.kind == "f" and not (np.isfinite(values.min()) and np.isfinite(values.max())):
            finite = np.isfinite(values)
            bad = _reduced(np.logical_or, ~finite, row_starts, column_starts)
        else:
            finite = None
        if self._extremes:
            low, high = (
                (values, values) if finite is None else (np.where(finite, values, fill) for fill in (np.inf, -np.inf))
            )
            return Part(
                top,
                first_column,
                _reduced(np.minimum, low, row_starts, column_starts),
                _reduced(np.maximum, high, row_starts, column_starts),
                bad,
            )
        wide = work.array("wide", values.shape, np.float64)
        np.copyto(wide, values if finite is None else np.where(finite, values, 0))
        if self._power == 2:
            with np.errstate(over="ignore"):
                np.multiply(wide, wide, out=wide)
        if finite is None:
            heights = np.diff(np.append(row_starts, values.shape[0]))
            widths = np.diff(np.append(column_starts, values.shape[1]))
            number = heights[:, None] * widths
        else:
            number = _reduced(np.add, finite.astype(np.int64), row_starts, column_starts)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = _reduced(np.add, wide, row_starts, column_starts)
        exponents = None
        if values.dtype == np.float64 and self._left(sums):
            np.copyto(wide, values if finite is None else np.where(finite, values, 0))
            sums, exponents = _scaled(wide, self._power, row_starts, column_starts)
        return Part(top, first_column, sums, number, bad, exponents)

    def _left(self, sums: Grid) -> bool:
        """Whether one of these sums left the range of float64, or came near its ends."""
        low, high = sums.min(), sums.max()
        return not (low > -LARGE and high < LARGE) or (self._power == 2 and bool(low < SMALL))  # a NaN is not within

    def join(self, part: Part) -> None:
        """Add a reduced tile. Not thread-safe."""
        place = np.s_[part.top : part.top + part.first.shape[0], part.left : part.left + part.first.shape[1]]
        first, second = (np.minimum, np.maximum) if self._extremes else (np.add, np.add)
        sums = part.first if self._exponents is None and part.exponents is None else self._aligned(place, part)
        first(self._first[place], sums, out=self._first[place])
        second(self._second[place], part.second, out=self._second[place])
        if part.bad is not None:
            self._bad[place] |= part.bad

    def _aligned(self, place: tuple[slice, slice], part: Part) -> Grid:
        """The part's sums, and the cells' own, as multiples of the same power of two."""
        if self._exponents is None:
            self._exponents = np.zeros(self._first.shape, np.int32)
        cells, told = self._first[place], part.exponents
        own = self._exponents[place]
        others = np.zeros_like(own) if told is None else told
        common = np.where(cells == 0, others, np.where(part.first == 0, own, np.maximum(own, others)))
        cells[...] = np.ldexp(cells, self._power * (own - common))
        own[...] = common
        aligned: Grid = np.ldexp(part.first, self._power * (others - common))
        return aligned

    def result(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """(cells, bad) as in `Heatmap`, the cells as float64."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            if self._extremes:
                values = np.where(self._second >= -self._first, self._second, self._first)
                values[self._first > self._second] = np.nan
            else:
                values = self._first / self._second
                if self._power == 2:
                    values = np.sqrt(values)
                if self._exponents is not None:
                    values = np.ldexp(values, self._exponents)
            return values, self._bad


def _starts(edges: NDArray[np.int64], positions: NDArray[np.int64]) -> tuple[int, NDArray[np.intp]]:
    """(cell of the first position, where in `positions` each further cell begins, the first included).

    Positions rise, and every cell between the first and the last has at least one of them.
    """
    begin, end = np.searchsorted(edges, positions[[0, -1]], side="right") - 1
    inner = np.searchsorted(positions, edges[begin + 1 : end + 1])
    return int(begin), np.concatenate(([0], inner))


def _scaled(wide: Grid, power: int, row_starts: NDArray[np.intp], column_starts: NDArray[np.intp]) -> tuple[Grid, Grid]:
    """(sums of each cell's values, or of their squares, divided by a power of two; its exponent). Changes `wide`."""
    exponents = np.frexp(_reduced(np.maximum, np.abs(wide), row_starts, column_starts))[1]
    heights, widths = (
        np.diff(np.append(starts, size)) for starts, size in zip((row_starts, column_starts), wide.shape, strict=True)
    )
    np.ldexp(wide, -exponents.repeat(heights, axis=0).repeat(widths, axis=1), out=wide)
    return _reduced(np.add, np.power(wide, power, out=wide), row_starts, column_starts), exponents


def _reduced(function: np.ufunc, values: Grid, row_starts: NDArray[np.intp], column_starts: NDArray[np.intp]) -> Grid:
    """Reduce rectangles of `values`: rows first, which is what the processor does fastest."""
    rows = len(row_starts)
    if rows < values.shape[0]:
        ends = [*row_starts[1:].tolist(), values.shape[0]]
        values = np.stack(
            [function.reduce(values[a:b], axis=0) for a, b in zip(row_starts.tolist(), ends, strict=True)]
        )
    if len(column_starts) < values.shape[1]:
        values = function.reduceat(values, column_starts, axis=1)
    return values
