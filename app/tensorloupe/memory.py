"""Freed memory goes back to the system: left alone, the C library keeps it in holes that the next picture does not fit.

glibc asks the system for a large piece by itself, and gives it back when it is freed, only as long as none of that size was
freed before; from then on such pieces lie between what stays, in memory of each thread's own. Images and arrays come and go
with each selection: after some thousands the program would hold much more than it uses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QObject, QTimer

from tensorloupe.tasks import TaskRunner

_EVERY = 5_000  # milliseconds between two times, while there is work whose memory may have been freed
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as glibc's malloc.h numbers them
_LARGE = 1 << 19  # bytes from which on a piece is always the system's own, and goes back at once
_SPARE = 1 << 22  # bytes that each thread may keep free behind what is in use


class Memory(QObject):
    """Gives back what the tasks of a runner have freed.

    On the window's thread, which it takes some milliseconds: a worker that the system stops in the middle of it would hold
    the window up for as long, as soon as that needs memory.
    """

    def __init__(self, tasks: TaskRunner) -> None:
        super().__init__(tasks)
        self._wait = QTimer(self, interval=_EVERY)  # no single shot: nobody is to take it for work that was put off
        self._wait.timeout.connect(self._give_back)
        tasks.ended.connect(self._freed)

    def _freed(self, _: object) -> None:
        if not self._wait.isActive():
            self._wait.start()

    def _give_back(self) -> None:
        self._wait.stop()
        give_back()


def give_back() -> bool:
    """Give free memory back to the system; says whether any was."""
    trim = prepare()
    return trim is not None and bool(trim(0))


@cache
def prepare() -> Callable[[int], int] | None:
    """Have large pieces given back at once, from now on; what gives back the others, None where the C library has neither.

    Loads ctypes: call it in the background first.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        library = ctypes.CDLL(None)
        trim, option = library.malloc_trim, library.mallopt
    except (OSError, AttributeError):
        return None
    for name, most in ((_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _SPARE)):
        option(name, most)
    trim.argtypes, trim.restype = (ctypes.c_size_t,), ctypes.c_int
    return trim
