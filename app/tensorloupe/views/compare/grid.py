"""The layer × role grid as a table view: cells as wide as there is room, names of roles turned where they do not fit."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QTableView, QVBoxLayout, QWidget

from tensorloupe.items.errorgrid import GridModel, ends
from tensorloupe.items.errors import Errors
from tensorloupe.items.layergrid import LayerGrid, is_minor
from tensorloupe.items.measures import MEASURES
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.compare.cells import CellDelegate, color_at
from tensorloupe.views.compare.heads import NameHeader, TurningHeader
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.controls import Chip, Ground, PlainLabel

READABLE = 44  # px of a cell below which columns that say nothing are folded away
LEAST, MOST, TALLEST = 18, 84, 30  # px of a cell
FLATTEST = 0.8  # heights of a line of text, of a cell
MARGIN = 14


class GridView(QTableView):
    """`chosen` gives the pair of the cell that the user went to by mouse or keys; `folded` how many roles are not shown."""

    chosen = Signal(int)
    folded = Signal(int)

    def __init__(self, theme: Theme, model: LayerGrid) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self.layer_model = model
        self._following, self._whole, self._folds = False, False, -1
        self.setModel(model)
        self.cells = CellDelegate(theme, model, self)
        self.setItemDelegate(self.cells)
        self.across, self.down = TurningHeader(theme, self), NameHeader(theme, self)
        self.setHorizontalHeader(self.across)
        self.setVerticalHeader(self.down)
        self.setAccessibleName("Errors by layer and role")
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
        theme.changed.connect(self.viewport().update)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 80)

    def go_to(self, row: int | None) -> None:
        """Frame a pair without telling."""
        self.cells.current = row
        place = self._model.grid.place(row)
        self._following = True
        if place is not None:
            index = self._model.index(*place)
            self.setCurrentIndex(index)
            self.scrollTo(index)
        self._following = False
        self.viewport().update()

    def show_whole(self, whole: bool) -> None:
        """Show every role, or fold those away in which all is identical where cells would get too small."""
        self._whole = whole
        self.fit()

    def fit(self) -> None:
        """Cells as wide as the room allows, and as high."""
        columns, rows = self._model.columnCount(), self._model.rowCount()
        if not columns or not rows:
            return
        metrics, model = QFontMetricsF(self.font()), self._model
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
        minor = sum(1 for role in shown if is_minor(role))
        wide = min(max((room - minor * LEAST) // max(len(shown) - minor, 1), LEAST), MOST)
        for column, role in enumerate(model.grid.columns):
            self.setColumnHidden(column, column in quiet)
            if column not in quiet:
                self.across.resizeSection(column, LEAST if is_minor(role) and wide > LEAST else wide)
        self.across.fit(self._head_room(rows, minor > 0))
        if len(quiet) != self._folds:
            self._folds = len(quiet)
            self.folded.emit(self._folds)
        free = self.height() - self.across.sizeHint().height() - 6
        self.down.setDefaultSectionSize(min(max(free // rows, flattest), max(TALLEST, 2 * flattest)))

    def _head_room(self, rows: int, narrow: bool) -> int:
        """Height for turned names of roles: what the numbers in the cells leave of it, where these can be read at all."""
        line, most = round(QFontMetricsF(self.font()).height()), self.height() * 45 // 100
        spare = self.height() - 6 - rows * line
        return most if narrow or spare < line + 8 else min(most, spare)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        number = self._model.number_at(current)
        if number is not None and not self._following:
            self.cells.current = number
            self.viewport().update()
            self.chosen.emit(number)


class Legend(QWidget):
    """The colours from the lightest to the deepest, and what both ends stand for."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._ends = theme, ("", "")
        self.setFont(theme.font(SECONDARY))
        self.setFixedHeight(self.fontMetrics().height() + 8)

    def show_ends(self, ends: tuple[str, str]) -> None:
        """Show these words."""
        self._ends = ends
        self.setAccessibleName(f"Colours from {ends[0]} to {ends[1]}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = QFontMetricsF(self.font())
        base = (self.height() + metrics.ascent() - metrics.descent()) / 2
        painter.setPen(self._theme.color("secondary"))
        painter.drawText(0, round(base), self._ends[0])
        x = metrics.horizontalAdvance(self._ends[0]) + 8
        for step in range(7):
            painter.fillRect(QRectF(x + 14 * step, base - 10, 14, 11), color_at(step / 6, self._theme.dark))
        painter.drawText(round(x + 14 * 7 + 8), round(base), self._ends[1])


class GridPanel(Ground):
    """Title with the measure to colour by, grid, legend."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.model = GridModel(self)
        self.view = GridView(theme, self.model)
        self.legend = Legend(theme)
        title = PlainLabel(theme, bold=True)
        title.set_text("Layer × role")
        self.measures = Choice("What colours the grid", [(measure.words, measure.key) for measure in MEASURES])
        self.measures.show_value("ratio")
        self.measures.chosen.connect(self._choose)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(title)
        head.addWidget(self.measures)
        head.addStretch(1)
        self.whole = Chip(theme, "", "Show all roles, identical norms and biases too")
        self.whole.setCheckable(True)
        self.whole.toggled.connect(self.view.show_whole)
        self.view.folded.connect(self._show_folded)
        head.addWidget(self.whole)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 6, MARGIN, 4)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        column.addWidget(self.legend)
        self.view.chosen.connect(self.chosen)

    def sizeHint(self) -> QSize:
        return QSize(380, 300)

    @property
    def worth_showing(self) -> bool:
        """Whether there are layers at all, or a few tensors beside each other."""
        return self.model.rowCount() > 0

    def show_errors(self, errors: Errors | None) -> None:
        """Show another comparison."""
        self.model.show_errors(errors)
        self.view.fit()
        self.refresh()

    def refresh(self) -> None:
        """Take in what was measured since."""
        self.model.refresh()
        self.view.fit()
        errors = self.model.errors
        self.legend.show_ends(("", "") if errors is None else ends(errors, self.model.measure))

    def _show_folded(self, roles: int) -> None:
        self.whole.setText(f"+ {roles} identical" if roles else "all roles")
        self.whole.setVisible(roles > 0 or self.whole.isChecked())

    def go_to(self, row: int | None) -> None:
        """Frame a pair."""
        self.view.go_to(row)

    def _choose(self, key: str) -> None:
        self.model.show_measure(key)
        self.refresh()
