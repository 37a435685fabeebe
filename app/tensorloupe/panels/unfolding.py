"""Opens the groups of a tree, a few in each turn of the event loop: Qt asks for every row of what is opened at once.

What is seen stays where it is while groups above it are being opened.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtWidgets import QAbstractItemView, QTreeView

from tensorloupe.items.arrangement import NAME
from tensorloupe.items.treerows import TreeRows

_ROWS = 400  # about as many as appear in one turn: where a layout is due, they cost nothing before it
_AT_ONCE = 0.008  # seconds of opening in one turn: a group takes the longer, the more is open


class Unfolding(QObject):
    """Knows groups by their names, so that they are the same ones after the rows were arranged anew."""

    def __init__(self, view: QTreeView, model: TreeRows) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._left: list[tuple[int, str]] = []  # (row, name) of what is still to be opened, the lowest first
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._go_on)
        model.modelAboutToBeReset.connect(self.stop)

    def opened(self) -> set[str]:
        """The groups that are open, or about to be."""
        is_open, index = self._view.isExpanded, self._model.index
        there = {name for row, name in self._model.groups_shown() if is_open(index(row, NAME))}
        return there | {name for _, name in self._left}

    def open(self, names: Collection[str]) -> None:
        """Open these groups and leave the others as they are."""
        self._left = [(row, name) for row, name in reversed(self._model.groups_shown()) if name in names]
        self._go_on()

    def open_all(self) -> None:
        """Open every group."""
        self.open({name for _, name in self._model.groups_shown()})

    def stop(self) -> None:
        """Open no more."""
        self._left.clear()
        self._turn.stop()

    def _go_on(self) -> None:
        top = self._view.indexAt(QPoint(1, 1)) if self._view.verticalScrollBar().value() else None
        until, appeared = time.perf_counter() + _AT_ONCE, 0
        while self._left and appeared < _ROWS and time.perf_counter() < until:
            index = self._model.index(self._left.pop()[0], NAME)
            if not self._view.isExpanded(index):
                self._view.setExpanded(index, True)
                appeared += self._model.rowCount(index)
        if top is not None and appeared:
            self._view.scrollTo(top, QAbstractItemView.ScrollHint.PositionAtTop)
        if self._left:
            self._turn.start()
