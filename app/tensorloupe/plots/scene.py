"""What a histogram's picture shows and how it looks, as plain data between the view, the plot thread and the widget."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from tensorloupe.plots.bins import Bins
from tensorloupe.plots.layout import HistogramLayout
from tensorloupe.plots.ticks import Tick
from tensorloupe.style.colors import Colors

DPI = 96.0
_ROUNDING = 1e-6  # of a bin: as far as a limit on its edge may be from there


@dataclass(frozen=True, slots=True)
class Look:
    """How a figure is drawn: size in logical px, device pixels per px, font and colours."""

    width: int
    height: int
    ratio: float
    family: str
    font_px: float
    colors: Colors

    def points(self, px: float) -> float:
        """A length in points, matplotlib's unit."""
        return px * 72 / DPI


@dataclass(frozen=True, slots=True)
class Bars:
    """One histogram: bins, exact counts, and the ticks of its axis of values; `second` counts another series in them."""

    bins: Bins
    counts: NDArray[np.int64]
    ticks: tuple[Tick, ...]
    second: NDArray[np.int64] | None = None

    @property
    def largest(self) -> int:
        """The largest count of both series."""
        own = int(self.counts.max(initial=0))
        return own if self.second is None else max(own, int(self.second.max(initial=0)))


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that the picture shows. `strip` is the whole range, drawn small; `zeros` counts exact zeros.

    value  what stands on the axis of values; `second` names the other series, where there is one
    whole  the values are integers: a limit on one of them takes in its whole bar
    """

    bars: Bars
    strip: Bars
    log: bool
    zeros: int
    value: str = "value"
    second: str = ""
    whole: bool = False

    def within(self, limits: tuple[float, float], strip: bool = False) -> tuple[float, float]:
        """Between which fractions of the axis bars are in full colour."""
        bins = (self.strip if strip else self.bars).bins
        low, high = (min(max(bins.span.fraction(limit), 0.0), 1.0) for limit in limits)
        if not self.whole:
            return low, high
        first, last = math.floor(low * bins.count + _ROUNDING), math.ceil(high * bins.count - _ROUNDING)
        return first / bins.count, last / bins.count


@dataclass(frozen=True, slots=True)
class HistogramImages:
    """The picture with all bars in the colour of what lies inside the limits, and in that of what lies outside."""

    inside: QImage
    outside: QImage
    layout: HistogramLayout
    look: Look
    scene: Scene
