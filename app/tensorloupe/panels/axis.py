"""The axis of a line of bytes, in round steps, and the shades that tell neighbours on the line apart."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter

from tensorloupe.style import text


@cache
def shade(color: str, ground: str) -> str:
    """A quieter neighbour of a colour: part of the way to the ground."""
    one, other = QColor(color), QColor(ground)
    pairs = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(a * 0.72 + b * 0.28) for a, b in pairs)).name()


def axis_step(span: float, ticks: int) -> tuple[float, float, str]:
    """A round step for about so many ticks, and the unit to write them in: (step, bytes per unit, name)."""
    raw = max(span / max(ticks, 1), 1.0)
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    power = min(int(math.log10(max(span, 1)) // 3), 4)
    return step, 1000.0**power, ("B", "kB", "MB", "GB", "TB")[power]


def paint_axis(painter: QPainter, first: float, last: float, width: int, top: int) -> None:
    """Ticks and numbers of a line of bytes from `first` to `last`, as wide as `width`, in the painter's pen and font."""
    step, unit, name = axis_step(last - first, max(2, width // 110))
    metrics = painter.fontMetrics()
    at = math.ceil(first / step) * step
    while at <= last:
        x, said = (at - first) / (last - first) * width, text.number(at / unit) + (f" {name}" if at == 0 else "")
        wide = metrics.horizontalAdvance(said)
        if at == 0 or x + wide / 2 <= width:
            painter.drawText(QPointF(max(0.0, x - wide / 2) if at else 0.0, top + 3 + metrics.ascent()), said)
            painter.drawLine(QPointF(x, top), QPointF(x, top + 3))
        at += step
