"""The progress line: on stderr, on a terminal only, and only for work that takes longer than a second."""

from __future__ import annotations

import shutil
import sys
import time

from weightmap.cli.interrupt import asked
from weightmap.errors import printable

_AFTER = 1.0  # seconds before the line shows
_EVERY = 0.1  # seconds between two states of it


class ProgressLine:
    """Call it as a progress callback; leave the `with` and the line is gone. `title` says what is being worked on."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._shown = False
        self._next = time.monotonic() + _AFTER
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, done: int, total: int) -> bool:
        """Note how far the work is; False, which ends it, once Ctrl-C was pressed."""
        now = time.monotonic()
        if self._terminal and now >= self._next:
            self._next = now + _EVERY
            self._shown = True
            share = f"{100 * done // total:3d} %" if total else "     "
            room = shutil.get_terminal_size().columns - len(share) - 3
            sys.stderr.write(f"\r\x1b[K{share}  {printable(self.title)[:room]}")
            sys.stderr.flush()
        return not asked()

    def clear(self) -> None:
        """Take the line away, so that what is printed next starts on a clean one."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
