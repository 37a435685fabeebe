"""A grid of layers and roles as a table view: cells as wide as there is room, names of roles turned where they do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView

from tensorloupe.items.layergrid import Grid, GridModel, is_minor
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.layers.cells import CellDelegate
from tensorloupe.views.layers.heads import MOST_NAMED, NameHeader, TurningHeader
from tensorloupe.widgets.onego import paint_cells
from tensorloupe.widgets.viewport import viewport_of

READABLE = 44  # px of a cell below which columns that say nothing are folded away
LEAST, MOST, TALLEST = 18, 84, 30  # px of a cell
FLATTEST = 0.8  # heights of a line of text, of a cell
MOST_WIDE = 400  # rows of lone tensors that are drawn across all roles: each costs the table a span


class GridView(QTableView):
    """`chosen` gives the number in the cell that the user went to by mouse or keys; `folded` how many roles are not shown."""

    chosen = Signal(int)
    folded = Signal(int)

    def __init__(self, theme: Theme, model: GridModel, name: str) -> None:
        super().__init__()
        self.grid_model = model
        self._following, self._whole, self._folds = False, False, -1
        self._widened: Grid | None = None
        self._ground = viewport_of(self)
        self.setModel(model)
        self.cells = CellDelegate(theme, model, self)
        self.setItemDelegate(self.cells)
        self.across, self.down = TurningHeader(theme, self), NameHeader(theme, self)
        self.setHorizontalHeader(self.across)
        self.setVerticalHeader(self.down)
        self.setAccessibleName(name)
        self.setStyleSheet("QTableCornerButton::section { background: palette(base); border: 0; }")
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setFont(theme.font(SECONDARY))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.selectionModel().currentChanged.connect(self._moved)
        theme.changed.connect(self._ground.update)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 80)

    def go_to(self, number: int | None) -> None:
        """Frame the cell of a number without telling."""
        self.cells.current = number
        place = self.grid_model.grid.place(number)
        self._following = True
        if place is not None:
            index = self.grid_model.index(*place)
            self.setCurrentIndex(index)
            self.scrollTo(index)
        self._following = False
        self._ground.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_cells(self, self._ground, event, None)

    def show_whole(self, whole: bool) -> None:
        """Show every role, or fold the quiet ones away where cells would get too small."""
        self._whole = whole
        self.fit()

    def fit(self) -> None:
        """Cells as wide as the room allows, and as high."""
        columns, rows = self.grid_model.columnCount(), self.grid_model.rowCount()
        if not columns or not rows:
            return
        self._widen()
        metrics, model = QFontMetricsF(self.font()), self.grid_model
        named = QFontMetricsF(self.down.font())
        longest = max(named.horizontalAdvance(name) for name in model.grid.longest)
        self.down.setFixedWidth(min(round(longest) + 12, max(self.width() // 3, 60)))
        flattest = round(metrics.height() * FLATTEST)
        self.down.setMinimumSectionSize(flattest)
        scrolls = rows * flattest + self.across.sizeHint().height() > self.height()
        room = self.width() - self.down.width() - 4 - (self.verticalScrollBar().sizeHint().width() if scrolls else 0)
        quiet = frozenset[int]() if self._whole or room // columns >= READABLE else model.quiet_columns()
        quiet = quiet if len(quiet) < columns else frozenset()
        shown = [role for column, role in enumerate(model.grid.columns) if column not in quiet]
        wide, narrow = self._widths(shown, room)
        for column, role in enumerate(model.grid.columns):
            self.setColumnHidden(column, column in quiet)
            if column not in quiet:
                self.across.resizeSection(column, narrow if is_minor(role) else wide)
        self.across.fit(self._head_room(rows, narrow < wide))
        if len(quiet) != self._folds:
            self._folds = len(quiet)
            self.folded.emit(self._folds)
        free = self.height() - self.across.sizeHint().height() - 6
        self.down.setDefaultSectionSize(min(max(free // rows, flattest), max(TALLEST, 2 * flattest)))

    def _widths(self, shown: Sequence[str], room: int) -> tuple[int, int]:
        """Widths of the columns of matrices, and of the small tensors beside them, which give way where numbers need room.

        Names of roles stand upright where all of them have room so.
        """
        each, metrics = room // max(len(shown), 1), QFontMetricsF(self.across.font())
        if each >= READABLE:
            named = max((round(metrics.horizontalAdvance(role)) + 8 for role in shown[:MOST_NAMED]), default=0)
            wide = max(min(each, MOST), named if named <= each and len(shown) <= MOST_NAMED else 0)
            return wide, wide
        minor = sum(1 for role in shown if is_minor(role))
        wide = min(max((room - minor * LEAST) // max(len(shown) - minor, 1), LEAST), MOST)
        return wide, LEAST

    def _widen(self) -> None:
        """Draw tensors outside of layers across all columns: they have none of the roles."""
        grid = self.grid_model.grid
        if grid is self._widened:
            return
        self._widened = grid
        self.clearSpans()
        rows, columns = grid.cells.shape
        if columns > 1 and grid.lone <= MOST_WIDE:
            for row in range(rows - grid.lone, rows):
                self.setSpan(row, 0, 1, columns)

    def _head_room(self, rows: int, narrow: bool) -> int:
        """Height for turned names of roles: what the numbers in the cells leave of it, where these can be read at all."""
        line, most = round(QFontMetricsF(self.font()).height()), self.height() * 45 // 100
        spare = self.height() - 6 - rows * line
        return most if narrow or spare < line + 8 else min(most, spare)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        number = self.grid_model.number_at(current)
        if number is not None and not self._following:
            self.cells.current = number
            self._ground.update()
            self.chosen.emit(number)
