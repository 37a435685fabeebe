"""The table of a file's types, as high as its rows, with a bar in the last column."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QWheelEvent
from PySide6.QtWidgets import QStyleOptionViewItem

from tensorloupe.items import roles
from tensorloupe.items.types import LOST, SHARE, WHOLE, TypesTable
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.delegate import RowDelegate
from tensorloupe.widgets.table import INSET, Table

_WIDEST = "100.0 %"
_WIDTHS = (9, 8, 6, 13, 8, 30)  # characters of each column
_LONGEST = 26  # of a type's name, such as that of a fork's own


class _BarDelegate(RowDelegate):
    """Rows with a bar: as long as the type is large, hatched where bytes are missing."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        shares = index.data(roles.SHARES)
        if shares is None:
            return
        length, there, words = shares
        room = QRectF(option.rect).adjusted(12, 0, -12, 0)
        if words:
            wide = option.fontMetrics.horizontalAdvance(_WIDEST)
            painter.setPen(self._theme.color("secondary"))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(room.x(), room.y(), wide, room.height()), right, words)
            room.setLeft(room.left() + wide + 10)
        bar = QRectF(room.x(), room.center().y() - 6, max(2.0, room.width() * length), 12)
        kept = QRectF(bar.x(), bar.y(), bar.width() * there, bar.height())
        painter.fillRect(kept, self._theme.color("series"))
        if there < 1:
            lost = QRectF(kept.right(), bar.y(), bar.width() - kept.width(), bar.height())
            painter.fillRect(lost, self._theme.color("error_strip"))
            painter.fillRect(lost, QBrush(self._theme.color("error"), Qt.BrushStyle.BDiagPattern))
            painter.setPen(self._theme.color("error"))
            painter.drawRect(lost.adjusted(0.5, 0.5, -0.5, -0.5))


class _TypesView(Table):
    """All rows in sight: the page scrolls, not the table."""

    def fit(self, damaged: bool) -> None:
        """As high as its rows, after they changed; with the columns that tell of damage where there is some."""
        for column in (WHOLE, LOST):
            self.setColumnHidden(column, not damaged)
        longest = max(
            (len(str(self.model().index(row, 0).data())) for row in range(self.model().rowCount())), default=0
        )
        self.set_widths((min(max(longest, _WIDTHS[0]), _LONGEST), *_WIDTHS[1:]), SHARE)
        self.setFixedHeight(self.whole_height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def types_view(theme: Theme, model: TypesTable) -> _TypesView:
    """The table over that model."""
    view = _TypesView(theme, model, "Types", _WIDTHS, SHARE)
    view.setItemDelegate(_BarDelegate(theme, view, INSET))
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setAlternatingRowColors(False)
    return view
