"""Curve and table: side by side where there is room, else one of them at a time."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from tensorloupe.theme import Theme

WIDE = 860  # from this width on both have room
TABLE = 0.54  # of the width, and no more than it can use
MOST = 780


class Halves(QWidget):
    """`narrow_changed` tells that only one of both has room by now, or both have."""

    narrow_changed = Signal(bool)

    def __init__(self, theme: Theme, curve: QWidget, table: QWidget) -> None:
        super().__init__()
        self._theme = theme
        self.curve, self.table = curve, table
        for part in (curve, table):
            part.setParent(self)
        self.narrow = False
        self._with_table = False

    def show_table(self, with_table: bool) -> None:
        """Which of both is shown where only one has room."""
        self._with_table = with_table
        self.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both."""
        super().resizeEvent(event)
        narrow = self.width() < WIDE
        if narrow is not self.narrow:
            self.narrow = narrow
            self.narrow_changed.emit(narrow)
        self.place()

    def place(self) -> None:
        """Give each its room."""
        width, height = self.width(), self.height()
        self.curve.setVisible(not self.narrow or not self._with_table)
        self.table.setVisible(not self.narrow or self._with_table)
        if self.narrow:
            self.curve.setGeometry(0, 0, width, height)
            self.table.setGeometry(0, 0, width, height)
        else:
            right = min(round(width * TABLE), max(MOST, self.fontMetrics().averageCharWidth() * 110))
            self.curve.setGeometry(0, 0, width - right - 1, height)
            self.table.setGeometry(width - right, 0, right, height)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the quiet line between both."""
        if not self.narrow:
            painter = QPainter(self)
            painter.setPen(self._theme.color("thin"))
            x = self.table.geometry().left() - 1
            painter.drawLine(x, 0, x, self.height())

    def minimumSizeHint(self) -> QSize:
        """The picture's own minimum."""
        return QSize(420, 200)
