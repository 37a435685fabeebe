"""The upper part of the Error view: chips, the ranked table, the grid beside it, and the list of what has no pair."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from tensorloupe.files.settings import Settings
from tensorloupe.items.errors import Errors
from tensorloupe.items.errortable import ErrorTable
from tensorloupe.style.theme import Theme
from tensorloupe.views.compare.grid import GridPanel
from tensorloupe.views.compare.head import LEFT, ErrorHead
from tensorloupe.views.compare.left import LeftList
from tensorloupe.views.compare.table import ErrorList
from tensorloupe.widgets.controls import Rule

_SETTLE = 400  # milliseconds between two orderings of rows that are still being measured
COLUMNS = "error_columns"
WIDE = 860  # from this width on, at the usual font, the grid stands beside the table, below it takes turns with it


class Ranking(QWidget):
    """Shows Errors as far as they are measured. `chosen` gives the pair that the user went to, in the table or the grid."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, settings: Settings, head: ErrorHead, grid: GridPanel) -> None:
        super().__init__()
        self.head, self.grid = head, grid
        self.model = ErrorTable(self)
        self.table = ErrorList(theme, self.model)
        self.table.choose_columns(settings.get(COLUMNS, {}))
        self._theme = theme
        self.errors: Errors | None = None
        self._row: int | None = None
        self.lists = QStackedWidget()
        self.lists.addWidget(self.table)
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.across.setHandleWidth(1)
        self.across.setChildrenCollapsible(False)
        for widget in (self.lists, self.grid):
            self.across.addWidget(widget)
        self.across.setStretchFactor(0, 5)
        self.across.setStretchFactor(1, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.head, Rule(theme)):
            column.addWidget(part)
        column.addWidget(self.across, 1)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE)
        self._settle.timeout.connect(self.settle)
        self.table.chosen.connect(self.chosen)
        self.grid.chosen.connect(self.chosen)
        self.table.columns_chosen.connect(lambda chosen: settings.set(COLUMNS, chosen))
        self.head.chosen.connect(self._filter)
        self.head.grid.toggled.connect(lambda _: self._arrange())

    @cached_property
    def left(self) -> LeftList:
        """The list of what has no pair, made when it is first asked for."""
        made = LeftList(self._theme)
        made.left.show_rows(self.errors.left if self.errors is not None else ())
        self.lists.addWidget(made)
        return made

    def show_errors(self, errors: Errors | None) -> None:
        """Show another comparison, unfiltered; nothing where there is none."""
        self.errors = None  # nothing is to be ranked meanwhile
        self.model.show_errors(None)
        self.head.choose("")
        self.errors = errors
        self.model.show_errors(errors)
        self.grid.show_errors(errors)
        if "left" in self.__dict__:
            self.left.left.show_rows(errors.left if errors is not None else ())
        if errors is not None and not errors.pairs and errors.left:
            self.head.choose(LEFT)
        self._arrange()
        self.settle()

    def go_to(self, row: int | None) -> None:
        """Mark a pair, without telling."""
        self._row = row
        self.table.go_to(row)
        self.grid.go_to(row)

    def news(self) -> None:
        """More was measured: show it soon."""
        if not self._settle.isActive():
            self._settle.start()

    def settle(self) -> None:
        """Rank what was measured since; rows do not move under a hand."""
        errors = self.errors
        if errors is None:
            return
        self.head.show_counts(errors.counts(), len(errors.left))
        self.grid.refresh()
        if self.table.still and errors.waiting:
            self.table.viewport().update()
            self._settle.start()
        else:
            self.model.settle()
            self.table.reveal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The grid goes behind a toggle where it has no room."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        worth = self.errors is not None and self.grid.worth_showing
        narrow = self.width() < self._theme.scaled(WIDE)
        self.head.grid.setVisible(narrow and worth)
        turned = narrow and self.head.grid.isChecked()
        self.grid.setVisible(worth and (turned or not narrow))
        self.lists.setVisible(not (worth and turned))

    def _filter(self, key: str) -> None:
        if key and self.head.grid.isChecked():
            self.head.grid.setChecked(False)
        self.lists.setCurrentWidget(self.left if key == LEFT else self.table)
        self.model.show_only(() if key in ("", LEFT) else (key,))
        self.table.go_to(self._row)
