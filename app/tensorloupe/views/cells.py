"""The table of values on screen: fixed rows and columns, painted by itself.

Qt's own painting asks a model eight questions for each cell and its headers two hundred for their width, which in Python
costs more than a frame. Here a cell costs one look and one text.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from tensorloupe.style.text import count
from tensorloupe.style.theme import Theme
from tensorloupe.views.tiles import NOT_FINITE, RIGHT, ValuesTable
from tensorloupe.widgets.table import keep_heads_out

ROW, COLUMN, INSET = 24, 104, 6


class Header(QHeaderView):
    """A header of equal sections whose own size is known without asking the model."""

    def __init__(self, orientation: Qt.Orientation, model: ValuesTable) -> None:
        super().__init__(orientation)
        self._values = model
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        """Wide enough for the last row's number, or high enough for a line."""
        metrics = self.fontMetrics()
        if self.orientation() == Qt.Orientation.Horizontal:
            return QSize(0, metrics.height() + 10)
        rows = self._values.matrix.rows if self._values.matrix is not None else 0
        return QSize(metrics.horizontalAdvance(count(max(rows - 1, 99))) + 18, 0)


class Cells(QTableView):
    """Cells are selected as one rectangle; Ctrl+C asks for a copy of it; Tab leaves."""

    copy_asked = Signal()

    def __init__(self, theme: Theme, model: ValuesTable) -> None:
        super().__init__()
        self._theme, self._values = theme, model
        self._longest = 0
        self.setHorizontalHeader(Header(Qt.Orientation.Horizontal, model))
        self.setVerticalHeader(Header(Qt.Orientation.Vertical, model))
        self.setModel(model)
        keep_heads_out(self)
        self.setAccessibleName("Values")
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(max(ROW, self.fontMetrics().height() + 6))
        self.horizontalHeader().setDefaultSectionSize(max(COLUMN, self.fontMetrics().averageCharWidth() * 15))

    def fit_columns(self, longest: int) -> None:
        """Make columns wide enough for so many letters; they never get narrower again."""
        if longest > self._longest:
            self._longest = longest
            wanted = self.fontMetrics().averageCharWidth() * (longest + 4)
            header = self.horizontalHeader()
            if wanted > header.defaultSectionSize():
                header.setDefaultSectionSize(wanted)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+C copies all that is selected, not only the current cell as Qt does."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Grounds, then values, then what is not finite, then the cursor."""
        painter = QPainter(self.viewport())
        model, room = self._values, self.viewport().rect()
        rows, columns = model.rowCount(), model.columnCount()
        if not rows or not columns:
            return
        top, left = max(self.rowAt(0), 0), max(self.columnAt(0), 0)
        height, width = self.rowHeight(top), self.columnWidth(left)
        y0, x0 = self.rowViewportPosition(top), self.columnViewportPosition(left)
        bottom = min(rows, top + (room.height() - y0) // height + 1)
        right = min(columns, left + (room.width() - x0) // width + 1)
        self._paint_grounds(painter, QRect(x0, y0, (right - left) * width, (bottom - top) * height), top, left)
        odd: list[tuple[QRect, str]] = []
        painter.setPen(self._theme.color("text"))
        for row in range(top, bottom):
            y = y0 + (row - top) * height
            for column in range(left, right):
                text = model.text_at(model.first_row + row, model.first_column + column)
                if text:
                    box = QRect(x0 + (column - left) * width, y, width - INSET, height)
                    if text.endswith(NOT_FINITE):
                        odd.append((box, text))
                    else:
                        painter.drawText(box, RIGHT, text)
        painter.setPen(self._theme.color("error"))
        for box, text in odd:
            painter.drawText(box, RIGHT, text)
        if self.hasFocus() and self.currentIndex().isValid():
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(self.visualRect(self.currentIndex()).adjusted(0, 0, -1, -1))

    def _paint_grounds(self, painter: QPainter, area: QRect, top: int, left: int) -> None:
        """Every other block (or row) on a ground of its own, and what is selected."""
        model, stripe = self._values, self._theme.color("alternate")
        height, width = self.rowHeight(top), self.columnWidth(left)
        if model.stripes_down:
            for k in range(area.height() // height):
                if model.striped(model.first_row + top + k, 0):
                    painter.fillRect(QRect(area.left(), area.top() + k * height, area.width(), height), stripe)
        else:
            for k in range(area.width() // width):
                if model.striped(0, model.first_column + left + k):
                    painter.fillRect(QRect(area.left() + k * width, area.top(), width, area.height()), stripe)
        chosen: Any = self.selectionModel().selection()  # a list, which the stubs do not know
        for part in chosen:
            first = self.visualRect(part.topLeft())
            box = QRect(first.topLeft(), QSize(part.width() * width, part.height() * height))
            painter.fillRect(box.intersected(area), self._theme.color("highlight"))
