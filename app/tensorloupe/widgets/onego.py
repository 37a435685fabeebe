"""All cells of a table that are to be painted, in one go.

Qt's own way asks Python four times for each cell, and while other threads read values each question may wait for one of them.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView, QWidget


def paint_cells(view: QTableView, ground: QWidget, event: QPaintEvent, stripe: QColor | None) -> None:
    """Paint what an event of the table's viewport `ground` covers, by the delegates; `stripe` is under every other row."""
    model, header, area, region = view.model(), view.horizontalHeader(), event.rect(), event.region()
    first, last = view.rowAt(area.top()), view.rowAt(area.bottom())
    shown = [column for column in range(header.count()) if not header.isSectionHidden(column)]
    if first < 0 or not shown:
        return
    painter, option = QPainter(ground), QStyleOptionViewItem()
    option.font, option.fontMetrics = view.font(), QFontMetrics(view.font())
    usual = view.itemDelegate()
    lefts = {column: header.sectionViewportPosition(column) for column in shown}
    wide = {column: header.sectionSize(column) for column in shown}
    delegates = {column: view.itemDelegateForColumn(column) or usual for column in shown}
    begin, all_wide = min(lefts.values()), sum(wide.values())
    turned = view.layoutDirection() == Qt.LayoutDirection.RightToLeft
    reached = [at for at in shown if (lefts[at] + wide[at] > area.left() if turned else lefts[at] <= area.right())]
    for row in range(first, (last if last >= 0 else model.rowCount() - 1) + 1):
        top, height, taken = view.rowViewportPosition(row), view.rowHeight(row), 0
        whole = QRect(begin, top, all_wide, height)
        if not region.intersects(whole):
            continue
        if stripe is not None and row % 2:
            painter.fillRect(whole, stripe)
        for column in reached:
            if column < taken:  # the cell before is that wide
                continue
            taken, left, room = column + view.columnSpan(row, column), lefts[column], wide[column]
            if taken > column + 1:
                under = [other for other in shown if column <= other < taken]
                left, room = min(lefts[other] for other in under), sum(wide[other] for other in under)
            option.rect = QRect(left, top, room, height)
            if area.intersects(option.rect):
                delegates[column].paint(painter, option, model.createIndex(row, column))
