"""The errors of a whole model at a glance: a row per layer, a column per role, a cell per tensor.

Layers and roles come from the names alone, whatever the format: what ends in the first number of a name is its layer, the
rest its role. Tensors outside of layers get a row each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

import weightmap
from tensorloupe import text, tips
from tensorloupe.items import roles
from tensorloupe.items.errors import MARKS, VERDICTS, WORDS, Errors
from tensorloupe.items.measures import BY_KEY, Measure
from tensorloupe.items.naming import groups_of, natural_key
from tensorloupe.items.table import Index

NORMAL, MOST = 1.25, 5.0  # × expected: up to the first the lightest colour, from the second on the darkest
_WRONG = VERDICTS.index("wrong")
_SOME = 5
_NUMBERED = re.compile(r"\d+$")


class Grid:
    """Where each pair stands. `cells` is (rows, columns) of pair numbers, -1 for none; the last `lone` rows have one cell."""

    def __init__(self, names: Sequence[str]) -> None:
        places = [_place(name, group) for name, group in zip(names, groups_of(names), strict=True)]
        layers = sorted({layer for layer, _ in places if layer is not None}, key=natural_key)
        order = dict.fromkeys(role for layer, role in places if layer is not None)
        self.columns: tuple[str, ...] = tuple(
            sorted(order, key=lambda role: (_rank(role), list(order).index(role))) if order else ()
        )
        lone = [number for number, (layer, _) in enumerate(places) if layer is None]
        self.lone = len(lone)
        self.rows = (*layers, *(places[number][1] for number in lone))
        if not self.columns and lone:
            self.columns = ("",)
        shown = sorted((weightmap.printable(row) for row in self.rows), key=len)
        self.longest = shown[-_SOME:]  # names of rows that may be the widest
        self.cells: NDArray[np.int64] = np.full((len(self.rows), len(self.columns)), -1, dtype=np.int64)
        row_of = {layer: at for at, layer in enumerate(layers)}
        column_of = {role: at for at, role in enumerate(self.columns)}
        for number, (layer, role) in enumerate(places):
            if layer is not None:
                self.cells[row_of[layer], column_of[role]] = number
        for at, number in enumerate(lone):
            self.cells[len(layers) + at, 0] = number

    def place(self, number: int | None) -> tuple[int, int] | None:
        """Row and column of a pair."""
        if number is None:
            return None
        rows, columns = np.nonzero(self.cells == number)
        return (int(rows[0]), int(columns[0])) if rows.size else None


def _place(name: str, group: str | None) -> tuple[str | None, str]:
    if group is None or not _NUMBERED.search(group):
        return None, name.removesuffix(".weight")
    return group, name[len(group) + 1 :].removesuffix(".weight")


def is_minor(role: str) -> bool:
    """Whether a role belongs to a matrix, as norms and biases do: small, and seldom quantized."""
    return role.endswith("bias") or "norm" in role.lower()


def _rank(role: str) -> int:
    return 2 if role.endswith("bias") else 1 if is_minor(role) else 0


def strength(errors: Errors, measure: Measure) -> NDArray[np.float64]:
    """How deep each pair's colour is, (pairs,) 0 to 1 and NaN for none; 1 is the worst."""
    values = errors.values[measure.key].copy()
    if measure.key == "ratio":
        scaled = (np.log(np.maximum(values, NORMAL)) - np.log(NORMAL)) / (np.log(MOST) - np.log(NORMAL))
        wrong = (errors.rank == _WRONG) & ~(scaled >= 1)
        return np.where(wrong, 1.0, np.minimum(scaled, 1.0))
    values = np.abs(values) if measure.worse == 0 else values
    finite = values[np.isfinite(values)]
    if measure.spread:
        finite = finite[finite > 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log(values)
        finite = np.log(finite)
    if not finite.size:
        return np.where(np.isnan(values), np.nan, 0.0)
    low, high = float(finite.min()), float(finite.max())
    share = np.clip((values - low) / (high - low), 0, 1) if high > low else np.where(np.isnan(values), np.nan, 0.0)
    return 1 - share if measure.worse < 0 else share


def ends(errors: Errors, measure: Measure) -> tuple[str, str]:
    """What the lightest and the deepest colour stand for."""
    if measure.key == "ratio":
        return "normal", f"{MOST:.0f} {text.TIMES} and more"
    values = errors.values[measure.key]
    values = np.abs(values[np.isfinite(values)]) if measure.worse == 0 else values[np.isfinite(values)]
    if measure.spread:
        values = values[values > 0]
    if not values.size:
        return "", ""
    shown = [measure.shown(float(value)) for value in (values.min(), values.max())]
    return (shown[1], shown[0]) if measure.worse < 0 else (shown[0], shown[1])


class GridModel(QAbstractTableModel):
    """A Grid for a table view, coloured by one measure."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.errors: Errors | None = None
        self.grid = Grid(())
        self.measure = BY_KEY["ratio"]
        self.depth: NDArray[np.float64] = np.zeros(0)

    def show_errors(self, errors: Errors | None) -> None:
        """Show another comparison."""
        self.beginResetModel()
        self.errors = errors
        self.grid = Grid(()) if errors is None else errors.layout(Grid)
        self._measure()
        self.endResetModel()

    def show_measure(self, key: str) -> None:
        """Colour by another measure."""
        self.measure = BY_KEY[key]
        self.refresh()

    def quiet_columns(self) -> frozenset[int]:
        """The columns of norms and biases in which every measured cell is identical: there is nothing to see in them."""
        errors, cells = self.errors, self.grid.cells
        if errors is None:
            return frozenset()
        loud = VERDICTS.index("identical")
        minor = (at for at, role in enumerate(self.grid.columns) if is_minor(role))
        return frozenset(at for at in minor if (errors.rank[cells[:, at][cells[:, at] >= 0]] <= loud).all())

    def refresh(self) -> None:
        """Take in what was measured since."""
        self._measure()
        if self.rowCount() and self.columnCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def _measure(self) -> None:
        self.depth = np.zeros(0) if self.errors is None else strength(self.errors, self.measure)

    def number_at(self, index: Index) -> int | None:
        """The pair of a cell."""
        if not index.isValid():
            return None
        number = int(self.grid.cells[index.row(), index.column()])
        return None if number < 0 else number

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.grid.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.grid.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.number_at(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        names = self.grid.columns if orientation == Qt.Orientation.Horizontal else self.grid.rows
        if not 0 <= section < len(names):
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return tips.plain(weightmap.printable(names[section]))
        shown = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return weightmap.printable(names[section]) if role in shown else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        number, errors = self.number_at(index), self.errors
        if number is None or errors is None:
            return None
        verdict = errors.verdict(number)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.short(number)
        if role == roles.STATUS:
            return MARKS[verdict]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            value = errors.values[self.measure.key][number]
            said = "" if np.isnan(value) else f", {self.measure.words} {self.measure.shown(float(value))}"
            words = f"{errors.names[number]}: {WORDS[verdict]}{said}"
            return tips.plain(words) if role == Qt.ItemDataRole.ToolTipRole else words
        return None

    def short(self, number: int) -> str:
        """The measure in a few letters; nothing where it has no value or says nothing."""
        errors = self.errors
        assert errors is not None
        value = errors.values[self.measure.key][number]
        if np.isnan(value):
            return ""
        if self.measure.key == "ratio":
            return "=" if value == 0 else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else "> 99"
        return self.measure.shown(float(value)).removesuffix(" dB").removesuffix(" %")
