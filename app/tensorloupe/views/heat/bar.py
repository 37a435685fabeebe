"""The colour bar: the limits, how many values lie beyond each of them, and how many are not finite."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from tensorloupe.plots.shade import image_of
from tensorloupe.style.colormaps import size_map, value_map
from tensorloupe.style.text import ABOUT, count, number, percent
from tensorloupe.views.heat.frame import Frame, Places


def gradient(dark: bool, sizes: bool = False) -> QImage:
    """The colour map from the upper limit at the top to the lower, of sizes to zero, at the bottom."""
    return image_of((size_map(dark) if sizes else value_map(dark))[::-1][:, None, :])


def nonfinite_box(frame: Frame, at: Places) -> QRectF:
    """Where the count of NaN and Inf stands: it can be clicked."""
    if at.bar is None:
        return QRectF()
    height = QFontMetricsF(frame.font).height()
    top = at.bar.bottom() + (12 if frame.sizes else 2 * height + 14)  # of sizes nothing lies below
    return QRectF(at.bar.left() - 2, top, 100, height + 4)


def paint_bar(painter: QPainter, frame: Frame, at: Places) -> None:
    """Draw the bar with its words, where it has room and limits are known."""
    if at.bar is None or frame.limit is None:
        return
    metrics = QFontMetricsF(frame.font)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(at.bar, gradient(frame.dark, frame.sizes))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.setPen(QColor(frame.colors.strong))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(at.bar.adjusted(-0.5, -0.5, 0.5, 0.5))
    painter.setFont(frame.font)
    for share in _shares(frame.sizes, at.bar.height() / metrics.height()):
        y = (
            at.bar.bottom() - share * at.bar.height()
            if frame.sizes
            else at.bar.center().y() - share * at.bar.height() / 2
        )
        painter.setPen(QColor(frame.colors.strong))
        painter.drawLine(QPointF(at.bar.right() + 1, y), QPointF(at.bar.right() + 5, y))
        painter.setPen(QColor(frame.colors.text))
        base = y + metrics.ascent() / 2 - 1
        base = min(max(base, at.bar.top() + metrics.ascent() - 4), at.bar.bottom() + 3)
        painter.drawText(QPointF(at.bar.right() + 9, base), number(share * frame.limit, 3))
    _paint_beyond(painter, frame, at, metrics)


def _shares(sizes: bool, lines: float) -> tuple[float, ...]:
    """What stands beside the bar, as shares of the limit: as much as its height has lines for."""
    if sizes:
        return (1.0, 0.5, 0.0) if lines >= 3 else (1.0, 0.0) if lines >= 1.6 else (1.0,)
    return (1.0, 0.5, 0.0, -0.5, -1.0) if lines >= 5 else (1.0, 0.0, -1.0) if lines >= 3 else (1.0, -1.0)


def _paint_beyond(painter: QPainter, frame: Frame, at: Places, metrics: QFontMetricsF) -> None:
    assert at.bar is not None
    left, height = at.bar.left(), metrics.height()
    known = frame.beyond
    total, sampled = (max(known.total, 1), known.sampled) if known else (1, False)
    top = at.bar.top() - 2 * height - 6 + metrics.ascent()
    bottom = at.bar.bottom() + 6 + metrics.ascent()
    over, under = (None, None) if known is None else (known.above, known.below)
    ends = [(top, "above", over), (bottom, "below", under)]
    if frame.sizes:
        ends = [(top, "above", None if over is None or under is None else over + under)]
    for base, what, many in ends:
        bold = QFont(frame.font)
        bold.setBold(True)
        share = "" if many is None else percent(many / total)
        text = "…" if many is None else f"{ABOUT} {share}" if sampled else count(many)
        painter.setFont(bold)
        painter.setPen(QColor(frame.colors.text))
        painter.drawText(QPointF(left, base), text)
        width = QFontMetricsF(bold).horizontalAdvance(text + " ")
        painter.setFont(frame.font)
        painter.drawText(QPointF(left + width, base), what)
        painter.setPen(QColor(frame.colors.secondary))
        painter.drawText(QPointF(left, base + height), "of a sample" if sampled and share else share)
    _paint_nonfinite(painter, frame, at, metrics)


def _paint_nonfinite(painter: QPainter, frame: Frame, at: Places, metrics: QFontMetricsF) -> None:
    box = nonfinite_box(frame, at)
    side = metrics.ascent()
    swatch = QRectF(box.left() + 2, box.top() + (box.height() - side) / 2, side, side)
    painter.fillRect(swatch, QColor(frame.colors.nan))
    painter.setPen(QPen(QColor("#101418"), 1.2))
    painter.drawRect(swatch)
    painter.drawLine(swatch.topLeft(), swatch.bottomRight())
    painter.drawLine(swatch.bottomLeft(), swatch.topRight())
    known = frame.beyond
    words = "NaN …"
    if known is not None and not known.sampled:
        words = f"NaN {count(known.nan)}" + (f", Inf {count(known.inf)}" if known.inf else "")
    painter.setPen(QColor(frame.colors.text))
    painter.drawText(QPointF(swatch.right() + 6, box.center().y() + metrics.ascent() / 2 - 1), words)
