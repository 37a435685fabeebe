"""The stored types of a file as a table: how many tensors, how many whole, how many bytes, and a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt

from tensorloupe.items import roles
from tensorloupe.items.summary import TypeRow
from tensorloupe.items.table import Index, RowTable
from tensorloupe.style import text

TYPE, TENSORS, WHOLE, LOST, SIZE, SHARE = range(6)


class TypesTable(RowTable[TypeRow]):
    """One row per type, the largest first. The last column is a bar: length by size, hatched what is not there.

    `damaged` says whether anything is cut, missing or not located: else two columns have nothing to tell.
    """

    heads = ("Type", "Tensors", "Whole", "Cut or missing", "Size", "Readable bytes")
    numeric = frozenset({TENSORS, WHOLE, LOST, SIZE})
    _total = 0

    def show_rows(self, rows: Sequence[TypeRow]) -> None:
        self._total = sum(row.nbytes for row in rows)
        super().show_rows(rows)

    @property
    def damaged(self) -> bool:
        """Whether not all tensors are whole."""
        return any(row.whole < row.tensors for row in self.rows)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        head = super().headerData(section, orientation, role)
        return "Share of the bytes" if head == self.heads[SHARE] and not self.damaged else head

    def cell(self, row: TypeRow, column: int) -> str:
        lost = row.tensors - row.whole - row.unlocated
        counts = [text.count(n) for n in (row.tensors, row.whole, lost)]
        of = f"{text.count(row.unlocated)} of {text.count(row.tensors)} "
        where = "not located" if row.unlocated else ""
        if row.unlocated == row.tensors:  # nobody knows what of it is there
            counts[1:], of = ["–", "–"], ""
        share = text.percent(row.nbytes / max(self._total, 1), 1) if not self.damaged else ""
        return (row.name, *counts, text.size(row.nbytes), (where and of + where) or share)[column]

    def raw(self, row: TypeRow, column: int) -> str:
        return {SIZE: str(row.nbytes), SHARE: repr(row.share)}.get(column, self.cell(row, column))

    def look(self, index: Index) -> roles.Look:
        row, look = self.rows[index.row()], super().look(index)
        if index.column() == SHARE:
            return look._replace(text=look.text if row.unlocated else "", tone="secondary")
        return look._replace(tone="error") if index.column() == LOST and self._lost(row) else look

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (roles.SHARES, roles.WRONG, Qt.ItemDataRole.AccessibleTextRole):
            row, column = self.rows[index.row()], index.column()
            if role == roles.SHARES:
                drawn = column == SHARE and not row.unlocated
                return (row.of_largest, row.share, self.cell(row, column)) if drawn else None
            if role == roles.WRONG:
                return column == LOST and self._lost(row)
            return self.cell(row, column) or text.percent(row.share, 1)
        return super().data(index, role)

    @staticmethod
    def _lost(row: TypeRow) -> bool:
        return row.whole + row.unlocated < row.tensors
