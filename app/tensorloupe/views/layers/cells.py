"""Paints a cell of the grid: its colour, its number where there is room, a status shape where something is wrong."""

from __future__ import annotations

from functools import cache

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tensorloupe.items.layergrid import GridModel
from tensorloupe.style.colormaps import ink_on, size_map
from tensorloupe.style.theme import SECONDARY, Theme

Index = QModelIndex | QPersistentModelIndex

MARK = 12
_LOUD = ("warning", "error")


def color_at(depth: float, dark: bool) -> QColor:
    """The colour of a depth from 0 to 1."""
    return _at(depth, dark)[0]


def _at(depth: float, dark: bool) -> tuple[QColor, QColor]:
    """The colour of a depth, and the ink that is read on it."""
    return _with_ink(round(min(max(depth, 0.0), 1.0) * 255), dark)


@cache
def _with_ink(step: int, dark: bool) -> tuple[QColor, QColor]:
    """One of the 256 colours with its ink: worked out once, as cells are painted by the hundred."""
    color = QColor(*(int(c) for c in size_map(dark)[step]))
    return color, ink_on(color)


class CellDelegate(QStyledItemDelegate):
    """One cell per tensor. The selected one has a frame."""

    def __init__(self, theme: Theme, model: GridModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model
        self.current: int | None = None
        self._font = theme.font(SECONDARY)
        self._metrics = QFontMetricsF(self._font)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(20, 20)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        number = self._model.number_at(index)
        if number is None:
            return
        box = QRectF(option.rect).adjusted(1, 1, -1, -1)
        depth = float(self._model.depth[number])
        status = self._model.status(number)
        if np.isnan(depth):
            color, ink = self._theme.color("window"), self._theme.color("text")
        else:
            color, ink = _at(depth, self._theme.dark)
        painter.fillRect(box, color)
        loud = status in _LOUD
        room = box.adjusted(2, 0, -2, 0)
        high = box.height() >= self._metrics.height() - 2 and room.width() >= self._metrics.averageCharWidth()
        words = self._model.short(number) if high else ""
        wide = self._metrics.horizontalAdvance(words)
        fits = bool(words) and wide + (MARK + 6 if loud else 0) <= room.width()
        left = room.center().x() - ((wide if fits else 0) + (MARK + (5 if fits else 0) if loud else 0)) / 2
        if loud and box.width() >= MARK + 2 and box.height() >= MARK:
            self._paint_mark(painter, QPointF(left, box.center().y() - MARK / 2), status)
            left += MARK + 5
        if fits:
            painter.setFont(self._font)
            painter.setPen(ink)
            painter.drawText(QPointF(left, box.center().y() + self._metrics.ascent() / 2 - 1), words)
        if number == self.current:
            painter.setPen(QPen(self._theme.color("text"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)

    def _paint_mark(self, painter: QPainter, at: QPointF, status: str) -> None:
        """The shape on the ground that it is made for: on a deep colour it would be lost."""
        painter.fillRect(QRectF(at.x() - 1, at.y() - 1, MARK + 2, MARK + 2), self._theme.color("base"))
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(at, self._theme.status_mark(status, MARK, ratio))
