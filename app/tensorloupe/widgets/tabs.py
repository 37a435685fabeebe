"""Tabs that turn by click and keys, and by the wheel only once they have the focus."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontMetrics, QWheelEvent
from PySide6.QtWidgets import QTabBar

_AROUND = 26  # px beside a word: what the style sheet pads, and a little air


class Tabs(QTabBar):
    """A row of tabs as wide as their words. `name` is what a screen reader says of all of them."""

    def __init__(self, name: str, words: Iterable[str]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(False)
        for word in words:
            self.addTab(word)

    def tabSizeHint(self, index: int) -> QSize:
        """As wide as its word in bold, which it is while it is the selected one: none moves when another is selected."""
        bold = QFont(self.font())
        bold.setBold(True)
        width = QFontMetrics(bold).horizontalAdvance(self.tabText(index)) + _AROUND
        return QSize(width, super().tabSizeHint(index).height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel that passes over changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
