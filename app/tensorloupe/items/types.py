"""The stored types of a file as a table: how many tensors, how many whole, how many bytes, and a bar."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from tensorloupe.items import roles
from tensorloupe.items.summary import TypeRow
from tensorloupe.items.table import Index, RowTable
from tensorloupe.style import text

TYPE, TENSORS, WHOLE, LOST, SIZE, SHARE = range(6)


class TypesTable(RowTable[TypeRow]):
    """One row per type, the largest first. The last column is a bar: length by size, hatched what is not there."""

    heads = ("Type", "Tensors", "Whole", "Cut or missing", "Size", "Readable bytes")
    numeric = frozenset({TENSORS, WHOLE, LOST, SIZE})

    def cell(self, row: TypeRow, column: int) -> str:
        counts = (row.tensors, row.whole, row.tensors - row.whole)
        return (row.name, *(text.count(n) for n in counts), text.size(row.nbytes), "")[column]

    def raw(self, row: TypeRow, column: int) -> str:
        return {SIZE: str(row.nbytes), SHARE: repr(row.share)}.get(column, self.cell(row, column))

    def look(self, index: Index) -> roles.Look:
        row, look = self.rows[index.row()], super().look(index)
        return look._replace(tone="error") if index.column() == LOST and row.whole < row.tensors else look

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (roles.SHARES, roles.WRONG, Qt.ItemDataRole.AccessibleTextRole):
            row, column = self.rows[index.row()], index.column()
            if role == roles.SHARES:
                return (row.of_largest, row.share) if column == SHARE else None
            if role == roles.WRONG:
                return column == LOST and row.whole < row.tensors
            return text.percent(row.share, 1) if column == SHARE else self.cell(row, column)
        return super().data(index, role)
