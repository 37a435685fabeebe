"""The types that a tensor was tried in, as a table: one row each from the start, filled in as the measures come."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.measures import share
from tensorloupe.items.table import Index, RowTable
from tensorloupe.items.trials import Trial
from tensorloupe.style import text

TYPE, BITS, SIZE, SHARE, RELATIVE, RATIO, SQNR, RMSE, LARGEST = range(9)
HEADS = (
    "Type",
    "Bits",
    "Size",
    f"Size {text.TIMES}",
    "Rel. error",
    f"Error {text.TIMES}",
    "SQNR, dB",
    "RMSE",
    "Largest",
)
TIPS = {
    BITS: "Stored bits per weight",
    SHARE: "Size, as a multiple of what the tensor takes now",
    RELATIVE: "Root mean square of the error, over that of the values",
    RATIO: "RMSE, as a multiple of what this file's own values are off by",
    SQNR: "Signal to quantization noise: 10 log10 of the values' energy over the error's",
    RMSE: "Root mean square of the error",
    LARGEST: "The largest difference of any value",
}


class TrialTable(RowTable[Trial]):
    """The rows, sortable by every column; those without a number come last, with the reason across the columns."""

    heads = HEADS
    numeric = frozenset(range(BITS, LARGEST + 1))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 is the order in which the types were tried."""
        self._order = column, order == Qt.SortOrder.DescendingOrder
        self.show_rows(self._given)

    _given: Sequence[Trial] = ()
    _order = -1, False

    def show_rows(self, rows: Sequence[Trial]) -> None:
        """Show these rows, in the order in force. Where only their contents changed, the cursor stays."""
        self._given = rows
        arranged = _arranged(rows, *self._order)
        before = self.rows
        if [row.type for row in arranged] == [row.type for row in before]:
            self.rows = arranged
            for at, (old, new) in enumerate(zip(before, arranged, strict=True)):
                if old != new:  # the others are not painted anew
                    self.dataChanged.emit(self.createIndex(at, 0), self.createIndex(at, LARGEST))
            return
        super().show_rows(arranged)

    def position_of(self, name: str) -> int | None:
        """Where a type stands."""
        return next((at for at, row in enumerate(self.rows) if row.type == name), None)

    def cell(self, row: Trial, column: int) -> str:
        if column <= SHARE:
            part = "" if row.share is None else f"{row.share:.2f} {text.TIMES}"
            now = " · now" if row.stored else ""
            return (f"{row.type}{now}", text.bits(row.bits), text.size(round(row.nbytes)), part)[column]
        if row.found is None:
            return ""
        if row.found.problem is not None:
            return row.found.problem if column == RELATIVE else ""
        said = self._number(row, row.found, column)
        if row.found.sampled is None or not said:
            return said
        return f"{text.AT_LEAST if column == LARGEST else text.ABOUT} {said}"

    @staticmethod
    def _number(row: Trial, found: weightmap.WhatIf, column: int) -> str:
        if column == RATIO:
            return "" if row.ratio is None else f"{text.number(row.ratio, 3)} {text.TIMES}"
        if column == SQNR:
            return "no loss" if found.sqnr_db is None else f"{found.sqnr_db:.2f}".replace("-", text.MINUS)
        value = _measure(found, column)
        if value is None:
            return ""
        return share(value) if column == RELATIVE else text.number(value)

    def raw(self, row: Trial, column: int) -> str:
        if column == TYPE:
            return row.type
        plain = {BITS: row.bits, SIZE: row.nbytes, SHARE: row.share, RATIO: row.ratio}
        if column in plain:
            return self.cell(row, column) if plain[column] is None else repr(plain[column])
        value = None if row.found is None else _measure(row.found, column)
        return self.cell(row, column) if value is None else repr(value)

    def tip(self, row: Trial, column: int) -> str | None:
        if row.found is None:
            return None
        if row.found.problem is not None:
            return row.found.problem
        if row.found.sampled is not None and column >= RELATIVE:
            return f"From a sample: {row.found.sampled}"
        if row.found.nonfinite:
            return f"{text.counted(row.found.nonfinite, 'value')} left out that are, or became, NaN or Inf"
        return "No other type here loses less in as few bits" if row.front and column == TYPE else None

    def look(self, index: Index) -> roles.Look:
        row, look = self.rows[index.row()], super().look(index)
        if row.found is not None and row.found.problem is not None:
            return look._replace(tone="secondary", right=look.right and index.column() < RELATIVE)
        return look._replace(bold=row.front and index.column() == TYPE)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return TIPS.get(section)
        return super().headerData(section, orientation, role)


def _measure(found: weightmap.WhatIf, column: int) -> float | None:
    measures = {
        RELATIVE: found.relative_rmse,
        RATIO: found.rmse,  # in the same order
        SQNR: found.sqnr_db,
        RMSE: found.rmse,
        LARGEST: found.max_abs_error,
    }
    return measures[column]


def _arranged(rows: Sequence[Trial], column: int, descending: bool) -> Sequence[Trial]:
    if column < 0:
        return rows
    if column == TYPE:
        return sorted(rows, key=lambda row: row.type, reverse=descending)
    if column <= SHARE:
        return sorted(rows, key=lambda row: row.bits, reverse=descending)
    known = [row for row in rows if row.found is not None and row.found.problem is None]
    if column == SQNR:  # no loss is the best
        known.sort(key=lambda row: float("inf") if (db := _db(row)) is None else db, reverse=descending)
    else:
        known.sort(key=lambda row: _value(row, column), reverse=descending)
    return [*known, *(row for row in rows if row.found is None or row.found.problem is not None)]


def _db(row: Trial) -> float | None:
    return None if row.found is None else row.found.sqnr_db


def _value(row: Trial, column: int) -> float:
    value = None if row.found is None else _measure(row.found, column)
    return float("inf") if value is None else value
