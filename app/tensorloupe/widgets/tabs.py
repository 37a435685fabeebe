"""Tabs that turn by click and keys, and by the wheel only once they have the focus."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QFont, QFontMetrics, QWheelEvent
from PySide6.QtWidgets import QTabBar

_AROUND = 26  # px beside a word: what the style sheet pads, and a little air


class Tabs(QTabBar):
    """A row of tabs as wide as their words. `name` is what a screen reader says of all of them."""

    def __init__(self, name: str, words: Iterable[str]) -> None:
        super().__init__()
        self._sizes: dict[str, QSize] = {}  # by word: a layout asks a hundred times
        self.setAccessibleName(name)
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(False)
        for word in words:
            self.addTab(word)

    def tabSizeHint(self, index: int) -> QSize:
        """As wide as its word in bold, which it is while it is the selected one: none moves when another is selected."""
        word = self.tabText(index)
        size = self._sizes.get(word)
        if size is None:
            bold = QFont(self.font())
            bold.setBold(True)
            size = QSize(QFontMetrics(bold).horizontalAdvance(word) + _AROUND, super().tabSizeHint(index).height())
            self._sizes[word] = size
        return size

    def changeEvent(self, event: QEvent) -> None:
        """Another font or style: other sizes."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._sizes.clear()
        super().changeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel that passes over changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
