"""The bytes of a file as one line: header, tensors, gaps, and hatched what is promised and not there. A click selects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QBrush, QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tensorloupe.items.bytemap import GAP, HEADER, MISSING, TENSOR, UNREAD, Mark, Stretches
from tensorloupe.items.outline import RANKS, Ints, Outline
from tensorloupe.panels.axis import paint_axis
from tensorloupe.panels.bytemarks import label_below, label_beside, said
from tensorloupe.panels.bytenames import LABEL, ink_of, layers, write
from tensorloupe.panels.bytestrip import Strip
from tensorloupe.style import accessible, text, tips
from tensorloupe.style.painting import safely
from tensorloupe.style.theme import SECONDARY, Theme

BAR = 44
HATCH = 3  # width from which on hatching shows: narrower, it is a line
EDGE = 4  # height of the amber edge under a tensor with a warning
_NEAR = 3  # px from a mark within which the pointer is at it
_AXIS = 20  # px under the bars at the usual font
_WORDS = {HEADER: "header and metadata", GAP: "belongs to no tensor", MISSING: "promised, not there"}
_WORDS[UNREAD] = "not read: what lies here cannot be told"

_STATES = {"warning": "with a warning", "error": "with an error"}


class ByteMap(QWidget):
    """A part of the line (all of it by default) as wide as the widget. Emits the number of a tensor that is clicked."""

    tensor_clicked = Signal(int)

    def __init__(self, theme: Theme, axis: bool = True) -> None:
        super().__init__()
        self._theme, self._axis = theme, axis
        self._map: Stretches | None = None
        self._outline: Outline | None = None
        self._first, self._last = 0.0, 1.0
        self._begins: tuple[Mark, ...] = ()
        self.setMouseTracking(True)
        accessible.speak_as(self, QAccessible.Role.Graphic, "Map of the file's bytes")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        theme.changed.connect(self.updateGeometry)

    def show_map(self, map_: Stretches, outline: Outline, first: float = 0.0, last: float | None = None) -> None:
        """Show the line from `first` to `last`."""
        self._map, self._outline = map_, outline
        self._first, self._last = first, map_.length if last is None else last
        self._begins = ()
        self.update()

    def show_begins(self, begins: tuple[tuple[int, int], ...]) -> None:
        """Mark where files begin anew inside themselves: (part, byte)."""
        bases = self._map.bases if self._map is not None else ()
        self._begins = tuple(Mark(bases[part] + byte, byte, "the file begins anew here") for part, byte in begins)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, BAR + self._below())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, BAR + self._below())

    def _below(self) -> int:
        """Px under the bars for a line of words, whatever the font."""
        return max(_AXIS, QFontMetrics(self._theme.font(SECONDARY, bold=True)).height() + 4)

    def kinds(self) -> set[str]:
        """What of the legend the map has."""
        map_, outline = self._map, self._outline
        if map_ is None or outline is None:
            return set()
        words = {HEADER: "header", TENSOR: "data", GAP: "gap", MISSING: "gone", UNREAD: "unread"}
        drawn = map_.number[map_.kind == TENSOR]
        rank, whole = outline.rank[drawn], outline.share[drawn] >= 1
        kinds = {words[kind] for kind in map_.kinds}
        kinds |= {"unreadable"} if ((rank == RANKS["error"]) & whole).any() else set()
        return kinds | ({"warned"} if (rank == RANKS["warning"]).any() else set())

    def tensor_at(self, x: float) -> int | None:
        """The tensor under a pixel, None where there is none."""
        found = self._stretch_at(x)
        number = -1 if found is None or self._map is None else int(self._map.number[found])
        return None if number < 0 else number

    def tensor_under(self, at: QPointF) -> int | None:
        """The tensor on whose bar a point lies; none below the bars, where the axis stands."""
        return self.tensor_at(at.x()) if at.y() < BAR else None

    @safely
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._map is None or self._outline is None or self._last <= self._first:
            return
        painter = QPainter(self)
        self._paint_bars(painter)
        self._paint_marks(painter)
        painter.setFont(self._theme.font(SECONDARY))
        if self._axis:
            painter.setPen(self._theme.color("secondary"))
            paint_axis(painter, self._first, self._last, self.width(), BAR)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self.tensor_under(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if number is not None:
            self.tensor_clicked.emit(number)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hand = self.tensor_under(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)
        self.setToolTip(tips.plain(self._tip(event.position().x())))

    def _stretch_at(self, x: float) -> int | None:
        if self._map is None or not self.width():
            return None
        return self._map.at(self._first + (x + 0.5) / self.width() * (self._last - self._first))

    def _x(self, position: float) -> float:
        return (position - self._first) / (self._last - self._first) * self.width()

    def _paint_bars(self, painter: QPainter) -> None:
        """All colours at once, and on top of them what has a name or a pattern and is wide enough to show it."""
        map_, outline = self._map, self._outline
        assert map_ is not None and outline is not None
        pixels = max(round(self.width() * self.devicePixelRatioF()), 1)
        strip = Strip(
            map_, outline, (self._first, self._last), pixels, self._alternate(outline), missing=not self._axis
        )
        strip.paint(painter, self._theme.colors, self.width(), BAR, EDGE)
        touching = map_.within(self._first, self._last)
        starts, ends = self._x_array(map_.start[touching]), self._x_array(map_.end[touching])
        widths, kinds = ends - starts, map_.kind[touching]
        hatched = np.isin(kinds, (GAP, MISSING, UNREAD)) | strip.unreadable[touching]
        alone = (widths > LABEL) | ((widths >= HATCH) & hatched)
        if self._axis:
            alone &= kinds != MISSING
        named = set()
        for row, left, width in zip(touching[alone], starts[alone].tolist(), widths[alone].tolist(), strict=True):
            rect, number = QRectF(left, 0, width, BAR), int(map_.number[row])
            if self._paint_stretch(painter, rect, int(map_.kind[row]), number, bool(strip.unreadable[row])):
                named.add(number)
        least = LABEL * (self._last - self._first) / max(self.width(), 1)
        for first, last, name, place in layers(map_, outline, named, least) if self._axis else ():
            rect = QRectF(self._x(first), 0, self._x(last) - self._x(first), BAR)
            write(painter, rect, name, ink_of(self._theme.colors, place))
        for first, last in self._missing() if self._axis else ():
            self._paint_missing(painter, QRectF(self._x(first), 0, max(self._x(last) - self._x(first), 2.0), BAR))

    def _missing(self) -> list[tuple[float, float]]:
        """What each part of the model lacks at its end, as one stretch."""
        map_ = self._map
        assert map_ is not None
        lacking = map_.kind == MISSING
        starts = [mark.position for mark in map_.ends]
        found = []
        for first, bound in zip(starts, [*starts, map_.length][1:], strict=True):
            own = lacking & (map_.start >= first) & (map_.start < bound)
            if own.any():
                found.append((first, float(map_.end[own].max())))
        return found

    def _x_array(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = (positions - self._first) / (self._last - self._first) * self.width()
        return np.clip(scaled, 0, self.width())

    def _paint_stretch(self, painter: QPainter, rect: QRectF, kind: int, number: int, unreadable: bool) -> bool:
        """Paint what has a pattern, and write the name that has room; says whether there was any."""
        colors, outline = self._theme.colors, self._outline
        assert outline is not None
        if kind == GAP:
            self._paint_hatched(painter, rect, colors.base, colors.strong, Qt.BrushStyle.BDiagPattern)
        elif kind == UNREAD:
            self._paint_hatched(painter, rect, colors.base, colors.strong, Qt.BrushStyle.Dense6Pattern)
        elif kind == MISSING:
            self._paint_missing(painter, rect)
        elif unreadable:
            self._paint_hatched(painter, rect, colors.error_strip, colors.error, Qt.BrushStyle.DiagCrossPattern)
        if number < 0:
            return False
        name = (outline.names if self._axis else outline.labels)[number].removesuffix(".weight")
        if unreadable or kind == MISSING:
            return write(painter, rect, name, self._theme.color("text"), self._theme.color("base"))
        return write(painter, rect, name, ink_of(colors, int(self._alternate(outline)[number])))

    def _alternate(self, outline: Outline) -> Ints:
        """Numbers whose parity tells neighbours apart: layers on the whole line, tensors on a part of it."""
        return outline.place if self._axis else np.arange(len(outline.place))

    def _paint_missing(self, painter: QPainter, rect: QRectF) -> None:
        colors = self._theme.colors
        self._paint_hatched(painter, rect, colors.error_strip, colors.error, Qt.BrushStyle.BDiagPattern)

    @staticmethod
    def _paint_hatched(painter: QPainter, rect: QRectF, ground: str, line: str, pattern: Qt.BrushStyle) -> None:
        painter.fillRect(rect, QColor(ground))
        painter.fillRect(rect, QBrush(QColor(line), pattern))
        painter.setPen(QPen(QColor(line), 1))
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))

    def _marks(self) -> tuple[Mark, ...]:
        return () if self._map is None else (*self._map.ends, *self._map.breaks, *self._begins)

    def _paint_marks(self, painter: QPainter) -> None:
        """A line where a file stops short of what it promises, with the byte in words on the enlarged map; where a header
        breaks off, or a file begins anew, one that says so beside it.
        """
        map_, theme = self._map, self._theme
        assert map_ is not None
        painter.setFont(theme.font(SECONDARY, bold=True))
        for mark in self._marks():
            if not self._first <= mark.position <= self._last:
                continue
            x, below = min(self._x(mark.position), self.width() - 1.0), mark in map_.ends and not self._axis
            painter.setPen(QPen(theme.color("error"), 2))
            painter.drawLine(QPointF(x, 0), QPointF(x, BAR + (4 if below else 0)))
            if below:
                label_below(painter, mark, x, BAR + 3, self.width())
            elif mark not in map_.ends:
                label_beside(painter, mark, x, BAR, self.width(), theme.color("base"))

    def _tip(self, x: float) -> str:
        found, map_, outline = self._stretch_at(x), self._map, self._outline
        near = [said(mark) for mark in self._marks() if abs(self._x(mark.position) - x) <= _NEAR]
        if found is None or map_ is None or outline is None:
            return "\n".join(near)
        number, kind = int(map_.number[found]), int(map_.kind[found])
        length = text.size(int(map_.end[found] - map_.start[found]))
        first = outline.names[number] if number >= 0 else _WORDS[kind]
        what = f"\n{_WORDS[kind]}" if kind == MISSING else ""
        if kind == TENSOR and outline.status(number) in ("warning", "error"):
            what = f"\n{_STATES[outline.status(number)]}"
        return "\n".join((*near, first, f"{length} from byte {text.count(int(map_.start[found]))}{what}"))
