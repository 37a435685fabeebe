"""What of a matrix is in view, and where, in device pixels: no element is wider or higher than its neighbour.

A scale is pixels per value: whole numbers from 1 on, any number below. One zoom holds for both axes; an axis that fits
anyway keeps the larger scale that it fits with, so a tall and narrow matrix fills the picture, and values become squares
once both axes have reached a pixel per value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

STEP = 1.26  # how much a step of zooming changes the scale
STRIP = 48  # px: a matrix that would be narrower with square values fills the room instead
LARGEST = 64  # px per value at most, times the device pixel ratio


def fitting(values: int, room: int) -> float:
    """The largest scale at which so many values fit into `room` px."""
    return float(max(1, room // max(values, 1))) if values <= room else room / values


def closer(scale: float) -> float:
    """The scale one step nearer."""
    if scale >= 1:
        return float(max(scale + 1, round(scale * STEP)))
    return 1.0 if scale * STEP > 0.9 else scale * STEP


def farther(scale: float) -> float:
    """The scale one step farther away."""
    return float(min(scale - 1, max(1, round(scale / STEP)))) if scale > 1 else scale / STEP


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: `values` in all, `room` px for them, its scale, and the first px of the scaled axis that is shown."""

    values: int
    room: int
    scale: float
    first: int = 0

    @property
    def extent(self) -> int:
        """Px of the whole axis at this scale."""
        return max(round(self.values * self.scale), min(self.values, 1))

    @property
    def shown(self) -> int:
        """Px that the picture takes of the room."""
        return min(self.extent, self.room)

    @property
    def window(self) -> tuple[int, int]:
        """The first value in view and one past the last."""
        stop = math.ceil((self.first + self.shown) / self.scale - 1e-6)
        return math.floor(self.first / self.scale + 1e-6), min(self.values, stop)

    @property
    def cells(self) -> int:
        """Cells that show the window: a value each, or a pixel each."""
        start, stop = self.window
        return stop - start if self.scale >= 1 else min(self.shown, stop - start)

    def kept(self) -> Axis:
        """The same with no empty room after its end."""
        return replace(self, first=min(max(self.first, 0), max(0, self.extent - self.room)))

    def at(self, value: float) -> float:
        """Where a value (a border: 3.0 is where value 3 begins) lies, px from the start of the picture."""
        return value * self.scale - self.first

    def value_at(self, px: float) -> int | None:
        """The value (at less than a pixel per value: the first of the pixel's) under a px, None outside."""
        if not 0 <= px < self.shown:
            return None
        return min(math.floor((math.floor(px) + self.first) / self.scale + 1e-6), self.values - 1)

    def scaled(self, scale: float, around: float) -> Axis:
        """Another scale with the value under `around` px staying there."""
        under = (self.first + around) / self.scale
        return replace(self, scale=scale, first=round(under * scale - around)).kept()

    def showing(self, value: int, centre: bool = False) -> Axis:
        """Moved as little as needed to have a value in view, or to have it in the middle."""
        size = max(1, round(self.scale))
        start = int(value * self.scale)
        if centre:
            return replace(self, first=start + size // 2 - self.room // 2).kept()
        first = min(self.first, start)
        return replace(self, first=max(first, start + size - self.room)).kept()


@dataclass(frozen=True, slots=True)
class Viewport:
    """Both axes and the zoom that they share; `ratio` is device px per logical px."""

    rows: Axis
    columns: Axis
    zoom: float
    ratio: float = 1.0

    @classmethod
    def fitted(cls, rows: int, columns: int, height: int, width: int, ratio: float = 1.0) -> Viewport:
        """The whole matrix in a room of height × width device px."""
        down, across = _fits(rows, columns, height, width, ratio)
        return cls(Axis(rows, height, down), Axis(columns, width, across), min(down, across), ratio)

    @property
    def _least(self) -> tuple[float, float]:
        return _fits(self.rows.values, self.columns.values, self.rows.room, self.columns.room, self.ratio)

    @property
    def is_fitted(self) -> bool:
        """Whether the whole matrix is in view, as large as it can be."""
        return self.zoom <= min(self._least) * (1 + 1e-9)

    @property
    def count(self) -> int:
        """How many values are in view."""
        (r0, r1), (c0, c1) = self.rows.window, self.columns.window
        return (r1 - r0) * (c1 - c0)

    @property
    def elements(self) -> bool:
        """Whether every value has a pixel of its own at least."""
        return self.rows.scale >= 1 and self.columns.scale >= 1

    def zoomed(self, zoom: float, x: float, y: float) -> Viewport:
        """Another zoom around a point of the picture in device px; not beyond the fit, nor the largest scale."""
        down, across = self._least
        zoom = max(min(zoom, round(LARGEST * self.ratio)), min(down, across))
        rows = self.rows.scaled(max(zoom, down), y)
        return replace(self, rows=rows, columns=self.columns.scaled(max(zoom, across), x), zoom=zoom)

    def moved(self, x: int, y: int) -> Viewport:
        """Shifted by device px: positive numbers show what lies to the right and below."""
        rows = replace(self.rows, first=self.rows.first + y).kept()
        return replace(self, rows=rows, columns=replace(self.columns, first=self.columns.first + x).kept())

    def resized(self, height: int, width: int, ratio: float) -> Viewport:
        """The same place in a room of another size; what was fitted is fitted again."""
        if self.is_fitted:
            return Viewport.fitted(self.rows.values, self.columns.values, height, width, ratio)
        down, across = _fits(self.rows.values, self.columns.values, height, width, ratio)
        zoom = max(self.zoom, min(down, across))
        rows = _resized(self.rows, height, max(zoom, down))
        return Viewport(rows, _resized(self.columns, width, max(zoom, across)), zoom, ratio)

    def showing(self, row: int, column: int, centre: bool = False) -> Viewport:
        """Moved so that a value is in view."""
        return replace(self, rows=self.rows.showing(row, centre), columns=self.columns.showing(column, centre))


def _resized(axis: Axis, room: int, scale: float) -> Axis:
    return Axis(axis.values, room, scale, round(axis.first / axis.scale * scale)).kept()


def _fits(rows: int, columns: int, height: int, width: int, ratio: float) -> tuple[float, float]:
    """The scales of both axes at which the whole matrix is in view."""
    down, across = fitting(rows, height), fitting(columns, width)
    square = min(down, across, float(round(LARGEST * ratio)))
    if square < 1:
        return down, across
    least = STRIP * ratio
    return down if rows * square < least else square, across if columns * square < least else square
