"""The widget of the heatmap: turns wheel, drag and keys into places to go to."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from tensorloupe.style.theme import Theme
from tensorloupe.views.heat.bar import nonfinite_box
from tensorloupe.views.heat.canvas import MatrixCanvas
from tensorloupe.views.heat.frame import area
from tensorloupe.views.heat.viewport import Viewport

NOTCH = 120  # of a wheel
ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class HeatmapPicture(MatrixCanvas):
    """The picture of a matrix, for mouse and keys.

    next_nonfinite  the user asks for the next NaN or Inf
    entered         (row, column) the user wants to see the block of the value that is pointed at
    """

    next_nonfinite = Signal()
    entered = Signal(object, object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._drag: tuple[QPointF, Viewport] | None = None
        self._turned = 0

    @property
    def held(self) -> bool:
        """Whether the image is being dragged."""
        return self._drag is not None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; faster while a pixel stands for many values."""
        self._turned += event.angleDelta().y()
        notches = int(self._turned / NOTCH)
        self._turned -= notches * NOTCH
        if notches and self._frame is not None:
            fast = self._frame.viewport.zoom < 1
            self.zoom(notches * (2 if fast else 1), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the image, or ask for the next NaN."""
        if event.button() != Qt.MouseButton.LeftButton or self._frame is None:
            return
        at = self.places()
        if nonfinite_box(self._frame, at).contains(event.position()):
            self.next_nonfinite.emit()
        elif area(self._frame, at).contains(event.position()):
            self._drag = event.position(), self._frame.viewport

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while the image is held; else tell which value is under the pointer."""
        if self._drag is not None:
            start, view = self._drag
            moved = (start - event.position()) * self.devicePixelRatioF()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.go(view.moved(round(moved.x()), round(moved.y())))
            return
        self._point(self.value_at(event.position()))
        over = self._frame is not None and nonfinite_box(self._frame, self.places()).contains(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.CrossCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        if self._drag is not None and event.button() == Qt.MouseButton.LeftButton:
            self._drag = None
            self.setCursor(Qt.CursorShape.CrossCursor)
            self._point(self.value_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the block under the pointer."""
        self._drag = None
        place = self.value_at(event.position())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._point(place)
            self.entered.emit(*place)

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move by a value, with Shift or Page Up and Down by a block; + and - zoom, Home fits, N next NaN, Enter
        opens the block.
        """
        if self._frame is None or not self._key(event):
            super().keyPressEvent(event)

    def _key(self, event: QKeyEvent) -> bool:
        assert self._frame is not None
        key = Qt.Key(event.key())
        block = self._frame.block or 32
        if event.key() == Qt.Key.Key_Escape and self._drag is not None:
            view, self._drag = self._drag[1], None
            self.go(view)
        elif key in ARROWS:
            row, column = ARROWS[key]
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._step(row * (block if shifted else 1), column * (block if shifted else 1))
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._step(block if key == Qt.Key.Key_PageDown else -block, 0)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1)
        elif key == Qt.Key.Key_Minus:
            self.zoom(-1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._frame.pointer is not None:
            self.entered.emit(*self._frame.pointer)
        elif key == Qt.Key.Key_Home:
            self.fit()
        elif key == Qt.Key.Key_N and not event.modifiers():
            self.next_nonfinite.emit()
        else:
            return False
        return True
