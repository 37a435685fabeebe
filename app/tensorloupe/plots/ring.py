"""A picture that can have the focus: a ring inside its border, where the focus came by the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tensorloupe.style import accessible
from tensorloupe.style.painting import safely
from tensorloupe.style.theme import Theme

_BY_HAND = (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.OtherFocusReason)


class RingedPicture(QWidget):
    """Takes the focus and the room that there is; a subclass paints and calls `paint_ring` last."""

    def __init_subclass__(cls) -> None:
        """Every picture may fail to be painted, whatever paints it."""
        super().__init_subclass__()
        if "paintEvent" in cls.__dict__:
            cls.paintEvent = safely(cls.paintEvent)  # type: ignore[method-assign]

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._ringed = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        accessible.speak_as(self, QAccessible.Role.Graphic, name)

    @property
    def held(self) -> bool:
        """Whether something in the picture is held with the mouse, which Esc then gives back."""
        return False

    def event(self, event: QEvent) -> bool:
        """Claim Esc while something is held: else the window's action would have it, and the drag would go on."""
        key = event.key() if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) else None
        if key == Qt.Key.Key_Escape and self.held:
            event.accept()
            return True
        return super().event(event)

    def paint_ring(self, painter: QPainter) -> None:
        """Two px in the accent colour, inside."""
        if self._ringed and self.hasFocus():
            painter.setPen(self._theme.color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.drawRect(self.rect().adjusted(1, 1, -2, -2))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Draw the ring, unless a click brought the focus."""
        super().focusInEvent(event)
        self._ringed = event.reason() not in _BY_HAND
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Draw no ring."""
        super().focusOutEvent(event)
        self.update()


class DrawnPicture(RingedPicture):
    """One that paints an image which was drawn for its size. `resized`: that is another one, draw anew."""

    resized = Signal()

    def minimumSizeHint(self) -> QSize:
        """Small: the view's own minimum counts."""
        return QSize(160, 120)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for an image of the new size; the old one is stretched meanwhile."""
        super().resizeEvent(event)
        self.resized.emit()
