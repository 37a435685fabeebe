"""Small bar charts painted by Qt itself: how often each code comes up, how large the scales are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

import weightmap
from tensorloupe.plots.ticks import index_step
from tensorloupe.style import text
from tensorloupe.style.theme import SECONDARY, Theme

Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Shares of a whole, (n,), each a bar; `lit` are in the second colour. `ticks`: (bar, what it is called)."""

    shares: NDArray[np.float64]
    lit: NDArray[np.bool_]
    ticks: Ticks


class BarChart(QWidget):
    """One chart, as wide as it may be."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._chart: Chart | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def chart(self) -> Chart | None:
        """What is shown."""
        return self._chart

    def show_chart(self, chart: Chart | None, words: str = "") -> None:
        """Show this; `words` say the same to those who do not see it."""
        self._chart = chart
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:
        """Low."""
        return QSize(300, 130)

    def minimumSizeHint(self) -> QSize:
        """As high, but narrow."""
        return QSize(120, 130)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Lines at round shares, bars, ticks."""
        chart = self._chart
        if chart is None or not len(chart.shares):
            return
        painter = QPainter(self)
        painter.setFont(self._theme.font(SECONDARY))
        metrics = QFontMetricsF(painter.font())
        left, below = metrics.horizontalAdvance("00.0 %") + 6, metrics.height() + 6
        room = QRectF(left, 6, self.width() - left - 4, self.height() - below - 6)
        top = max(float(chart.shares.max()), 1e-12) * 1.08
        self._paint_shares(painter, room, top)
        self._paint_bars(painter, chart, room, top)
        painter.setPen(self._theme.color("secondary"))
        for bar, word in chart.ticks:
            x = room.left() + (bar + 0.5) / len(chart.shares) * room.width()
            width = metrics.horizontalAdvance(word) + 4
            x = min(max(x - width / 2, left - 8), self.width() - width)
            painter.drawText(QRectF(x, room.bottom() + 4, width, below), Qt.AlignmentFlag.AlignCenter, word)

    def _paint_shares(self, painter: QPainter, room: QRectF, top: float) -> None:
        step = 10 ** np.floor(np.log10(top / 2))
        step *= next(m for m in (5, 2, 1) if m == 1 or top / (m * step) >= 2)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for k in range(int(top / step) + 1):
            y = room.bottom() - k * step / top * room.height()
            painter.fillRect(QRectF(room.left(), y, room.width(), 1), self._theme.color("thin" if k else "strong"))
            painter.setPen(self._theme.color("secondary"))
            word = "0" if not k else f"{k * step * 100:g} %"
            painter.drawText(QRectF(0, y - 10, room.left() - 6, 20), right, word)

    def _paint_bars(self, painter: QPainter, chart: Chart, room: QRectF, top: float) -> None:
        """A bar for each share; where there are more of them than px, the largest of each px."""
        shares, lit = chart.shares, chart.lit
        if len(shares) > room.width():
            starts = np.linspace(0, len(shares), int(room.width()) + 1).astype(np.intp)[:-1]
            shares, lit = np.maximum.reduceat(shares, starts), np.logical_or.reduceat(lit, starts)
        width = room.width() / len(shares)
        gap = min(width * 0.2, 3.0) if width > 3 else 0.0
        plain, second = self._theme.color("series"), self._theme.color("second")
        for number, (share, bright) in enumerate(zip(shares.tolist(), lit.tolist(), strict=True)):
            if share > 0:
                height = max(share / top * room.height(), 1.0)
                box = QRectF(room.left() + number * width + gap / 2, room.bottom() - height, width - gap, height)
                painter.fillRect(box, second if bright else plain)


def code_chart(health: weightmap.BlockHealth, room: float, character: float) -> Chart:
    """How often each code comes up, those at the ends lit."""
    count = len(health.codes)
    shares = health.codes / max(int(health.codes.sum()), 1)
    lit = np.asarray(health.ends if health.ends.ndim == 1 else health.ends.any(axis=1), np.bool_)
    signed = health.first_code < 0
    digits = len(f"{count - 1:x}")
    words = [text.count(at + health.first_code) if signed else f"{at:0{digits}X}" for at in range(count)]
    step = index_step(room / count, (max(map(len, words)) + 1.5) * character)
    ticks = [(float(at), words[at]) for at in range(0, count, step)]
    return Chart(shares, lit, tuple(ticks))


def scale_chart(histogram: weightmap.Histogram) -> Chart | None:
    """How large the scales are."""
    if histogram.edges is None or not len(histogram.counts):
        return None
    shares = histogram.counts / max(int(histogram.counts.sum()), 1)
    count, (low, high) = len(shares), (float(histogram.edges[0]), float(histogram.edges[-1]))
    ticks = [(0.0, text.number(low, 3)), ((count - 1) / 2, text.number((low + high) / 2, 3))]
    ticks.append((count - 1.0, text.number(high, 3)))
    return Chart(shares, np.zeros(count, np.bool_), tuple(ticks))
