"""The table of types beside the curve: sortable, the reason across the columns where a type cannot be had."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from tensorloupe.items.table import Index
from tensorloupe.items.whatif import LARGEST, RATIO, RELATIVE, RMSE, SHARE, SIZE, TYPE, TrialTable
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.table import Table

_WIDTHS = (12, 5, 8, 6, 10, 7, 9, 10, 10)
_GOES = ((LARGEST, 98), (SIZE, 84), (RMSE, 71), (SHARE, 60))  # columns, and the letters of width below which each goes


class TrialView(Table):
    """Shows a TrialTable. `marked` gives the type whose row has the cursor, None where none has."""

    marked = Signal(object)

    def __init__(self, theme: Theme, model: TrialTable) -> None:
        super().__init__(theme, model, "Types that the tensor was tried in", _WIDTHS, TYPE)
        self._trials = model
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, header.sortIndicatorOrder())
        header.sortIndicatorChanged.connect(model.sort)
        self._spanned: list[int] = []  # rows that give a reason
        model.modelReset.connect(self._span)
        model.dataChanged.connect(self._span)

    def show_type(self, name: str | None) -> None:
        """Put the cursor on a type's row."""
        at = None if name is None else self._trials.position_of(name)
        if at is not None and at != self.current_row():
            self.setCurrentIndex(self._trials.index(at, 0))

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        at = current.row()
        self.marked.emit(self._trials.rows[at].type if 0 <= at < len(self._trials.rows) else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the columns that have room, and the errors' ratio where there is one."""
        rated = any(row.ratio is not None for row in self._trials.rows)
        if self.isColumnHidden(RATIO) is rated:
            self.setColumnHidden(RATIO, not rated)
        letters = self.width() / max(self.fontMetrics().averageCharWidth(), 1) - (10 if rated else 0)
        for column, least in _GOES:
            if self.isColumnHidden(column) is not (letters < least):
                self.setColumnHidden(column, letters < least)

    def _span(self, *_: object) -> None:
        """Give reasons the room of the numbers that are not there."""
        self._fit()
        rows = enumerate(self._trials.rows)
        spanned = [at for at, row in rows if row.found is not None and row.found.problem is not None]
        if spanned != self._spanned:
            self._spanned = spanned
            self.clearSpans()
            for at in spanned:
                self.setSpan(at, RELATIVE, 1, LARGEST - RELATIVE + 1)
