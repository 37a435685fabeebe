"""Ctrl-C that is never lost.

Python raises KeyboardInterrupt wherever the main thread happens to be; inside a finalizer or a callback from C, of which
importing has some, it is printed and forgotten. So nothing is printed, the wish is remembered, and long work is told at its
next report of progress.
"""

from __future__ import annotations

import signal
import sys
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
    before, hook = None, sys.unraisablehook

    def unraisable(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is not KeyboardInterrupt:
            hook(what)

    sys.unraisablehook = unraisable
    with suppress(ValueError):  # not on the main thread
        before = signal.signal(signal.SIGINT, _interrupted)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        if before is not None:
            # a second Ctrl-C while the process ends would print a traceback of the interpreter's own
            signal.signal(signal.SIGINT, signal.SIG_IGN if _asked else before)


def _interrupted(_signal: int, _frame: FrameType | None) -> NoReturn:
    global _asked
    _asked = True
    raise KeyboardInterrupt
