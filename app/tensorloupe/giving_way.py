"""Background work that gives way to all other: between two pieces it waits until nothing else runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

import weightmap
from tensorloupe.task import Progress

_LOOK = 0.01  # seconds between two looks whether other work is done
_MOMENT = 0.0005  # seconds that an idle window takes to answer
_PIECE = 0.004  # seconds of work between two questions whether the window's thread has something to do


def give_way(progress: Progress, done: int, total: int, busy: Callable[[], bool]) -> bool:
    """Report progress, then wait as long as others are busy. True, to be a progress callback's answer; raises Cancelled."""
    wanted = progress(done, total)
    while wanted and busy():
        time.sleep(_LOOK)
        wanted = progress(done, total)
    if not wanted:
        raise weightmap.Cancelled
    return True


class Turns(QObject):
    """Lets the threads of one work and the window's take turns, so that the window has Python to itself while it is busy.

    Each call to Qt gives Python away, and a worker that runs pure Python gives it back late. So the worker asks now and
    then: a question that stands in line behind whatever the window does, answered once that is done.
    """

    _asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answered = True
        self._since = 0.0
        self._asked.connect(self._answer, Qt.ConnectionType.QueuedConnection)

    def window_busy(self) -> bool:
        """On the worker, between two pieces of work: whether the window's thread has something to do, by a moment's wait."""
        if self._answered:
            if time.perf_counter() - self._since < _PIECE:
                return False
            self._answered = False
            try:
                self._asked.emit()
            except RuntimeError:  # the window is gone: nobody to wait for, and the work is told to end elsewhere
                self._answered = True
        until = time.perf_counter() + _LOOK
        while not self._answered:
            if time.perf_counter() > until:
                return True
            time.sleep(_MOMENT)
        self._since = time.perf_counter()
        return False

    @Slot()
    def _answer(self) -> None:
        self._answered = True
