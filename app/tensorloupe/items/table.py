"""A read-only table over rows that know how to be shown: what metadata, findings and files have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tensorloupe.items import roles
from tensorloupe.style import tips
from tensorloupe.style.status import WORDS

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex

RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class RowTable(QAbstractTableModel, Generic[R]):
    """A table of plain rows. Subclasses name the columns and answer for one cell; `numeric` columns stand right."""

    heads: tuple[str, ...] = ()
    numeric: frozenset[int] = frozenset()
    quiet: frozenset[int] = frozenset()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[R] = ()

    def show_rows(self, rows: Sequence[R]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    @abstractmethod  # mypy refuses a table without: Qt's metaclass and ABCMeta do not join
    def cell(self, row: R, column: int) -> str:
        """The shown text of a cell, escaped."""

    def raw(self, row: R, column: int) -> str:
        """The whole text of a cell, for copying."""
        return self.cell(row, column)

    def tip(self, row: R, column: int) -> str | None:
        """The tooltip of a cell, plain text: what the cell itself cannot show."""
        return None

    def status(self, row: R) -> str | None:
        """The status whose shape stands in the first column, where rows have one."""
        return None

    def look(self, index: Index) -> roles.Look:
        """What a delegate paints of a cell."""
        row, column = self.rows[index.row()], index.column()
        status = (self.status(row) or "") if column == 0 else ""
        tone = "secondary" if column in self.quiet else "text"
        return roles.Look(self.cell(row, column), status, tone, column in self.numeric)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.heads):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in self.numeric else LEFT
        return self.heads[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self.numeric else LEFT
        if role == roles.STATUS:
            return self.status(row) if column == 0 else None
        if role == roles.QUIET:
            return column in self.quiet
        if role == roles.RAW:
            return self.raw(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tips.plain(self.tip(row, column))
        if role == Qt.ItemDataRole.AccessibleTextRole and column == 0:
            status = self.status(row)
            return self.cell(row, column) + (f", {WORDS.get(status, status)}" if status else "")
        return None
