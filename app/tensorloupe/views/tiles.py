"""A matrix of values as a table that holds only the tiles that were looked at.

The model reads nothing: it asks for the tiles that it lacks and is given their texts once a background task has read them.
Qt's tables never return beyond some 89 million rows, and a header of a million columns takes long: the model therefore
shows a window of rows and columns that can be moved.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

import weightmap
from tensorloupe.readable import block_of
from tensorloupe.style.text import count
from tensorloupe.style.theme import Theme
from tensorloupe.task import Progress
from tensorloupe.views.exact import copied, shown
from tensorloupe.views.heat.matrix import matrix_shape

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

TILE = 64  # rows and columns of a tile
KEPT = 400  # tiles kept
MOST_ROWS, MOST_COLUMNS = 80_000_000, 16_384

NOT_FINITE = ("NaN", "Inf")

Index = QModelIndex | QPersistentModelIndex
Tile = tuple[int, int]  # number of the tile down and across, counted over the whole matrix
Texts = tuple[tuple[str, ...], ...]
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Matrix:
    """A tensor as rows and columns at a place of its leading axes. A vector stands upright, one value a row."""

    def __init__(self, tensor: Shown, index: tuple[int, ...]) -> None:
        self.tensor, self.index = tensor, index
        rows, columns = matrix_shape(tensor.shape)
        self.upright = len(tensor.shape) == 1
        self.rows, self.columns = (columns, 1) if self.upright else (rows, columns)

    def read(self, rows: tuple[int, int], columns: tuple[int, int]) -> np.ndarray[Any, Any]:
        """The stored values of a part, (rows, columns). Reads: call it in the background."""
        if self.upright:
            return np.asarray(self.tensor.read(slice(*rows))).reshape(-1, 1)[:, slice(*columns)]
        if not self.tensor.shape:
            return np.asarray(self.tensor.read()).reshape(1, 1)[slice(*rows), slice(*columns)]
        return np.asarray(self.tensor.read((*self.index, slice(*rows), slice(*columns))))

    def tile(self, tile: Tile) -> Texts:
        """The texts of a tile. Reads."""
        (r0, c0), (r1, c1) = ((n * TILE for n in tile), ((n + 1) * TILE for n in tile))
        values = self.read((r0, min(r1, self.rows)), (c0, min(c1, self.columns)))
        return tuple(tuple(shown(value) for value in row) for row in values)

    def tabbed(self, rows: tuple[int, int], columns: tuple[int, int], progress: Progress) -> str:
        """A part as tab-separated text, every value in full. Reads; raises weightmap.Cancelled."""
        lines = []
        for first in range(rows[0], rows[1], TILE):
            if progress(first - rows[0], rows[1] - rows[0]) is False:
                raise weightmap.Cancelled
            part = self.read((first, min(first + TILE, rows[1])), columns)
            lines += ["\t".join(copied(value) for value in row) for row in part]
        return "\n".join(lines)


class ValuesTable(QAbstractTableModel):
    """The window of a matrix that begins at row `first_row` and column `first_column`. `wanted` says that tiles lack."""

    wanted = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.matrix: Matrix | None = None
        self.first_row = self.first_column = 0
        self.lacking: OrderedDict[Tile, None] = OrderedDict()
        self._tiles: OrderedDict[Tile, Texts] = OrderedDict()

    def show_matrix(self, matrix: Matrix | None, first_row: int = 0, first_column: int = 0) -> None:
        """Show another matrix, or another window of it."""
        self.beginResetModel()
        if matrix is not self.matrix:
            self._tiles.clear()
        self.lacking.clear()
        self.matrix, self.first_row, self.first_column = matrix, first_row, first_column
        self.endResetModel()

    def give(self, tile: Tile, texts: Texts) -> None:
        """Take in a tile that lacked."""
        self._tiles[tile] = texts
        self.lacking.pop(tile, None)
        while len(self._tiles) > KEPT:
            self._tiles.popitem(last=False)
        top, left = tile[0] * TILE - self.first_row, tile[1] * TILE - self.first_column
        bottom = min(top + TILE, self.rowCount()) - 1
        right = min(left + TILE, self.columnCount()) - 1
        if bottom >= 0 and right >= 0 and texts:
            self.dataChanged.emit(self.index(max(top, 0), max(left, 0)), self.index(bottom, right))

    def text_at(self, row: int, column: int) -> str | None:
        """The text of a value of the matrix; None while its tile is not there, which is then asked for."""
        tile = row // TILE, column // TILE
        texts = self._tiles.get(tile)
        if texts is not None:
            self._tiles.move_to_end(tile)
            return texts[row % TILE][column % TILE]
        if tile not in self.lacking:
            self.lacking[tile] = None
            self.wanted.emit()
        return None

    def rowCount(self, parent: Index | None = None) -> int:
        """Rows of the window."""
        if self.matrix is None or (parent is not None and parent.isValid()):
            return 0
        return min(self.matrix.rows - self.first_row, MOST_ROWS)

    def columnCount(self, parent: Index | None = None) -> int:
        """Columns of the window."""
        if self.matrix is None or (parent is not None and parent.isValid()):
            return 0
        return min(self.matrix.columns - self.first_column, MOST_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Rows and columns by their numbers in the matrix."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role != Qt.ItemDataRole.DisplayRole or self.matrix is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return count(self.first_row + section)
        return "value" if self.matrix.columns == 1 else count(self.first_column + section)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The value as it is stored; every other block on a ground of its own; what is not finite in the colour of errors."""
        if not index.isValid() or self.matrix is None:
            return None
        row, column = self.place(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text_at(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._theme.color("alternate") if self.striped(row, column) else None
        if role == Qt.ItemDataRole.ForegroundRole:
            text = self.text_at(row, column)
            return self._theme.color("error") if text is not None and text.endswith(NOT_FINITE) else None
        return None

    def place(self, index: Index) -> tuple[int, int]:
        """Row and column in the matrix."""
        return self.first_row + index.row(), self.first_column + index.column()

    @property
    def stripes_down(self) -> bool:
        """Whether rows are striped, not columns."""
        return self.matrix is None or self.matrix.upright or block_of(self.matrix.tensor) == 1

    def striped(self, row: int, column: int) -> bool:
        """Whether a value lies in every other block (of types without blocks: in every other row)."""
        assert self.matrix is not None
        elements = block_of(self.matrix.tensor)
        if elements == 1:
            return bool(row % 2)
        return bool((row if self.matrix.upright else column) // elements % 2)
