"""Takes a new palette over to windows with a style sheet, a few widgets at a time: all at once would hold them up.

Qt works out the colours of a widget under a sheet when it is first polished, and again only when it is polished anew.
"""

from __future__ import annotations

import contextlib
import time

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

_AT_ONCE = 0.008  # seconds of polishing in one turn of the event loop
_COVERED = (
    Qt.WidgetAttribute.WA_UpdatesDisabled
)  # the window's own: `setUpdatesEnabled` has each widget painted by itself


class Dressing(QObject):
    """Polishes the widgets of all windows anew. Until `done` was told, each window keeps its old picture, whole.

    done     what has colours of its own must set them now: polishing puts back those of before
    painted  every window has its new picture: what takes long in the background can begin without holding that up
    """

    done = Signal()
    painted = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._windows: list[QWidget] = []
        self._waiting: list[QWidget] = []
        self._covered: list[QWidget] = []
        self._turn = QTimer(self)
        self._turn.timeout.connect(self._go_on)

    def add(self, window: QWidget) -> None:
        """Look after this window as long as it lives."""
        self._windows.append(window)
        window.destroyed.connect(lambda: self._windows.remove(window))

    def start(self) -> None:
        """Begin, or begin again where another palette came meanwhile."""
        self._waiting = []
        self._covered = list(self._windows)
        for window in self._windows:
            window.setAttribute(_COVERED, True)
            self._waiting += [window, *window.findChildren(QWidget)]
        self._waiting.reverse()  # taken from the end: what is outside comes before what is inside
        self._turn.start()

    def _go_on(self) -> None:
        until = time.perf_counter() + _AT_ONCE
        while self._waiting and time.perf_counter() < until:
            widget = self._waiting.pop()
            with contextlib.suppress(RuntimeError):  # gone since the palette changed
                style = widget.style()
                style.unpolish(widget)
                style.polish(widget)
        if not self._waiting:
            self._turn.stop()
            self.done.emit()
            QTimer.singleShot(0, self, self._show)

    def _show(self) -> None:
        """Paint the windows anew, each in a turn of its own."""
        if self._turn.isActive():
            return
        if not self._covered:
            self.painted.emit()
            return
        window = self._covered.pop()
        with contextlib.suppress(RuntimeError):  # closed since
            window.setAttribute(_COVERED, False)
            window.repaint()
        QTimer.singleShot(0, self, self._show)
