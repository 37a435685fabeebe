"""A row of the tensor tree painted in one go, and kept as an image: what is painted most is painted from there.

Qt's own way asks Python for each cell, and the model for an index of it. While other threads read values, every such call may
wait for one of them; so a tree painted cell by cell keeps the window waiting while its size is dragged.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QTreeView

from tensorloupe.items import roles
from tensorloupe.items.arrangement import NAME
from tensorloupe.items.tree import TreeModel
from tensorloupe.items.treerows import HEADS, Index
from tensorloupe.style import icons
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.delegate import RowDelegate

INSET = 5  # pixels that names and chevrons keep from the window's edge, beside the indentation
KEPT = 12_000_000  # bytes of all images: several times what is in view of most windows
_CHEVRON = 13  # px at the usual font


class _Row(NamedTuple):
    """All that a row's image shows, wherever the row is."""

    looks: tuple[roles.Look, ...]
    depth: int
    branch: str
    selected: bool
    height: int


class RowPainter:
    """Paints rows of a tree. `begin` comes before the rows of one event."""

    def __init__(self, theme: Theme, view: QTreeView, model: TreeModel) -> None:
        self._theme, self._view, self._model = theme, view, model
        self._cells, self._name = RowDelegate(theme, view), RowDelegate(theme, view, INSET)
        self._columns: list[tuple[int, int, int]] = []  # (column, left edge, width) of those in view
        self._width, self._ratio = 0, 1.0
        self._layout: tuple[object, ...] = ()
        self._images: dict[_Row, QPixmap] = {}

    def begin(self) -> None:
        """Take in where the columns are now; with other ones, another font or other colours nothing kept is of use."""
        view, header = self._view, self._view.header()
        shown = [column for column in range(len(HEADS)) if not header.isSectionHidden(column)]
        self._columns = [(c, header.sectionViewportPosition(c), header.sectionSize(c)) for c in shown]
        # not the viewport's own: to be asked for one, PySide loads every widget that Qt has
        self._width, self._ratio = header.width(), view.devicePixelRatioF()
        layout = (*self._columns, self._width, self._ratio, view.indentation(), view.font(), self._theme.colors)
        if layout != self._layout:
            self._layout = layout
            self._images.clear()

    def paint(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Paint the row of an index of the first column."""
        view, model = self._view, self._model
        branch = ""
        if model.hasChildren(index):
            branch = "down" if view.isExpanded(index) else "right"
        elif not index.row() and not index.internalId():
            branch = "file"
        selected = view.selectionModel().isSelected(index)
        row = _Row(model.looks(index), model.depth(index), branch, selected, rect.height())
        if (image := self._images.get(row)) is None:
            image = self._images[row] = self._painted(row)
            kept = KEPT // max(image.width() * image.height() * 4, 1)
            while len(self._images) > max(kept, 1):
                del self._images[next(iter(self._images))]
        painter.drawPixmap(0, rect.top(), image)

    def _painted(self, row: _Row) -> QPixmap:
        view, theme = self._view, self._theme
        image = QPixmap(round(self._width * self._ratio), round(row.height * self._ratio))
        image.setDevicePixelRatio(self._ratio)
        image.fill(theme.color("highlight" if row.selected else "base"))
        painter, font = QPainter(image), view.font()
        begin = view.indentation() * (row.depth + 1)
        for column, left, wide in self._columns:
            inset = begin if column == NAME else 0
            cells = self._name if column == NAME else self._cells
            room = QRect(left + inset, 0, wide - inset, row.height)
            cells.paint_look(painter, room, row.looks[column], row.selected, font)
            if column == NAME and row.branch:
                color, stroke = ("text", 1.2) if row.branch == "file" else ("secondary", 1.4)
                side = theme.scaled(_CHEVRON)
                x, y = left + begin + INSET - 3 - side, (row.height - 1) // 2 - side // 2
                icons.paint(painter, row.branch, x, y, theme.color(color), side, stroke)
        painter.end()
        return image
