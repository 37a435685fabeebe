"""The ranked table of errors: sortable by every measure, whole rows, columns that give way when it gets narrow."""

from __future__ import annotations

import time

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QHeaderView, QMenu

from tensorloupe import clipboard
from tensorloupe.items.errortable import HEADS, KEYS, NAME, RELATIVE, STATE, ErrorTable, copied
from tensorloupe.style.theme import Theme
from tensorloupe.views.compare.bars import BarDelegate
from tensorloupe.widgets.delegate import RowDelegate
from tensorloupe.widgets.table import Table

_WIDTHS = {"type": 7, "ratio": 8, "sqnr": 8, "largest": 8, "p99": 8, "rmse": 8, "cosine": 9, "bias": 9}
_WIDTHS |= {"damage": 11, "nonfinite": 8, "bytes": 9}
# which columns go first where there is no room for all: the last ones
_ORDER = (
    "relative",
    "ratio",
    "type",
    "sqnr",
    "largest",
    "damage",
    "p99",
    "rmse",
    "cosine",
    "bias",
    "bytes",
    "nonfinite",
)
_NAMES, _BAR, _BAR_MOST = 22, 24, 44  # characters that names have at least, and bars at least and at most
_STILL = 1.0  # seconds after a click or key for which rows keep their places


class ErrorList(Table):
    """Shows an ErrorTable. `chosen` gives the pair that the cursor was moved to; `columns_chosen` what is shown by hand."""

    chosen = Signal(int)
    columns_chosen = Signal(object)
    accept_wanted = Signal(object)

    def __init__(self, theme: Theme, model: ErrorTable) -> None:
        self._model = model
        self._touched, self._following, self._reveals = 0.0, False, True
        self._chosen: dict[str, bool] = {}
        super().__init__(theme, model, "Errors of the whole file", (), None)
        self.setItemDelegateForColumn(RELATIVE, BarDelegate(theme, self, model))
        self.setItemDelegateForColumn(STATE, RowDelegate(theme, self))
        self._dress_header()
        self.selectionModel().currentRowChanged.connect(self._moved)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.fit_columns()

    @property
    def still(self) -> bool:
        """Whether rows should keep their places for the moment: a hand is on them."""
        return time.monotonic() - self._touched < _STILL

    def choose_columns(self, chosen: dict[str, bool]) -> None:
        """Show or hide columns as the user chose before, by their keys."""
        self._chosen = {key: shown for key, shown in chosen.items() if key in KEYS and isinstance(shown, bool)}
        self.fit_columns()

    def go_to(self, row: int | None) -> None:
        """Put the cursor on a pair without telling, where it is shown."""
        at = self._model.position_of(row)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self._following = True
        if at is None:
            self.selectionModel().clear()
        else:
            self.selectionModel().setCurrentIndex(self._model.index(at, NAME), flags)
        self._following, self._reveals = False, True
        self.reveal()

    def reveal(self) -> None:
        """Have the cursor's row in view, unless somebody looks elsewhere by hand since it was put there."""
        if self._reveals and self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    def _touch(self) -> None:
        self._touched, self._reveals = time.monotonic(), False

    def selected_rows(self) -> list[int]:
        """The selected pairs, from above."""
        return [self._model.row_at(at) for at in sorted({i.row() for i in self.selectionModel().selectedRows()})]

    def selected_text(self, whole_rows: bool) -> str:
        """What Copy takes: the name of one; of several, or on request, whole rows."""
        errors, rows = self._model.errors, self.selected_rows()
        if errors is None:
            return ""
        return copied(errors, rows) if whole_rows or len(rows) > 1 else "".join(errors.pairs[r].tensor for r in rows)

    def fit_columns(self) -> None:
        """Show the columns that have room, or that the user chose; the names take what is left."""
        unit, header = self.fontMetrics().averageCharWidth(), self.horizontalHeader()
        widths = {key: max(_WIDTHS[key] * unit + 20, self._head_width(key)) for key in _WIDTHS}
        widths["relative"] = _BAR * unit
        left = self._ground.width() - 32 - _NAMES * unit
        for key in _ORDER:
            left -= widths[key]
            shown = self._chosen.get(key, left >= 0 or key == "relative")
            left += 0 if shown else widths[key]
            self.setColumnHidden(KEYS.index(key), not shown)
        for key, width in widths.items():
            more = min(max(left, 0) // 2, (_BAR_MOST - _BAR) * unit) if key == "relative" else 0
            self.setColumnWidth(KEYS.index(key), width + more)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(STATE, 32)

    def _head_width(self, key: str) -> int:
        return self.fontMetrics().horizontalAdvance(HEADS[KEYS.index(key)]) + 28

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._touch()
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._touch()
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._touch()
        super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()
        self.reveal()

    def _dress_header(self) -> None:
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(STATE, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._model.sort)
        header.setSectionResizeMode(STATE, QHeaderView.ResizeMode.Fixed)
        header.setAccessibleName("Columns of the errors")
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._header_menu)

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid() and not self._following:
            self.chosen.emit(self._model.row_at(current.row()))

    def _menu(self, where: QPoint) -> None:
        errors, rows = self._model.errors, self.selected_rows()
        if errors is None or not rows or not self.indexAt(where).isValid():
            return
        menu = QMenu(self)
        names = menu.addAction("Copy names" if len(rows) > 1 else "Copy name")
        names.triggered.connect(lambda: clipboard.copy("\n".join(errors.pairs[row].tensor for row in rows)))
        copy = menu.addAction("Copy rows" if len(rows) > 1 else "Copy row")
        copy.triggered.connect(lambda: clipboard.copy(copied(errors, rows)))
        guesses = [row for row in rows if errors.guess(row)]
        if guesses:
            menu.addSeparator()
            accept = menu.addAction("Accept these pairs" if len(guesses) > 1 else "Accept this pair")
            accept.triggered.connect(lambda: self.accept_wanted.emit(guesses))
        menu.exec(self.viewport().mapToGlobal(where))
        menu.deleteLater()

    def _header_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        for column, key in enumerate(KEYS):
            if column not in (STATE, NAME):
                action = menu.addAction(HEADS[column])
                action.setCheckable(True)
                action.setChecked(not self.isColumnHidden(column))
                action.setData(key)
        menu.addSeparator()
        automatic, order = menu.addAction("Fit to the width"), menu.addAction("Order of the model")
        picked = menu.exec(self.horizontalHeader().mapToGlobal(where))
        if picked is automatic:
            self._chosen = {}
        elif picked is order:
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        elif picked is not None:
            self._chosen[picked.data()] = picked.isChecked()
        menu.deleteLater()
        self.fit_columns()
        self.columns_chosen.emit(dict(self._chosen))
