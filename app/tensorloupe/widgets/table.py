"""A read-only table as the dock and the file page use it: rows of 24 pixels, no grid, whole rows selected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QItemSelectionModel, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from tensorloupe.items import roles
from tensorloupe.items.copied import tabbed
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.delegate import ROW, RowDelegate, row_height
from tensorloupe.widgets.onego import paint_cells
from tensorloupe.widgets.viewport import viewport_of

INSET = 9  # with Qt's own margin, cells begin where their heads do


def keep_heads_out(table: QTableView) -> None:
    """Let the heads of a table know nothing of its selection, which they do not show.

    To tell whether all of a column is selected, Qt asks the model about each of its rows whenever a head is painted: with
    262,144 tokens or a million values that takes seconds. A selection of their own, which stays empty, has no such rows.
    """
    for header in (table.horizontalHeader(), table.verticalHeader()):
        header.setSelectionModel(QItemSelectionModel(table.model(), header))


class Table(QTableView):
    """Shows a table model. `widths` in characters per column; the column `stretch` takes what is left."""

    entered = Signal()
    row_least = ROW  # px, however small the font

    def __init__(
        self, theme: Theme, model: QAbstractItemModel, name: str, widths: Sequence[int], stretch: int | None = None
    ) -> None:
        super().__init__()
        self._theme, self._widths, self._stretch = theme, tuple(widths), stretch
        self.setModel(model)
        keep_heads_out(self)
        self.setItemDelegate(RowDelegate(theme, self, INSET))
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(row_height(self, self.row_least))
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setMinimumSectionSize(28)
        self.fit_columns()
        theme.changed.connect(self._repaint)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.model() is not None:
            self.verticalHeader().setDefaultSectionSize(row_height(self, self.row_least))
            self.fit_columns()

    def _repaint(self) -> None:
        self._ground.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 60)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_cells(self, self._ground, event, self._theme.color("alternate") if self.alternatingRowColors() else None)

    @cached_property
    def _ground(self) -> QWidget:
        """The viewport."""
        return viewport_of(self)

    def fit_columns(self) -> None:
        """Set the widths anew, as after the model's columns changed."""
        header, unit = self.horizontalHeader(), self.fontMetrics().averageCharWidth()
        for column, width in enumerate(self._widths[: self.model().columnCount()]):
            stretched = column == self._stretch
            mode = QHeaderView.ResizeMode.Stretch if stretched else QHeaderView.ResizeMode.Interactive
            header.setSectionResizeMode(column, mode)
            if not stretched:
                self.setColumnWidth(column, width * unit + 24)

    def set_widths(self, widths: Sequence[int], stretch: int | None) -> None:
        """Other widths, for a model whose columns change."""
        self._widths, self._stretch = tuple(widths), stretch
        self.fit_columns()

    def whole_height(self) -> int:
        """The height that shows all rows."""
        rows = self.model().rowCount() * self.verticalHeader().defaultSectionSize()
        return self.horizontalHeader().sizeHint().height() + rows + 2

    def current_row(self) -> int | None:
        """The row that has the cursor."""
        index = self.currentIndex()
        return index.row() if index.isValid() else None

    def selected_text(self, whole_rows: bool) -> str:
        """What Copy takes: the current cell, whole and exact; of several rows, or on request, tab-separated rows."""
        rows, current = self.selected_rows(), self.currentIndex()
        if len(rows) <= 1 and not whole_rows:
            return str(current.data(roles.RAW) or "") if current.isValid() else ""
        model = self.model()
        columns = range(model.columnCount())
        return tabbed([str(model.index(r, c).data(roles.RAW) or "") for c in columns] for r in rows)

    def selected_rows(self) -> list[int]:
        """The selected rows, from above. Qt's own way would ask the model about each of them."""
        chosen: Any = self.selectionModel().selection()  # a list, which the stubs do not know
        return sorted({row for part in chosen for row in range(part.top(), part.bottom() + 1)})

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif event.key() == Qt.Key.Key_Space:
            event.ignore()
        else:
            super().keyPressEvent(event)
