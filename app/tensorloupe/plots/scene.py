"""What a histogram's picture shows and how it looks, as plain data between the view, the plot thread and the widget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from tensorloupe.plots.bins import Bins
from tensorloupe.plots.layout import HistogramLayout
from tensorloupe.plots.ticks import Tick
from tensorloupe.style.colors import Colors

DPI = 96.0


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
    """

    bars: Bars
    strip: Bars
    log: bool
    zeros: int
    value: str = "value"
    second: str = ""


@dataclass(frozen=True, slots=True)
class HistogramImages:
    """The picture with all bars in the colour of what lies inside the limits, and in that of what lies outside."""

    inside: QImage
    outside: QImage
    layout: HistogramLayout
    look: Look
    scene: Scene
