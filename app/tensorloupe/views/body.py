"""Picture and numbers: side by side where there is room, the numbers as lines under the picture where there is not."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from tensorloupe.style.theme import Theme
from tensorloupe.views.side import NumbersSide

WIDE = 900  # from this width of the view on, at the usual font, the numbers stand beside the picture
COLUMN, MARGIN, LINES_MARGIN = 250, 16, 8


class Body(QWidget):
    """Holds the stage and the side; decides which way they stand."""

    def __init__(self, theme: Theme, stage: QWidget, side: NumbersSide) -> None:
        super().__init__()
        self._theme = theme
        self._stage, self._side = stage, side
        stage.setParent(self)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.viewport().setAutoFillBackground(False)
        self._scroll.setWidget(side)
        side.setAutoFillBackground(False)  # setWidget turns it on: the column stands on the view's own ground
        self.wide = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both."""
        super().resizeEvent(event)
        self.place()

    def place(self) -> None:
        """Place the picture and the numbers for the size at hand."""
        width, height = self.width(), self.height()
        wide = width >= self._theme.scaled(WIDE)
        if wide != self.wide:
            self.wide = wide
            self._side.set_flow(not wide)
            policy = Qt.ScrollBarPolicy
            self._scroll.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if wide else policy.ScrollBarAlwaysOff)
        if wide:
            column = max(COLUMN, self.fontMetrics().averageCharWidth() * 36)
            left = width - column - 2 * MARGIN - 1
            self._stage.setGeometry(0, 0, left, height)
            self._scroll.setGeometry(left + 1 + MARGIN, 12, column + MARGIN, max(height - 12, 0))
        else:
            lines = self._side.flow_height(width - 2 * MARGIN)
            top = max(height - lines - 2 * LINES_MARGIN, 0)
            self._stage.setGeometry(0, 0, width, top)
            self._scroll.setGeometry(MARGIN, top + LINES_MARGIN, width - 2 * MARGIN, lines)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the quiet line between picture and numbers."""
        painter = QPainter(self)
        painter.setPen(self._theme.color("thin"))
        edge = self._stage.geometry()
        if self.wide:
            painter.drawLine(edge.right() + 1, 0, edge.right() + 1, self.height())
        else:
            painter.drawLine(0, edge.bottom() + 1, self.width(), edge.bottom() + 1)

    def minimumSizeHint(self) -> QSize:
        """The picture's own minimum."""
        return QSize(420, 260)
