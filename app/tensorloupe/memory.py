"""What was freed goes back to the system: the C library keeps it for later, in holes that the next picture does not fit.

Images and arrays of a few megabytes come and go with each selection, and each finds its place between what stays. After some
thousand selections the program would hold twice what it uses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QObject, QTimer

from tensorloupe.tasks import TaskRunner

_EVERY = 5_000  # milliseconds between two times, while there is work whose memory may have been freed

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them
_LARGE = 1 << 19  # bytes from which on a piece is the system's own, and goes back at once: else that grows to 32 MB
_SPARE = 1 << 22  # bytes that each thread may keep free behind what is in use: else that grows to 64 MB


class Memory(QObject):
    """Gives back, on a thread of the runner, what its work has freed; does nothing where the C library cannot."""

    def __init__(self, tasks: TaskRunner) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._wait = QTimer(self, singleShot=True, interval=_EVERY)
        self._wait.timeout.connect(self._give_back)
        tasks.ended.connect(self._freed)

    def _freed(self, _: object) -> None:
        if not self._wait.isActive():
            self._wait.start()

    def _give_back(self) -> None:
        self._tasks.start("memory", "", lambda _: give_back(), lambda _: None, lambda _: None, quiet=True)


def give_back() -> bool:
    """Give free memory back to the system; says whether any was. Takes some milliseconds: call it in the background."""
    trim = _trim()
    return trim is not None and bool(trim(0))


@cache
def _trim() -> Callable[[int], int] | None:
    """The C library's own way, which glibc has, and others have not. Asked for first, it is told to hold on to less as well."""
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
