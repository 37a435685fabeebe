"""Round steps for an axis of bytes, and the shades that tell neighbours on it apart."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtGui import QColor


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
