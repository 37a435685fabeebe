"""The table of sub-blocks, as high as its rows, with the range of each as a bar around zero."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem

import weightmap
from tensorloupe.items.subblocks import MIN_CODE, MINIMUM, RANGE, SCALE_CODE, VALUES, SubBlock, SubBlockTable
from tensorloupe.items.table import Index
from tensorloupe.style.theme import Theme
from tensorloupe.views.blocks.words import value_range
from tensorloupe.widgets.delegate import RowDelegate, row_height
from tensorloupe.widgets.table import INSET, Table

ROW = 22
_WIDTHS = (3, 11, 8, 7, 9, 9, 10, 15)
_GOES = ((VALUES, 92), (SCALE_CODE, 62), (MIN_CODE, 62))  # columns, and the letters of width below which each goes


class _RangeDelegate(RowDelegate):
    """Rows with a bar from the least to the largest value, around a line at zero."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.column() != RANGE:
            return
        row: SubBlock = index.model().rows[index.row()]  # type: ignore[attr-defined]
        room = QRectF(option.rect).adjusted(10, 0, -10, 0)
        middle = room.center().x()
        left, right = (middle + share * room.width() / 2 for share in (row.low, row.high))
        painter.fillRect(QRectF(left, room.center().y() - 5, max(right - left, 1), 10), self._theme.color("bar"))
        painter.fillRect(QRectF(middle, room.top(), 1, room.height()), self._theme.color("strong"))


class SubBlockView(Table):
    """All rows in sight: the page scrolls, not the table. `chosen` gives the sub-block whose row the user went to."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self.table, self._telling = SubBlockTable(), True
        super().__init__(theme, self.table, "Sub-blocks", _WIDTHS, RANGE)
        self.table.setParent(self)
        self.setItemDelegate(_RangeDelegate(theme, self, INSET))
        self.setAlternatingRowColors(False)
        self.setSelectionMode(Table.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(row_height(self, ROW))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lacking: frozenset[int] = frozenset()
        self.horizontalHeader().setSectionResizeMode(RANGE, QHeaderView.ResizeMode.Stretch)

    def show_block(self, block: weightmap.Block | None, group: int) -> None:
        """Show the sub-blocks of a block, one of them selected."""
        rows = [] if block is None else sub_blocks(block)
        self._telling = False
        if len(rows) == len(self.table.rows) and rows:
            self.table.rows = rows
            self.table.dataChanged.emit(self.table.index(0, 0), self.table.index(len(rows) - 1, len(_WIDTHS) - 1))
        else:
            self.table.show_rows(rows)
        self._telling = True
        if block is not None:
            parts = {SCALE_CODE: block.scale_codes, MIN_CODE: block.minimum_codes, MINIMUM: block.minima}
            self._lacking = frozenset(column for column, part in parts.items() if part is None)
            self._fit()
        head = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(head + len(rows) * self.verticalHeader().defaultSectionSize() + 2)
        self.show_group(group)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the columns that the type has and that have room."""
        letters = self.width() / max(self.fontMetrics().averageCharWidth(), 1)
        gone = {column for column, least in _GOES if letters < least} | self._lacking
        for column in (SCALE_CODE, MIN_CODE, MINIMUM, VALUES):
            self.setColumnHidden(column, column in gone)

    def show_group(self, group: int) -> None:
        """Select a row, without telling."""
        if group != self.current_row() and group < len(self.table.rows):
            self._telling = False
            self.setCurrentIndex(self.table.index(group, 0))
            self._telling = True

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if self._telling and current.isValid():
            self.chosen.emit(current.row())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def sub_blocks(block: weightmap.Block) -> list[SubBlock]:
    """The rows of a block."""
    size, first = block.type.sub_elements, block.position[-1] if block.position else 0
    finite = block.values[np.isfinite(block.values)]
    largest = float(np.abs(finite).max(initial=0.0)) or 1.0
    rows = []
    for group in range(block.type.groups):
        values = block.values[group * size : (group + 1) * size]
        known = values[np.isfinite(values)]
        rows.append(
            SubBlock(
                group,
                first + group * size,
                first + (group + 1) * size - 1,
                float(block.scales[group]),
                None if block.minima is None else float(block.minima[group]),
                None if block.scale_codes is None else int(block.scale_codes[group]),
                None if block.minimum_codes is None else int(block.minimum_codes[group]),
                value_range(values),
                float(known.min() / largest) if len(known) else 0.0,
                float(known.max() / largest) if len(known) else 0.0,
            )
        )
    return rows
