"""A layout that sets widgets side by side and breaks into a new line where the width ends, like words."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Left to right, top to bottom, with the same gap between items and between lines."""

    def __init__(self, parent: QWidget | None = None, gap: int = 6) -> None:
        super().__init__(parent)
        self._gap = gap
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insertWidget(self, position: int, widget: QWidget) -> None:
        """Add a widget before the one at that position."""
        self.addWidget(widget)
        self._items.insert(position, self._items.pop())
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _place(self, rect: QRect, move: bool) -> int:
        margins = self.contentsMargins()
        inner = rect.marginsRemoved(margins)
        x, y, height = inner.x(), inner.y(), 0
        row: list[tuple[QLayoutItem, int, QSize]] = []

        def end_row() -> None:
            for placed, left, size in row if move else ():
                placed.setGeometry(QRect(QPoint(left, y + (height - size.height()) // 2), size))
            row.clear()

        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if x > inner.x() and x + size.width() > inner.right() + 1:
                end_row()
                x, y, height = inner.x(), y + height + self._gap, 0
            row.append((item, x, size))
            x, height = x + size.width() + self._gap, max(height, size.height())
        end_row()
        return y + height - rect.y() + margins.bottom()
