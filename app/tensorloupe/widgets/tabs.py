"""Tabs that turn by click and keys, and by the wheel only once they have the focus."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QTabBar


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

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel that passes over changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
