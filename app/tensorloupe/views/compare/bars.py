"""Paints a relative error as a bar in its cell, with a tick where the type's usual error is; the number stands beside it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem

from tensorloupe.items.errortable import Bar, ErrorTable
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.delegate import RowDelegate

Index = QModelIndex | QPersistentModelIndex

COLORS = {"worse": "bar_worse", "wrong": "bar_wrong"}
_POINT = 9  # px of the point at the end of a bar that is longer than its scale
_LEAST = 40  # px below which no bar is drawn


class BarDelegate(RowDelegate):
    """For the column of relative errors. All rows share one scale."""

    def __init__(self, theme: Theme, parent: QAbstractItemView, model: ErrorTable) -> None:
        super().__init__(theme, parent)
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(230, super().sizeHint(option, index).height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect, selected = option.rect, self.is_selected(index)
        if selected:
            painter.fillRect(rect, self._theme.color("highlight"))
        look = self._model.look(index)
        words = option.fontMetrics.horizontalAdvance("000.00 %") + 8
        room = QRectF(rect.left() + 12, rect.top() + 4, rect.width() - words - 20, rect.height() - 8)
        bar = self._model.bar(index)
        if bar is not None and room.width() >= _LEAST:
            self._paint_bar(painter, room, bar)
        if look.text:
            painter.setPen(self._theme.color("text" if selected else look.tone))
            self._paint_text(painter, option.font, rect.adjusted(3, 0, -3, 0), look)

    def _paint_bar(self, painter: QPainter, room: QRectF, bar: Bar) -> None:
        painter.save()
        color = self._theme.color(COLORS.get(bar.verdict, "bar"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if bar.length > 1:
            tip, middle = room.right(), room.center().y()
            shape = [room.topLeft(), QPointF(tip - _POINT, room.top()), QPointF(tip, middle)]
            shape += [QPointF(tip - _POINT, room.bottom()), room.bottomLeft()]
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPolygon(QPolygonF(shape))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        else:
            painter.fillRect(QRectF(room.left(), room.top(), max(bar.length * room.width(), 1), room.height()), color)
        if bar.tick is not None and bar.tick <= 1:
            x = round(room.left() + bar.tick * room.width())
            painter.fillRect(QRectF(x - 1, room.top() - 2, 2, room.height() + 4), self._theme.color("text"))
        painter.restore()
