"""Ctrl-C that is never lost.

Python raises KeyboardInterrupt wherever the main thread happens to be; inside a finalizer or a callback from C it is
printed and forgotten. So the wish is also remembered, and long work is told at its next report of progress.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

_asked = False


def asked() -> bool:
    """Whether Ctrl-C was pressed since the command began."""
    return _asked


@contextmanager
def interruptible() -> Iterator[None]:
    """Within this, Ctrl-C raises KeyboardInterrupt and makes `asked` true. Elsewhere than on the main thread nothing changes."""
    global _asked
    _asked = False
    before = None
    with suppress(ValueError):  # not on the main thread
        before = signal.signal(signal.SIGINT, _interrupted)
    try:
        yield
    finally:
        if before is not None:
            # a second Ctrl-C while the process ends would print a traceback of the interpreter's own
            signal.signal(signal.SIGINT, signal.SIG_IGN if _asked else before)


def _interrupted(_signal: int, _frame: FrameType | None) -> NoReturn:
    global _asked
    _asked = True
    raise KeyboardInterrupt
