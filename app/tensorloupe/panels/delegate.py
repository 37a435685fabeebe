"""How rows of trees and tables are painted: 24 pixels or as the font needs, status shapes, quiet and wrong text.

A cell is painted here in one go instead of by the style: that is several times cheaper, and rows are what the window paints
most of.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tensorloupe.items import roles
from tensorloupe.theme import Theme

Index = QModelIndex | QPersistentModelIndex

ROW = 24
MARK = 14  # side of a status shape
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TO_THE_RIGHT = int(Qt.AlignmentFlag.AlignRight.value)


def row_height(widget: QWidget, least: int = ROW) -> int:
    """Height of a row: `least` at the usual font size, more where the font needs it."""
    return max(least, widget.fontMetrics().height() + 6)


class RowDelegate(QStyledItemDelegate):
    """Paints what the roles say: a status shape alone in its column, else before the text; `inset` moves text inwards."""

    def __init__(self, theme: Theme, parent: QWidget, inset: int = 0) -> None:
        super().__init__(parent)
        self._theme, self._parent, self._inset = theme, parent, inset

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = QFontMetrics(option.font).horizontalAdvance(str(index.data() or "")) + self._inset + 8
        return QSize(width + (MARK + 8 if index.data(roles.STATUS) else 0), row_height(self._parent))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(option.rect, self._theme.color("highlight"))
        said, status = index.data(), index.data(roles.STATUS)
        room = option.rect.adjusted(self._inset + 3, 0, -3, 0)
        if status:
            room = self._paint_mark(painter, option.rect, room, status, bool(said))
        if said:
            painter.setPen(self._theme.color(self._color(index, selected)))
            self._paint_text(painter, option, room, index, said)

    def _color(self, index: Index, selected: bool) -> str:
        if index.data(roles.WRONG):
            return "error"
        return "secondary" if not selected and index.data(roles.QUIET) else "text"

    def _paint_text(
        self, painter: QPainter, option: QStyleOptionViewItem, room: QRect, index: Index, said: str
    ) -> None:
        font, own = option.font, index.data(Qt.ItemDataRole.FontRole)
        if isinstance(own, QFont):
            font = own.resolve(font)
        painter.setFont(font)
        metrics = option.fontMetrics if own is None else QFontMetrics(font)
        right = (index.data(Qt.ItemDataRole.TextAlignmentRole) or 0) & _TO_THE_RIGHT
        shown = metrics.elidedText(said, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _RIGHT if right else _LEFT, shown)

    def _paint_mark(self, painter: QPainter, rect: QRect, room: QRect, status: str, before_text: bool) -> QRect:
        """The shape, and the room that is left for the text."""
        y = rect.center().y() - MARK / 2 + 0.5
        x = room.x() if before_text else rect.center().x() - MARK / 2 + 0.5
        self._theme.paint_status(painter, QRectF(x, y, MARK, MARK), status)
        return room.adjusted(MARK + 8, 0, 0, 0)
