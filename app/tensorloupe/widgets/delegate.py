"""How rows of trees and tables are painted: 24 pixels or as the font needs, status shapes, quiet and wrong text.

A cell is painted here in one go instead of by the style: that is several times cheaper, and rows are what the window paints
most of.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tensorloupe.items import roles
from tensorloupe.style.text import forth
from tensorloupe.style.theme import Theme

Index = QModelIndex | QPersistentModelIndex

ROW = 24
MARK = 14  # side of a status shape
_USUAL = ".weight"  # as most tensors end: what tells them apart is before it
KEPT = 1024  # texts whose elided form is remembered: as many as a window shows several times over
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def row_height(widget: QWidget, least: int = ROW) -> int:
    """Height of a row: `least` at the usual font size, more where the font needs it."""
    return max(least, widget.fontMetrics().height() + 6)


class RowDelegate(QStyledItemDelegate):
    """Paints what the roles say: a status shape alone in its column, else before the text.

    inset, right  px that text keeps from the left end of its cell, besides Qt's own, and from the right end
    """

    def __init__(self, theme: Theme, parent: QAbstractItemView, inset: int = 0, right: int = 3) -> None:
        super().__init__(parent)
        self._theme, self._parent, self._inset, self._right = theme, parent, inset, right
        # the font that is painted with, its bold form, and texts as they fit their cells in it
        self._font: QFont | None = None
        self._bold = QFont()
        self._elided: dict[tuple[str, bool, bool, int], str] = {}

    def is_selected(self, index: Index) -> bool:
        """Whether the row is to be painted as selected: what `option.state` says, which would load all of QStyle."""
        return self._parent.selectionModel().isSelected(index)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = QFontMetrics(option.font).horizontalAdvance(str(index.data() or "")) + self._inset + 8
        return QSize(
            width + (self._theme.scaled(MARK) + 8 if index.data(roles.STATUS) else 0), row_height(self._parent)
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        selected = self.is_selected(index)
        if selected:
            painter.fillRect(option.rect, self._theme.color("highlight"))
        look: roles.Look = index.model().look(index)  # type: ignore[attr-defined]
        self.paint_look(painter, option.rect, look, selected, option.font)

    def paint_look(self, painter: QPainter, rect: QRect, look: roles.Look, selected: bool, font: QFont) -> None:
        """Paint what a cell shows, on ground that is there."""
        room = rect.adjusted(self._inset + 3, 0, -self._right, 0)
        if look.status:
            room = self._paint_mark(painter, rect, room, look.status, bool(look.text))
        if look.text:
            tone = "text" if selected and look.tone == "secondary" else look.tone
            painter.setPen(self._theme.color(tone))
            self._paint_text(painter, font, room, look)

    def _paint_text(self, painter: QPainter, font: QFont, room: QRect, look: roles.Look) -> None:
        if font != self._font:
            self._font, self._bold = QFont(font), QFont(font)
            self._bold.setBold(True)
            self._elided.clear()
        painter.setFont(self._bold if look.bold else font)
        key = look.text, look.bold, look.middle, room.width()
        shown = self._elided.get(key)
        if shown is None:
            if len(self._elided) >= KEPT:
                self._elided.clear()
            shown = self._elided[key] = forth(fitting(QFontMetrics(painter.font()), look, room.width()))
        painter.drawText(room, _RIGHT if look.right else _LEFT, shown)

    def _paint_mark(self, painter: QPainter, rect: QRect, room: QRect, status: str, before_text: bool) -> QRect:
        """The shape, and the room that is left for the text."""
        side = self._theme.scaled(MARK)
        y = rect.center().y() - side / 2 + 0.5
        x = room.x() if before_text else rect.center().x() - side / 2 + 0.5
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(QPointF(x, y), self._theme.status_mark(status, side, ratio))
        return room.adjusted(side + 8, 0, 0, 0)


def fitting(metrics: QFontMetrics, look: roles.Look, width: int) -> str:
    """As much of a text as has room. Of a name first its usual ending goes, then what is in its middle."""
    if not look.middle:
        return metrics.elidedText(look.text, Qt.TextElideMode.ElideRight, width)
    middle = Qt.TextElideMode.ElideMiddle
    if not look.text.endswith(_USUAL) or metrics.horizontalAdvance(look.text) <= width:
        return metrics.elidedText(look.text, middle, width)
    return metrics.elidedText(look.text.removesuffix(_USUAL), middle, width - metrics.horizontalAdvance("…")) + "…"
