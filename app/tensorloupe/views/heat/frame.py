"""What the heatmap's picture is made of, as plain data: the same for the window, for a saved PNG and for an SVG."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from tensorloupe.style.colors import Colors
from tensorloupe.style.text import count
from tensorloupe.views.heat.cells import Picture
from tensorloupe.views.heat.viewport import Viewport

BAR_GAP, BAR_WIDTH = 20, 16
BAR_LEAST = 160  # px of a colour bar beside a flat image
BORDERS_FROM = 6  # px per value


@dataclass(frozen=True, slots=True)
class Beyond:
    """How many values of the whole tensor lie beyond ±limit, of how many, and how many are NaN or Inf.

    sampled  whether these are the values of a sample, and what is not finite is not known
    """

    limit: float
    below: int
    above: int
    total: int
    nan: int
    inf: int
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything to paint. `pictures` are drawn in order, each where the viewport puts it; the last is the freshest."""

    viewport: Viewport
    pictures: tuple[Picture, ...]
    limit: float | None
    dark: bool
    colors: Colors
    font: QFont
    beyond: Beyond | None = None
    block: int = 0  # values per block along a row; 0 draws no borders
    tall: int = 0  # rows that share scales, where several do; 0 draws no borders
    what: str = "block"  # a word for what the borders part
    sub: int = 0  # values that share a scale, where a block has several of them; 0 draws no dashed borders
    pointer: tuple[int, int] | None = None
    title: tuple[str, ...] = field(default=())
    sizes: bool = False  # colours run from 0 to limit


@dataclass(frozen=True, slots=True)
class Places:
    """Rectangles in logical px: the room for the image, and the colour bar (None where there is no room for it)."""

    room: QRectF
    bar: QRectF | None


def places(width: float, height: float, rows: int, font: QFont, top: float = 0.0) -> Places:
    """Where the parts stand in a widget of this size; `top` px are kept free above."""
    metrics = QFontMetricsF(font)
    left = max(metrics.horizontalAdvance(count(max(rows - 1, 0))), metrics.horizontalAdvance("000")) + 20
    above = 2 * metrics.height() + 14
    words = max(metrics.horizontalAdvance("000,000 above"), BAR_WIDTH + 12 + metrics.horizontalAdvance("\u22120.00000"))
    zone = BAR_GAP + words + 10
    with_bar = width - left - zone >= 220 and height - top >= 200
    right = zone if with_bar else 12
    room = QRectF(left, top + above, max(width - left - right, 8), max(height - top - above - 12, 8))
    if not with_bar:
        return Places(room, None)
    lines = 2 * metrics.height() + 8
    length = max(room.height() - 2 * lines - metrics.height() - 12, 40)
    bar = QRectF(room.right() + BAR_GAP, room.top() + lines, BAR_WIDTH, length)
    return Places(room, bar)


def area(frame: Frame, at: Places) -> QRectF:
    """What of the room the image covers, in logical px."""
    view = frame.viewport
    return QRectF(at.room.left(), at.room.top(), view.columns.shown / view.ratio, view.rows.shown / view.ratio)


def with_bar_beside(frame: Frame, at: Places) -> Places:
    """The same with the colour bar at the image's edge, and no higher than it with its words, where room is left free."""
    if at.bar is None:
        return at
    bar, shown = QRectF(at.bar), area(frame, at)
    words = at.room.height() - bar.height()
    bar.setHeight(min(bar.height(), max(shown.height() - words, BAR_LEAST)))
    bar.moveLeft(min(shown.right() + BAR_GAP, at.bar.left()))
    return Places(at.room, bar)


def value_rect(frame: Frame, at: Places, row: int, column: int) -> QRectF:
    """Where a value stands, in logical px."""
    view = frame.viewport
    x, y = view.columns.at(column) / view.ratio, view.rows.at(row) / view.ratio
    size = max(view.columns.scale, 1) / view.ratio, max(view.rows.scale, 1) / view.ratio
    return QRectF(at.room.left() + x, at.room.top() + y, *size)


def borders(frame: Frame, every: int, *, down: bool = False) -> list[int]:
    """The columns in view, or `down` the rows, at which another block, or sub-block, of so many values begins."""
    axis = frame.viewport.rows if down else frame.viewport.columns
    if not every or axis.scale < BORDERS_FROM * frame.viewport.ratio:
        return []
    start, stop = axis.window
    return list(range(-(-max(start, 1) // every) * every, stop, every))
