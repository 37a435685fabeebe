"""Tensors by layer and role: where each stands in the grid, and the grid as a model for a table view.

Layers and roles come from the names alone, whatever the format: what ends in the first number of a name is its layer, the
rest its role. Tensors outside of layers get a row each.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.naming import groups_of, natural_key
from tensorloupe.items.table import Index
from tensorloupe.style import tips

_SOME = 5
_NUMBERED = re.compile(r"\d+$")


class Grid:
    """Where each name stands. `cells` is (rows, columns) of their numbers, -1 for none; the last `lone` rows have one cell."""

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
        """Row and column of a number."""
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


class GridModel(QAbstractTableModel):
    """A Grid for a table view. Subclasses say what is known of each number: its status, its words, how deep its colour is.

    grid   where the numbers stand
    depth  (numbers,) from 0 to 1, NaN where there is nothing to colour by
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.grid = Grid(())
        self.depth: NDArray[np.float64] = np.zeros(0)

    @abstractmethod  # mypy refuses a grid without: Qt's metaclass and ABCMeta do not join
    def status(self, number: int) -> str:
        """The status shape of a cell."""

    @abstractmethod
    def short(self, number: int) -> str:
        """What stands in a cell, in a few letters; nothing where there is nothing to say."""

    @abstractmethod
    def said(self, number: int) -> str:
        """What a cell says in full, escaped."""

    def quiet_columns(self) -> frozenset[int]:
        """The columns in which there is nothing to see."""
        return frozenset()

    def number_at(self, index: Index) -> int | None:
        """The number that stands in a cell."""
        if not index.isValid():
            return None
        number = int(self.grid.cells[index.row(), index.column()])
        return None if number < 0 else number

    def tell(self) -> None:
        """All cells may say something new."""
        if self.rowCount() and self.columnCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

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
        number = self.number_at(index)
        if number is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.short(number)
        if role == roles.STATUS:
            return self.status(number)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words = self.said(number)
            return tips.plain(words) if role == Qt.ItemDataRole.ToolTipRole else words
        return None


def depths(values: NDArray[np.float64], spread: bool, worse: int = 1) -> NDArray[np.float64]:
    """How deep the colour of each value is, from 0 to 1 over the finite ones, NaN for NaN. `spread` goes by the logarithm,
    `worse` -1 has the smallest the deepest.
    """
    finite = values[np.isfinite(values)]
    if spread:
        finite = finite[finite > 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log(values)
        finite = np.log(finite)
    if not finite.size:
        return np.where(np.isnan(values), np.nan, 0.0)
    low, high = float(finite.min()), float(finite.max())
    share = np.clip((values - low) / (high - low), 0, 1) if high > low else np.where(np.isnan(values), np.nan, 0.0)
    return 1 - share if worse < 0 else share
