"""Garbage is collected on the window's thread, a little at a time, and on no other.

Python's own collections run on whichever thread allocates when a count is full, and stop all others meanwhile: one that
looks through all that is loaded holds the window up for 50 to 100 ms, and one on a worker may take widgets apart there.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY = 1_000  # milliseconds between two looks
_FEW = 700  # new objects that are not worth a collection
_MANY = 20_000  # objects from which on a collection would be felt; what comes in such masses was loaded, and stays
_YOUNG = 10  # collections of what is new between two of all


class Garbage(QObject):
    """Takes collections over from Python, from now on; what was made until now is never looked through."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()
        self._since = 0
        timer = QTimer(self, interval=_EVERY)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        """Collect what came and went since the last look, and now and then all that is not frozen."""
        new = gc.get_count()[0]
        if new < _FEW:
            return
        if new > _MANY:
            gc.freeze()
            return
        gc.collect(1)
        self._since += 1
        if self._since >= _YOUNG:
            self._since = 0
            gc.collect()
            if len(gc.get_objects(generation=2)) > _MANY:  # all of it in use: what is garbage must never be frozen
                gc.freeze()
