"""Which row of the tensor tree is what: "Whole file", then groups and lone tensors, as they were last arranged.

Top rows have internal id 0, the tensors inside the group at top row r have r + 1. What a weight is made of lies below it:
the parts of weight number n have PART + n.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex

from tensorloupe.items.arrangement import Row, positions
from tensorloupe.items.outline import Outline

Index = QModelIndex | QPersistentModelIndex

PART = 1 << 40  # beyond any row
HEADS = ("Tensor", "Type", "Shape", "Size", "")


class TreeRows(QAbstractItemModel):
    """The structure alone; what stands in the cells is the subclass's. Qt asks all of this for each row it lays out."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.outline: Outline | None = None
        self._rows: tuple[Row, ...] = ()
        self._positions: dict[int, int] = {}  # of the top rows, by their place in the model
        self._opens: list[bool] = []  # whether anything lies below each row of the first level

    def _take_rows(self, rows: tuple[Row, ...]) -> None:
        self._rows, outline = rows, self.outline
        self._positions = {} if outline is None else positions(outline, rows)
        parts = {} if outline is None else outline.parts
        inside = (row.is_group or bool(parts and parts.get(int(row.members[0]))) for row in rows)
        self._opens = [] if outline is None else [False, *inside]

    @property
    def shown(self) -> int:
        """How many tensors the filter leaves."""
        return sum(row.members.size for row in self._rows)

    @property
    def filtered_out(self) -> bool:
        """Whether there are tensors, of which the filter leaves none."""
        return self.outline is not None and not self._rows and bool(self.outline.tensors)

    def groups_shown(self) -> list[tuple[int, str]]:
        """(row, name) of the groups of the first level."""
        names = () if self.outline is None else self.outline.groups
        return [(position, names[row.group]) for position, row in enumerate(self._rows, 1) if row.is_group]

    def names_shown(self, opened: Collection[int]) -> Iterator[tuple[str, int, int]]:
        """(name as it is shown, row, internal id) of every row that is seen while these top rows are open."""
        outline = self.outline
        if outline is None:
            return
        yield "Whole file", 0, 0
        for position, row in enumerate(self._rows, 1):
            if not row.is_group:
                yield outline.names[row.members[0]], position, 0
                continue
            yield outline.groups[row.group], position, 0
            if position in opened:
                labels = (outline.labels[number] for number in row.members.tolist())
                yield from ((label, at, position + 1) for at, label in enumerate(labels))

    def index_of(self, number: int | None) -> QModelIndex:
        """Where a tensor is shown (None: the whole file); invalid where the filter hides it."""
        if number is None:
            return self.index(0, 0) if self.outline is not None else QModelIndex()
        outline = self.outline
        if outline is not None and (weight := int(outline.under[number])) >= 0:
            shown = self.index_of(weight).isValid()
            return self.createIndex(outline.parts[weight].index(number), 0, PART + weight) if shown else QModelIndex()
        position = None if outline is None else self._positions.get(int(outline.place[number]))
        if position is None:
            return QModelIndex()
        row = self._rows[position]
        at = np.flatnonzero(row.members == number)
        if not at.size:
            return QModelIndex()
        return self.createIndex(int(at[0]), 0, position + 2) if row.is_group else self.createIndex(position + 1, 0, 0)

    def number_at(self, index: Index) -> int | None:
        """The number of the tensor of a row; None for groups and the whole file."""
        if not index.isValid():
            return None
        if (inside := index.internalId()) >= PART:
            return None if self.outline is None else self.outline.parts[inside - PART][index.row()]
        if inside:
            return int(self._rows[inside - 2].members[index.row()])
        row = self._rows[index.row() - 1] if index.row() else None
        return None if row is None or row.is_group else int(row.members[0])

    def depth(self, index: Index) -> int:
        """How many rows stand above a row, one inside the other."""
        inside = index.internalId()
        return self.depth(self.parent(index)) + 1 if inside >= PART else int(bool(inside))

    # what Qt asks

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if row < 0 or not 0 <= column < len(HEADS):
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, column, 0) if row < len(self._opens) else QModelIndex()
        if row >= self.rowCount(parent):
            return QModelIndex()
        if self._group_row(parent) is not None:
            return self.createIndex(row, column, parent.row() + 1)
        return self.createIndex(row, column, PART + (self.number_at(parent) or 0))

    def parent(self, child: Index = QModelIndex()) -> Any:  # noqa: B008
        inside = child.internalId() if child.isValid() else 0
        if inside >= PART:
            return self.index_of(inside - PART)
        return self.createIndex(inside - 1, 0, 0) if inside else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._opens)
        row = self._group_row(parent)
        return len(self._parts(parent)) if row is None else row.members.size

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008
        row = parent.row()
        if row < 0:
            return self.outline is not None
        if not parent.internalId():
            return not parent.column() and self._opens[row]
        return bool(self._parts(parent))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(HEADS)

    def _group_row(self, index: Index) -> Row | None:
        if index.column() or index.internalId() or not 0 < index.row() <= len(self._rows):
            return None
        row = self._rows[index.row() - 1]
        return row if row.is_group else None

    def _parts(self, index: Index) -> tuple[int, ...]:
        if self.outline is None or not self.outline.parts:  # asked for every row that is laid out
            return ()
        if index.column() or not index.isValid() or index.internalId() >= PART:
            return ()
        number = self.number_at(index)
        return () if number is None else self.outline.parts.get(number, ())
