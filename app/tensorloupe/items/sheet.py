"""Many models as a table: one row each, filled in as the verdicts come. Filter and order are worked out over plain rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

import weightmap
from tensorloupe.files import places
from tensorloupe.items import roles
from tensorloupe.items.copied import tabbed
from tensorloupe.items.findings import told
from tensorloupe.items.naming import natural_key
from tensorloupe.items.table import LEFT, RIGHT, Index
from tensorloupe.style import text, tips

STATE, FILE, FOLDER, FORMAT, SIZE, TENSORS, TYPES, FIRST = range(8)
HEADS = ("", "File", "Folder", "Format", "Size", "Tensors", "Types", "First finding")
STATES = ("waiting", "running", "ok", "info", "warning", "error")
MARKS = {"waiting": "unchecked"}  # the shape of a state that is no status
WORDS = {"waiting": "waiting", "running": "being checked", "ok": "no problems", "info": "note"}
TO_DO = frozenset({"waiting", "running"})
_NONE = "–"
_NUMERIC = frozenset({SIZE, TENSORS})
_RANK = {state: rank for rank, state in enumerate(STATES)}


@dataclass(slots=True, eq=False)
class SheetRow:
    """A model of the list. `doing` is what is being done with it; `entry` its part of the JSON document, compressed."""

    path: str
    name: str
    folder: str
    state: str = "waiting"
    doing: str = ""
    form: str = ""
    types: str = ""
    tensors: int | None = None
    nbytes: int | None = None
    findings: tuple[weightmap.Finding, ...] = ()
    openable: bool = True
    values: bool = False
    hidden: bool = False  # a part of a set that has a row already
    entry: bytes = b""

    @property
    def first(self) -> str:
        """What to say in one line: the worst finding, the verdict, or what is being done."""
        if self.state in TO_DO:
            return self.doing or WORDS[self.state]
        if not self.findings:
            return "no problems"
        return told(max(self.findings, key=lambda finding: finding.severity.rank))


def new_row(path: str, nbytes: int | None, root: str = "") -> SheetRow:
    """A model of which nothing is known yet but its size. Its folder is told as seen from `root`, if it lies in there."""
    folder, name = places.split(path)
    if root and folder.startswith(root):
        folder = folder[len(root) :].strip(os.sep)
    return SheetRow(path, weightmap.printable(name or path), weightmap.printable(folder), nbytes=nbytes)


class SheetTable(QAbstractTableModel):
    """The rows that a filter leaves, in an order. `settle` takes in what changed since the last time."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[SheetRow] = []
        self._shown: list[int] = []
        self._states: frozenset[str] = frozenset()
        self._needle = ""
        self._column, self._descending = STATE, True

    def clear(self) -> None:
        """Begin anew, with the same filter and order."""
        self.beginResetModel()
        self.rows, self._shown = [], []
        self.endResetModel()

    def show_only(self, states: Iterable[str], needle: str) -> None:
        """Show the rows of these states (none: all) in whose name, folder or finding the words of the needle stand."""
        self._states, self._needle = frozenset(states), needle
        self.settle()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 gives back the order in which the models were found."""
        self._column, self._descending = column, order == Qt.SortOrder.DescendingOrder
        self.settle()

    def settle(self) -> None:
        """Bring what is shown up to date, with as little ado as it takes: the cursor stays on its row."""
        fresh = self._arranged()
        if fresh == self._shown:
            if fresh:
                self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(HEADS) - 1))
        elif fresh[: len(self._shown)] == self._shown:
            self.beginInsertRows(QModelIndex(), len(self._shown), len(fresh) - 1)
            self._shown = fresh
            self.endInsertRows()
        elif len(fresh) == len(self._shown) and set(fresh) == set(self._shown):
            self._reorder(fresh)
        else:
            self.beginResetModel()
            self._shown = fresh
            self.endResetModel()

    def counts(self) -> Counter[str]:
        """How many rows are in which state, whatever the filter."""
        return Counter(row.state for row in self.rows if not row.hidden)

    def row_at(self, position: int) -> SheetRow:
        """The row that is shown at a position."""
        return self.rows[self._shown[position]]

    def position_of(self, row: SheetRow) -> int | None:
        """Where a row is shown, None where the filter hides it."""
        return next((at for at, number in enumerate(self._shown) if self.rows[number] is row), None)

    def shown_rows(self) -> list[SheetRow]:
        """What the filter leaves, in the order in which it was found."""
        return [self.rows[number] for number in sorted(self._shown)]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(HEADS):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in _NUMERIC else LEFT
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return HEADS[section] or "Status"
        return HEADS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.row_at(index.row()), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in _NUMERIC else LEFT
        if role == roles.RAW:
            return raw(row, column)
        if role == roles.STATUS:
            return mark(row) if column == STATE else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return tips.plain(row.first if column == FIRST else weightmap.printable(row.path))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return word(row.state) if column == STATE else cell(row, column)
        return None

    def look(self, index: Index) -> roles.Look:
        """What a delegate paints of a cell."""
        row, column = self.row_at(index.row()), index.column()
        quiet = column in (FOLDER, FORMAT, TYPES) or (column == FIRST and row.state in TO_DO | {"ok"})
        tone = "secondary" if quiet else "text"
        shape, name = mark(row) if column == STATE else "", column in (FILE, FOLDER)
        return roles.Look(cell(row, column), shape, tone, column in _NUMERIC, middle=name)

    def _arranged(self) -> list[int]:
        shown = [number for number, row in enumerate(self.rows) if not row.hidden]
        if self._states:
            shown = [number for number in shown if self.rows[number].state in self._states]
        if words := self._needle.lower().split():
            shown = [number for number in shown if all(word in _searched(self.rows[number]) for word in words)]
        if self._column >= 0:
            keys = [_KEYS[self._column](row) for row in self.rows]
            shown.sort(key=keys.__getitem__, reverse=self._descending)
        return shown

    def _reorder(self, fresh: list[int]) -> None:
        self.layoutAboutToBeChanged.emit()
        before, place = self._shown, {number: at for at, number in enumerate(fresh)}
        old = self.persistentIndexList()
        self._shown = fresh
        self.changePersistentIndexList(old, [self.index(place[before[i.row()]], i.column()) for i in old])
        self.layoutChanged.emit()


def _searched(row: SheetRow) -> str:
    return f"{row.path} {row.types} {row.form} {row.first}".lower()


def cell(row: SheetRow, column: int) -> str:
    """The shown text of a cell, escaped."""
    if column == SIZE:
        return _NONE if row.nbytes is None else text.size(row.nbytes)
    if column == TENSORS:
        return text.count(row.tensors) if row.tensors is not None else "" if row.state in TO_DO else _NONE
    if column == FORMAT:
        return row.form or ("" if row.state in TO_DO else _NONE)
    return ("", row.name, row.folder, "", "", "", row.types, row.first)[column]


def raw(row: SheetRow, column: int) -> str:
    """The whole text of a cell, for copies and exports: the path itself, plain numbers, the status as a word."""
    numbers = {SIZE: row.nbytes, TENSORS: row.tensors}
    if column in numbers:
        return "" if numbers[column] is None else str(numbers[column])
    return {STATE: row.state, FILE: row.path, FORMAT: row.form}.get(column, cell(row, column))


def copied(rows: Sequence[SheetRow]) -> str:
    """Rows as tab-separated text."""
    return tabbed([raw(row, column) for column in range(len(HEADS)) if column != FOLDER] for row in rows)


def mark(row: SheetRow) -> str:
    """The shape that stands for the row's state."""
    return MARKS.get(row.state, row.state)


def word(state: str) -> str:
    """A state as one would say it."""
    return WORDS.get(state, state)


_KEYS: dict[int, Callable[[SheetRow], Any]] = {
    STATE: lambda row: _RANK[row.state],
    FILE: lambda row: natural_key(row.name),
    FOLDER: lambda row: natural_key(row.folder),
    FORMAT: lambda row: row.form,
    SIZE: lambda row: -1 if row.nbytes is None else row.nbytes,
    TENSORS: lambda row: -1 if row.tensors is None else row.tensors,
    TYPES: lambda row: row.types,
    FIRST: lambda row: row.first,
}
