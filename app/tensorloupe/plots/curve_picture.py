"""The widget that shows a drawn curve: the type under the pointer, or of the selected row, gets a ring and is read out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from tensorloupe.plots.curve import CurveImage
from tensorloupe.plots.ring import DrawnPicture
from tensorloupe.style.theme import SECONDARY, Theme

NEAR = 12  # px around a type's place where the pointer means it


class CurvePicture(DrawnPicture):
    """The curve of one tensor. `words` gives the line that reads a type out.

    chosen   the user clicked on a type, or moved to it by the arrow keys
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, words: Callable[[str], str]) -> None:
        super().__init__(theme, "Error against bits per weight")
        self._words = words
        self._drawn: CurveImage | None = None
        self._hover: str | None = None
        self.marked: str | None = None

    @property
    def drawn(self) -> CurveImage | None:
        """What is painted."""
        return self._drawn

    def show_image(self, drawn: CurveImage | None) -> None:
        """Paint this from now on."""
        self._drawn = drawn
        self.update()

    def mark(self, name: str | None) -> None:
        """Put the ring on a type, None on none."""
        if name != self.marked:
            self.marked = name
            self.setAccessibleDescription("" if name is None else self._words(name))
            self.update()

    def spot(self, name: str) -> QPointF | None:
        """Where a type stands in the widget as it is now."""
        if self._drawn is None:
            return None
        look = self._drawn.look
        x, y = self.width() / look.width, self.height() / look.height
        return next((QPointF(sx * x, sy * y) for spot, sx, sy in self._drawn.spots if spot == name), None)

    def _near(self, at: QPointF) -> str | None:
        best, least = None, float(NEAR)
        for name, _, _ in self._drawn.spots if self._drawn is not None else ():
            spot = self.spot(name)
            away = 0.0 if spot is None else (spot - at).manhattanLength()
            if away < least:
                best, least = name, away
        return best

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read out the type under the pointer."""
        near = self._near(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if near is not None else Qt.CursorShape.ArrowCursor)
        if near != self._hover:
            self._hover = near
            self.update()

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the pointer any more."""
        self._hover = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the type under the pointer."""
        near = self._near(event.position())
        if event.button() == Qt.MouseButton.LeftButton and near is not None:
            self.chosen.emit(near)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right go to the type with fewer or more bits."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or self._drawn is None or not self._drawn.spots:
            super().keyPressEvent(event)
            return
        names = [name for name, _, _ in sorted(self._drawn.spots, key=lambda spot: (spot[1], -spot[2]))]
        at = names.index(self.marked) + step if self.marked in names else 0
        self.chosen.emit(names[min(max(at, 0), len(names) - 1)])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the image, then the ring and the words."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("base"))
        if self._drawn is not None:
            fresh = (self.width(), self.height()) == (self._drawn.look.width, self._drawn.look.height)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not fresh)
            painter.drawImage(QRectF(self.rect()), self._drawn.image)
            self._paint_mark(painter)
        self.paint_ring(painter)

    def _paint_mark(self, painter: QPainter) -> None:
        name = self._hover or self.marked
        spot = None if name is None else self.spot(name)
        if name is None or spot is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("accent"), 2))
        painter.drawEllipse(spot, 8, 8)
        painter.setFont(self._theme.font(SECONDARY))
        painter.setPen(self._theme.color("text"))
        line = QRectF(8, 2, self.width() - 20, painter.fontMetrics().height() + 2)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._words(name))
