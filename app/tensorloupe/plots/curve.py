"""Error against bits per weight as plain data: where each type stands, which ticks, where its name has room.

Both axes are logarithmic. A type that loses nothing has no place on such an axis of errors: it stands on a line of its own
at the bottom, and never at some small number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtGui import QImage

from tensorloupe.plots.layout import Rect
from tensorloupe.plots.scene import Look
from tensorloupe.plots.ticks import APART, Tick, thinned
from tensorloupe.style.text import number

BITS = (1, 2, 4, 8, 16, 32, 64, 3, 6, 12, 24, 5, 1.5, 10, 20, 48)  # those to be named first before the others
DOT = 4.0  # radius in px
NO_LOSS = 26.0  # px above the axis of bits for the types without an error


@dataclass(frozen=True, slots=True)
class Point:
    """A type: bits per weight, its error, whether no other beats it, whether it is what the tensor is stored as."""

    name: str
    bits: float
    error: float
    front: bool = False
    stored: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """What to draw. `measure` names the axis of errors; `now` is the stored type and its bits per weight; `error` is the
    one that the tensor has itself, where that is known; `percent`: whether errors are shown in percent.
    """

    points: tuple[Point, ...]
    measure: str
    now: tuple[str, float]
    error: float | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class CurveImage:
    """A drawn curve, and where its types stand, in px."""

    image: QImage
    spots: tuple[tuple[str, float, float], ...]
    look: Look


@dataclass(frozen=True, slots=True)
class Axes:
    """Where bits and errors stand in a rectangle of the picture."""

    at: Rect
    bits: tuple[float, float]  # log2 at the left and at the right edge
    errors: tuple[float, float]  # log10 at the bottom (above the line of those without an error) and at the top
    floor: float  # px at the bottom that are kept for those

    def x(self, bits: float) -> float:
        """The px of a number of bits."""
        low, high = self.bits
        return self.at.left + (math.log2(bits) - low) / (high - low) * self.at.width

    def y(self, error: float) -> float:
        """The px of an error; of none the line at the bottom."""
        if error <= 0:
            return self.at.bottom - self.floor / 2
        low, high = self.errors
        return self.at.bottom - self.floor - (math.log10(error) - low) / (high - low) * (self.at.height - self.floor)


def axes_of(curve: Curve, look: Look) -> Axes:
    """The axes for a picture of this size, with some air around the points."""
    line = look.font_px * 1.5
    left, top = 22 + look.font_px * 0.6 * (7 if curve.percent else 6), 2 * line + 10
    at = Rect(left, top, max(look.width - left - 20, 60.0), max(look.height - top - 2 * line - 12, 40.0))
    bits = [math.log2(b) for b in (*(p.bits for p in curve.points), curve.now[1]) if b > 0] or [0.0, 5.0]
    own = [] if not curve.error else [curve.error]
    errors = [math.log10(e) for e in (*(p.error for p in curve.points), *own) if e > 0] or [-4.0, 0.0]
    floor = NO_LOSS if any(p.error <= 0 for p in curve.points) else 0.0
    return Axes(at, _aired(min(bits), max(bits), 0.5), _aired(min(errors), max(errors), 0.5), floor)


def _aired(low: float, high: float, least: float) -> tuple[float, float]:
    air = max((high - low) * 0.07, least / 4)
    if high - low < least:
        air = least
    return low - air, high + air


def bit_ticks(axes: Axes, look: Look) -> list[Tick]:
    """Numbers of bits with room between them."""
    shown: list[Tick] = []
    taken: list[tuple[float, float]] = []
    for bits in BITS:
        if not axes.bits[0] <= math.log2(bits) <= axes.bits[1]:
            continue
        half = look.font_px * 0.6 * (len(f"{bits:g}") + 2) / 2
        low, high = axes.x(bits) - half, axes.x(bits) + half
        if all(high <= other[0] or low >= other[1] for other in taken):
            taken.append((low, high))
            shown.append((bits, f"{bits:g}"))
    return sorted(shown)


def error_ticks(axes: Axes, font_px: float, percent: bool = False) -> list[Tick]:
    """Powers of ten; where there are fewer than three, 2 and 5 times them as well. As many as their labels have room."""
    low, high = axes.errors
    powers = range(math.floor(low), math.ceil(high) + 1)
    few = sum(low <= k <= high for k in powers) < 3
    values = [float(f"{m}e{k}") for k in powers for m in ((1, 2, 5) if few else (1,))]
    inside = [value for value in values if low <= math.log10(value) <= high]
    every = -(-len(inside) // 9)
    ticks = [(value, f"{number(value * 100)} %" if percent else number(value)) for value in inside[::every]]
    return [tick for _, tick in thinned(ticks, [axes.y(value) for value, _ in ticks], font_px * APART)]


Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """A name beside its point: the px of its left end and of its middle line; `to`, where a line leads to its point."""

    name: str
    x: float
    y: float
    to: tuple[float, float] | None = None


def labels(curve: Curve, axes: Axes, look: Look) -> list[Label]:
    """The names that find room beside their points, those at the front first; no name lies on a point or on another, and
    none on a line as long as there is another place. What leads from a name to its point crosses no other name.
    """
    height, character = look.font_px * 1.2, look.font_px * 0.6
    taken = [_box(axes.x(p.bits), axes.y(p.error), 2 * DOT, 2 * DOT) for p in curve.points]
    if curve.error is not None:
        taken.append(_box(axes.x(curve.now[1]), axes.y(curve.error), 3 * DOT, 3 * DOT))
    lines = _lines(curve, axes)
    placed: list[Label] = []
    names: list[Box] = []
    for point in sorted(curve.points, key=lambda p: (not p.stored, not p.front, p.bits)):
        width, at = len(point.name) * character, (axes.x(point.bits), axes.y(point.error))
        near, far = (
            [_box(at[0] + dx, at[1] + dy, width, height) for dx, dy in places]
            for places in (_around(width, height), _beyond(width, height))
        )
        free = [box for box in near if _inside(box, axes.at) and not any(_meet(box, other) for other in taken)]
        clear = [box for box in free if not any(_meet(box, line) for line in lines)]
        away = [box for box in far if _inside(box, axes.at) and not any(_meet(box, o) for o in (*taken, *lines))]
        away = [box for box in away if not any(_meet(step, name) for step in _lead(box, at) for name in names)]
        for box in (clear or away or free)[:1]:
            taken.append(box)
            names.append(box)
            lines += [] if box in near else _lead(box, at)
            placed.append(Label(point.name, box[0], (box[1] + box[3]) / 2, None if box in near else at))
    return placed


def _lead(box: Box, to: tuple[float, float]) -> list[Box]:
    """The line that leads from a name to its point, as a row of small boxes."""
    return _row(box[0] if to[0] < box[0] else box[2], (box[1] + box[3]) / 2, *to)


def _row(x0: float, y0: float, x1: float, y1: float) -> list[Box]:
    """A line as a row of small boxes."""
    steps = max(int(math.hypot(x1 - x0, y1 - y0) / 4), 1)
    return [_box(x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, 4, 4) for k in range(steps + 1)]


def _lines(curve: Curve, axes: Axes) -> list[Box]:
    """The line of what the tensor is stored as and that along the front, as a row of small boxes."""
    found = (
        [_box(axes.x(curve.now[1]), axes.at.top + axes.at.height / 2, 3, axes.at.height)] if curve.now[1] > 0 else []
    )
    best = sorted((p.bits, p.error) for p in curve.points if p.front and p.error > 0)
    for (a, e), (b, f) in pairwise(best):
        found += _row(axes.x(a), axes.y(e), axes.x(b), axes.y(f))
    return found


def _around(width: float, height: float) -> Sequence[tuple[float, float]]:
    """Where a name may stand, as the shift of its middle from the point: right, left, above, below, and askew."""
    across, along = DOT + 4 + width / 2, DOT + 1 + height / 2
    near = [(across, 0.0), (-across, 0.0), (0.0, -along), (0.0, along)]
    near += [(across - 3, -along + 3), (across - 3, along - 3), (-across + 3, -along + 3), (-across + 3, along - 3)]
    return near


def _beyond(width: float, height: float) -> Sequence[tuple[float, float]]:
    """Places farther away, to which a line leads: the nearest first."""
    return [
        (side * (reach + width / 2), up * height * 1.1)
        for reach in (18.0, 30.0, 44.0)
        for up in (0, 1, -1, 2, -2, 3, -3)
        for side in (1, -1)
    ]


def _box(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _inside(box: Box, at: Rect) -> bool:
    return at.left <= box[0] and box[2] <= at.right + 16 and at.top - 4 <= box[1] and box[3] <= at.bottom
