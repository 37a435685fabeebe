"""How rows of trees and tables are painted: 24 pixels or as the font needs, status shapes, quiet and wrong text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tensorloupe.items import roles
from tensorloupe.theme import Theme

Index = QModelIndex | QPersistentModelIndex

ROW = 24
MARK = 14


def row_height(widget: QWidget, least: int = ROW) -> int:
    """Height of a row: `least` at the usual font size, more where the font needs it."""
    return max(least, widget.fontMetrics().height() + 6)


class RowDelegate(QStyledItemDelegate):
    """Paints what the roles say: a status shape alone in its column, else before the text; `inset` moves text inwards."""

    def __init__(self, theme: Theme, parent: QWidget, inset: int = 0) -> None:
        super().__init__(parent)
        self._theme, self._parent, self._inset = theme, parent, inset

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hint = super().sizeHint(option, index)
        hint.setHeight(row_height(self._parent))
        return hint

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        color = None
        if index.data(roles.WRONG):
            color = "error"
        elif index.data(roles.QUIET) and not option.state & QStyle.StateFlag.State_Selected:
            color = "secondary"
        if color is not None:
            option.palette.setColor(QPalette.ColorRole.Text, self._theme.color(color))
            option.palette.setColor(QPalette.ColorRole.HighlightedText, self._theme.color(color))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        status = index.data(roles.STATUS)
        rect = option.rect
        own = QStyleOptionViewItem(option)
        if not status:
            if self._inset:
                self._ground(painter, own, index)
                own = QStyleOptionViewItem(option)
                own.rect = rect.adjusted(self._inset, 0, 0, 0)
            super().paint(painter, own, index)
            return
        if index.data(Qt.ItemDataRole.DisplayRole):
            self._ground(painter, own, index)
            own = QStyleOptionViewItem(option)
            own.rect = rect.adjusted(MARK + 18, 0, 0, 0)
            super().paint(painter, own, index)
            box = QRectF(rect.x() + 12, rect.center().y() - MARK / 2 + 0.5, MARK, MARK)
        else:
            super().paint(painter, own, index)
            box = QRectF(rect.center().x() - MARK / 2 + 0.5, rect.center().y() - MARK / 2 + 0.5, MARK, MARK)
        self._theme.paint_status(painter, box, status)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The selection's colour under the shape as well."""
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style() if option.widget else self._parent.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
