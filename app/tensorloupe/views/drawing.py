"""What the overview's histogram shows and how it looks, made from what was counted."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QWidget

from tensorloupe.plots.bins import Bins, Span
from tensorloupe.plots.scene import Bars, Look, Scene
from tensorloupe.plots.ticks import Tick, value_ticks
from tensorloupe.style.colors import LIGHT, Colors
from tensorloupe.style.text import count, number
from tensorloupe.style.theme import SECONDARY
from tensorloupe.views.counting import Counted
from tensorloupe.views.summary import Summary

STRIP_BINS = 255
SAVED = 960, 600


def look_of(picture: QWidget, colors: Colors) -> Look:
    """The look of a picture that fills a widget."""
    info = QFontInfo(picture.font())
    size = picture.width(), picture.height()
    return Look(*size, picture.devicePixelRatioF(), info.family(), info.pixelSize() * SECONDARY, colors)


def look_to_save(widget: QWidget) -> Look:
    """The look of a saved picture: one size, light, in the widget's font."""
    info = QFontInfo(widget.font())
    return Look(*SAVED, 2.0, info.family(), info.pixelSize(), LIGHT)


def scene(counted: Counted, summary: Summary, log: bool, look: Look, whole: bool) -> tuple[Scene, int]:
    """What to draw, and the number of letters of the widest count."""
    second = 0 if counted.second is None else int(counted.second.max(initial=0))
    labels = max(len(count(max(int(counted.histogram.counts.max(initial=1)), second))), 5)
    character = look.font_px * 0.6
    width = max(look.width - 60 - labels * character, 100)
    return _scene(counted, summary, log, width, character, whole), labels


def _scene(counted: Counted, summary: Summary, log: bool, width: float, character: float, whole: bool) -> Scene:
    low, high = summary.range
    span = counted.bins.span
    ticks = _ticks(span, summary, width, character, whole)
    bars = Bars(counted.bins, counted.histogram.counts, ticks, counted.second)
    zeros = int(summary.statistics.zeros)
    # of whole numbers all is in the picture, in bars as wide as they can be
    if low == high or (whole and span.lo < low and high < span.hi):
        return Scene(bars, bars, log, zeros, whole=whole)
    fine = summary.statistics.histogram
    strip = Bins(Span(low, high), STRIP_BINS)
    counts = np.add.reduceat(fine.counts, np.arange(0, len(fine.counts), max(1, len(fine.counts) // STRIP_BINS)))
    strip = Bins(strip.span, len(counts))
    return Scene(
        bars,
        Bars(strip, counts, tuple(value_ticks(low, high, width, character, whole=whole))),
        log,
        zeros,
        whole=whole,
    )


def _ticks(span: Span, summary: Summary, width: float, character: float, whole: bool) -> tuple[Tick, ...]:
    low, high = summary.range
    if low == high:  # one value: it stands at its own tick
        return ((low, number(summary.statistics.min, 9)),)
    return tuple(value_ticks(span.lo, span.hi, width, character, whole=whole))
