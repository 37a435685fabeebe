"""What stands on top of a drawn histogram and moves: limits with their tags, the band of the strip, the bin pointed at."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from tensorloupe.plots.layout import HistogramLayout, Rect
from tensorloupe.plots.scene import Bars
from tensorloupe.plots.ticks import limit_words
from tensorloupe.style.text import counted, number
from tensorloupe.style.theme import SECONDARY, Theme


def paint_strip(painter: QPainter, theme: Theme, rect: Rect, low: float, high: float) -> None:
    """The band between the limits (px) over the whole range, with a handle at either end."""
    accent = theme.color("accent")
    veil = QColor(accent)
    veil.setAlphaF(0.13)
    painter.fillRect(QRectF(low, rect.top, high - low, rect.height), veil)
    for x in (low, high):
        painter.fillRect(QRectF(x - 1, rect.top, 2, rect.height), accent)
        _paint_knob(painter, theme, x, rect.top + rect.height / 2, 5, 16)
    painter.setFont(theme.font(SECONDARY))
    painter.setPen(theme.color("secondary"))
    painter.drawText(QPointF(rect.left, rect.top - 8), "Full range. Drag the handles or the band.")


def paint_limits(
    painter: QPainter,
    theme: Theme,
    rect: Rect,
    tag_height: float,
    places: tuple[float, float],
    limits: tuple[float, float],
    width: float,
) -> None:
    """Both limits at their places (px) with tags above them that stay apart and inside a widget of this width."""
    font = theme.font(SECONDARY)
    metrics = QFontMetricsF(font)
    texts = limit_words(limits)
    widths = [metrics.horizontalAdvance(text) + 12 for text in texts]
    lefts = [min(max(x - w / 2, 2.0), width - w - 2) for x, w in zip(places, widths, strict=True)]
    overlap = lefts[0] + widths[0] + 4 - lefts[1]
    if overlap > 0:
        lefts = [max(lefts[0] - overlap / 2, 2.0), lefts[1] + overlap / 2]
    painter.setFont(font)
    for x, text, left, across in zip(places, texts, lefts, widths, strict=True):
        painter.fillRect(QRectF(x - 1, rect.top, 2, rect.height), theme.color("accent"))
        _paint_knob(painter, theme, x, rect.top + rect.height / 2, 7, 32)
        tag = QRectF(left, rect.top - tag_height - 2, across, tag_height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent"))
        painter.drawRoundedRect(tag, 3, 3)
        painter.setPen(theme.color("on_accent"))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_knob(painter: QPainter, theme: Theme, x: float, y: float, width: float, height: float) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("accent"))
    painter.drawRoundedRect(QRectF(x - width / 2, y - height / 2, width, height), 3, 3)
    if height > 20:
        painter.setBrush(theme.color("on_accent"))
        for k in (-1, 0, 1):
            painter.drawRect(QRectF(x - 1.5, y + 5 * k - 0.75, 3, 1.5))
    painter.restore()


def paint_bin(painter: QPainter, theme: Theme, rect: Rect, layout: HistogramLayout, bars: Bars, which: int) -> None:
    """What the bin under the pointer holds, at the right above the picture."""
    low, high = (bars.bins.span.value((which + k) / bars.bins.count) for k in (0, 1))
    text = f"{number(low, 3)} to {number(high, 3)}: {counted(int(bars.counts[which]), 'value')}"
    painter.setFont(theme.font(SECONDARY))
    painter.setPen(theme.color("text"))
    line = QRectF(rect.left, rect.top - layout.above - layout.tag / 2, rect.width, layout.tag)
    painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    x = rect.left + (which + 0.5) / bars.bins.count * rect.width
    painter.setPen(theme.color("secondary"))
    painter.drawLine(QPointF(x, rect.bottom), QPointF(x, rect.bottom + 4))
