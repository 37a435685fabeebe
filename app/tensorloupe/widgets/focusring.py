"""A ring that shows where the focus went by the keyboard, on widgets that Qt draws without one: tables, lists, tabs, boxes.

Buttons, fields, choices and pictures draw their own. A click brings no ring: who clicks knows where.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QCheckBox, QSlider, QTabBar, QWidget

_WITHOUT = (QAbstractScrollArea, QTabBar, QCheckBox, QSlider)
_LEAVES = (QEvent.Type.FocusOut, QEvent.Type.Hide)


def show_on(widget: QWidget) -> None:
    """Draw the ring on what has just got the focus by a key, until it loses it."""
    if isinstance(widget, _WITHOUT):
        old = widget.findChild(FocusRing, options=Qt.FindChildOption.FindDirectChildrenOnly)
        (old or FocusRing(widget)).begin()


class FocusRing(QWidget):
    """Two px in the accent colour over the border of its parent; lets every click through."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def begin(self) -> None:
        """Show it, as large as its parent."""
        self.setGeometry(self._host.rect())
        self.raise_()
        self.show()
        self._host.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _LEAVES:
            self._host.removeEventFilter(self)
            self.hide()
        elif event.type() == QEvent.Type.Resize:
            self.setGeometry(self._host.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Link))
        for inset in (0, 1):
            painter.drawRect(self.rect().adjusted(inset, inset, -inset - 1, -inset - 1))
