"""The rows of the list: sortable by every column, opened by Enter or a double click, copied whole."""

from __future__ import annotations

import time

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QHeaderView, QMenu

from tensorloupe import clipboard
from tensorloupe.items.sheet import FIRST, FOLDER, FORMAT, STATE, TYPES, SheetRow, SheetTable, copied
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.table import Table

_WIDTHS = (3, 34, 20, 18, 9, 7, 18, 60)
# widths below which a column goes, with text of the usual height
_TYPES_FROM, _FORMAT_FROM, _FOLDER_FROM = 1150, 820, 1000
_STILL = 1.0  # seconds after a click or key for which rows keep their places


class SheetView(Table):
    """Shows a SheetTable. Rows do not move under a hand: `still` says that somebody is at it just now."""

    opened = Signal()
    again_wanted = Signal()

    def __init__(self, theme: Theme, model: SheetTable) -> None:
        super().__init__(theme, model, "Models", _WIDTHS, FIRST)
        self._model, self._theme = model, theme
        self._touched = 0.0
        self._many_folders = False
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(STATE, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(model.sort)
        header.setSectionResizeMode(STATE, QHeaderView.ResizeMode.Fixed)
        header.setAccessibleName("Columns of the list")
        self.setColumnWidth(STATE, 40)
        self.doubleClicked.connect(lambda _: self.opened.emit())
        self.entered.connect(self.opened)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.show_folders(False)

    @property
    def still(self) -> bool:
        """Whether rows should keep their places for the moment."""
        return time.monotonic() - self._touched < _STILL

    def show_folders(self, many: bool) -> None:
        """Show the column of folders only where it tells rows apart."""
        if many != self._many_folders:
            self._many_folders = many
            self._fit()

    def current(self) -> SheetRow | None:
        """The row that has the cursor."""
        at = self.current_row()
        return self._model.row_at(at) if at is not None and at < self._model.rowCount() else None

    def selected(self) -> list[SheetRow]:
        """The selected rows, from above."""
        return [
            self._model.row_at(at) for at in sorted({index.row() for index in self.selectionModel().selectedRows()})
        ]

    def go_to(self, row: SheetRow | None) -> None:
        """Put the cursor on a row, where it is shown."""
        at = self._model.position_of(row) if row is not None else None
        if at is not None:
            self.setCurrentIndex(self._model.index(at, 1))

    def selected_text(self, whole_rows: bool) -> str:
        """What Copy takes: the path of one row; of several, or on request, whole rows."""
        rows = self.selected()
        return copied(rows) if whole_rows or len(rows) > 1 else "".join(row.path for row in rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._touched = time.monotonic()
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._touched = time.monotonic()
        super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._touched = time.monotonic()
        super().wheelEvent(event)

    def _fit(self) -> None:
        width, scaled = self.width(), self._theme.scaled
        self.setColumnHidden(TYPES, width < scaled(_TYPES_FROM))
        self.setColumnHidden(FORMAT, width < scaled(_FORMAT_FROM))
        self.setColumnHidden(FOLDER, not self._many_folders or width < scaled(_FOLDER_FROM))

    def _menu(self, where: QPoint) -> None:
        if not self.indexAt(where).isValid():
            return
        menu = QMenu(self)
        open_ = menu.addAction("Open")
        open_.setEnabled(bool((row := self.current()) and row.openable))
        open_.triggered.connect(self.opened)
        menu.addAction("Check again").triggered.connect(self.again_wanted)
        menu.addSeparator()
        menu.addAction("Copy path").triggered.connect(
            lambda: clipboard.copy("\n".join(r.path for r in self.selected()))
        )
        menu.addAction("Copy rows" if len(self.selected()) > 1 else "Copy row").triggered.connect(
            lambda: clipboard.copy(self.selected_text(True))
        )
        menu.exec(self.viewport().mapToGlobal(where))
        menu.deleteLater()
