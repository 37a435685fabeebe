"""The errors of a whole file as a table: one row per pair, ranked by any measure, filled in as they are measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.copied import tabbed
from tensorloupe.items.errors import MARKS, VERDICTS, WORDS, Errors
from tensorloupe.items.measures import BY_KEY, MEASURES
from tensorloupe.items.table import LEFT, RIGHT, Index
from tensorloupe.style import text, tips

KEYS = ("verdict", "name", "type", *(measure.key for measure in MEASURES), "bytes")
STATE, NAME, TYPE, RELATIVE, RATIO = range(5)
HEADS = ("", "Tensor", "Type", "Relative error, | expected", *(measure.head for measure in MEASURES[1:]), "Size")
_REACH = 5.0  # the largest usual error of the file fills this part of a bar: a fifth


class Bar(NamedTuple):
    """A relative error drawn: its length and the tick of the usual error as parts of the whole bar, and the verdict."""

    length: float
    tick: float | None
    verdict: str


class ErrorTable(QAbstractTableModel):
    """Rows over Errors, in the order and under the filter last asked for. `settle` takes in what was measured since."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.errors: Errors | None = None
        self._shown: list[int] = []
        self._verdicts: frozenset[str] = frozenset()
        self._column, self._descending = STATE, True
        self._scale = 1.0

    def show_errors(self, errors: Errors | None) -> None:
        """Show another comparison; order and filter stay."""
        self.beginResetModel()
        self.errors = errors
        self._shown = self._arranged()
        self.endResetModel()

    def show_only(self, verdicts: Iterable[str]) -> None:
        """Show the rows of these verdicts, "guess" for guessed pairs; none for all."""
        self._verdicts = frozenset(verdicts)
        self.settle()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; column -1 gives the order of the file."""
        self._column, self._descending = column, order == Qt.SortOrder.DescendingOrder
        self.settle()

    def settle(self) -> None:
        """Bring order and filter up to date; the cursor stays on its pair."""
        before = self._shown
        fresh = self._arranged()
        if fresh == before:
            if fresh:
                self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(HEADS) - 1))
            return
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        self._shown = fresh
        place = {row: at for at, row in enumerate(fresh)} if old else {}
        moved = [place.get(before[index.row()]) for index in old]
        self.changePersistentIndexList(
            old, [QModelIndex() if at is None else self.index(at, i.column()) for at, i in zip(moved, old, strict=True)]
        )
        self.layoutChanged.emit()

    def row_at(self, position: int) -> int:
        """The pair that is shown at a position."""
        return self._shown[position]

    def position_of(self, row: int | None) -> int | None:
        """Where a pair is shown, None where it is not."""
        return None if row is None or row not in self._shown else self._shown.index(row)

    def bar(self, index: Index) -> Bar | None:
        """What is drawn in the column of relative errors; None where nothing was measured."""
        errors = self.errors
        assert errors is not None
        row = self._shown[index.row()]
        value, usual, verdict = errors.values["relative"][row], errors.usual[row], errors.verdict(row)
        if verdict == "wrong" and np.isnan(value):
            value = np.inf
        if np.isnan(value) or verdict == "identical":
            return None
        tick = None if np.isnan(usual) else float(usual) / self._scale
        return Bar(float(value) / self._scale, tick, verdict)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(HEADS):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section > RELATIVE else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return BY_KEY[KEYS[section]].tip if KEYS[section] in BY_KEY else HEADS[section] or "Verdict"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return HEADS[section] or "Verdict"
        return HEADS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.errors is None:
            return None
        row, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column >= RELATIVE else LEFT
        if role == roles.STATUS:
            return MARKS[self.errors.verdict(row)] if column == STATE else None
        if role == roles.RAW:
            return raw(self.errors, row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tips.plain(_tip(self.errors, row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            guessed = ", guessed" if self.errors.guess(row) else ""
            return WORDS[self.errors.verdict(row)] + guessed if column == STATE else self._cell(row, column)
        return None

    def look(self, index: Index) -> roles.Look:
        """What a delegate paints of a cell."""
        assert self.errors is not None
        row, column = self._shown[index.row()], index.column()
        verdict = self.errors.verdict(row)
        if column == STATE:
            return roles.Look("", MARKS[verdict])
        quiet = verdict in ("identical", "waiting", "unread") and column != NAME
        bold = column == RATIO and verdict in ("worse", "wrong")
        tone = "secondary" if quiet else "text"
        return roles.Look(self._cell(row, column), "", tone, column >= RELATIVE, bold, column == NAME)

    def _cell(self, row: int, column: int) -> str:
        errors = self.errors
        assert errors is not None
        key = KEYS[column]
        if key == "name":
            return f"{errors.names[row]}  (guess)" if errors.guess(row) else errors.names[row]
        if key == "type":
            return errors.types[row]
        if key == "bytes":
            return text.size(int(errors.nbytes[row]))
        if key == "verdict":
            return ""
        value = errors.values[key][row]
        if np.isnan(value):
            return "" if errors.verdict(row) == "waiting" else "–"
        if key != "ratio" and errors.verdict(row) == "identical" and key in ("relative", "sqnr"):
            return "0" if key == "relative" else "–"
        return BY_KEY[key].shown(float(value))

    def _arranged(self) -> list[int]:
        errors = self.errors
        if errors is None:
            return []
        self._scale = scale_of(errors)
        shown = np.ones(len(errors.pairs), np.bool_)
        if self._verdicts:
            ranks = [VERDICTS.index(verdict) for verdict in self._verdicts if verdict in VERDICTS]
            shown = np.isin(errors.rank, ranks)
            if "guess" in self._verdicts:
                shown |= np.array([errors.guess(row) for row in range(len(errors.pairs))], np.bool_)
        order = np.flatnonzero(shown)
        if self._column >= 0:
            order = errors.ranked(KEYS[self._column], self._descending, shown)
        rows: list[int] = order.tolist()
        return rows


def scale_of(errors: Errors) -> float:
    """The relative error that fills a bar: five times the largest usual one among the types, 120 % at most."""
    usual = errors.usual[errors.rank >= VERDICTS.index("normal")]
    usual = usual[np.isfinite(usual) & (usual > 0)]
    if usual.size:
        return min(_REACH * float(usual.max()), 1.2)
    values = errors.values["relative"]
    values = values[np.isfinite(values)]
    return min(float(values.max(initial=0.0)), 1.2) or 1.0


def raw(errors: Errors, row: int, column: int) -> str:
    """The whole of a cell for copying: the name as it is, numbers in full with a point."""
    key = KEYS[column]
    if key in ("name", "type", "verdict", "bytes"):
        names = {"name": errors.pairs[row].tensor, "type": errors.pairs[row].type, "verdict": errors.verdict(row)}
        return names.get(key, str(int(errors.nbytes[row])))
    value = errors.values[key][row]
    return "" if np.isnan(value) else repr(float(value))


def copied(errors: Errors, rows: Iterable[int]) -> str:
    """Rows as tab-separated text, every column in full."""
    return tabbed([raw(errors, row, column) for column in range(len(HEADS))] for row in rows)


def _tip(errors: Errors, row: int) -> str:
    pair, error = errors.pairs[row], errors.errors[row]
    lines = [errors.names[row], f"reference: {weightmap.printable(' + '.join(pair.reference))} ({pair.reference_type})"]
    if error is not None and error.note is not None:
        lines.append(weightmap.printable(error.note))
    elif row in errors.failed:
        lines.append(errors.failed[row])
    return "\n".join(lines)
