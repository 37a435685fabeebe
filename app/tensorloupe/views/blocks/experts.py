"""The experts of a stacked tensor as a table: each may be broken alone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.table import Index, RowTable
from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.table import Table

EXPERT, BROKEN, ZERO, ENTROPY, ENDS, MEAN = range(6)


class ExpertTable(RowTable[weightmap.BlockHealth]):
    """A row for each expert."""

    heads = ("Expert", "NaN, Inf", "Zero", "Bits", "At ends", "Mean scale")
    numeric = frozenset(range(1, 6))

    def cell(self, row: weightmap.BlockHealth, column: int) -> str:
        if column == EXPERT:
            return "all" if row.expert is None else text.count(row.expert)
        if column == ENDS:
            return "" if row.at_ends is None else text.percent(row.at_ends, 1)
        if column in (ENTROPY, MEAN):
            value = row.entropy if column == ENTROPY else row.scale_mean
            return "" if value is None else text.number(value, 3)
        return text.count(row.nan + row.inf if column == BROKEN else row.zero)

    def look(self, index: Index) -> roles.Look:
        look, row = super().look(index), self.rows[index.row()]
        wrong = index.column() == BROKEN and row.nan + row.inf
        return look._replace(tone="error") if wrong else look


class ExpertView(Table):
    """A few rows in sight, the others by scrolling. `chosen` gives the expert of the row that the user went to."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self.table, self._telling = ExpertTable(), True
        super().__init__(theme, self.table, "Experts", (6, 7, 5, 5, 6, 8), EXPERT)
        self.table.setParent(self)

    def show_experts(self, experts: Sequence[weightmap.BlockHealth]) -> None:
        """Show these."""
        self._telling = False
        self.table.show_rows(experts)
        self._telling = True
        rows = min(len(experts), 8) + 1
        self.setFixedHeight(rows * self.verticalHeader().defaultSectionSize() + 8)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if self._telling and current.isValid() and (expert := self.table.rows[current.row()].expert) is not None:
            self.chosen.emit(expert)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 60)
