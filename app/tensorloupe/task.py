"""One piece of work in the background: who it is for, how far it is, and whether anybody still wants it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

_PROGRESS_EVERY = 0.05  # seconds between two progress reports of a task


class Progress(Protocol):
    """What a piece of work is given: call it now and then, end when it answers False. weightmap takes it as it is."""

    def __call__(self, done: int, total: int) -> bool: ...


class Task:
    """One piece of work: who it is for, how far it is, and whether anybody still wants it."""

    def __init__(self, slot: str, title: str, quiet: bool, callbacks: tuple[Any, ...]) -> None:
        self.slot, self.title, self.quiet = slot, title, quiet
        self._work, self._done, self._failed, self.when_cancelled, self._discard = callbacks
        self.done, self.total = 0, 0  # as last reported; total 0 as long as nothing was
        self.background = False  # others are more worth mentioning
        self.detail = ""  # what it is at, to be shown instead of the share in percent
        self.started = time.monotonic()
        self.cancelled = False
        self.outcome = ""  # "done" or "failed"
        self.value: Any = None  # what came out, or the exception
        self._told = 0.0
        self._heard: Callable[[Task, bool], None] = lambda task, over: None

    def __call__(self, done: int, total: int) -> bool:
        """The progress callback: remembers how far the work is, tells the window at most 20 times a second."""
        self.done, self.total = done, total
        now = time.monotonic()
        if now - self._told >= _PROGRESS_EVERY and not self.cancelled:
            self._told = now
            self._heard(self, False)
        return not self.cancelled

    def run(self) -> None:
        """Do the work, on a thread of the pool, and say that it is over. Whatever comes out is kept; nothing escapes."""
        try:
            if not self.cancelled:
                self.value, self.outcome = self._work(self), "done"
        except BaseException as reason:  # the window shows it; a thread has nobody to raise to
            self.value, self.outcome = reason, "failed"
        if self.cancelled:
            self.discard()
        self._heard(self, True)

    def deliver(self) -> None:
        """Hand the outcome to who asked for it, on the window's thread."""
        if self.outcome == "done":
            self._done(self.value)
        elif type(self.value).__name__ == "Cancelled":  # weightmap's, which is not imported for this alone
            if self.when_cancelled is not None:
                self.when_cancelled()
        elif self._failed is not None:
            self._failed(self.value)
        else:
            raise self.value

    def discard(self) -> None:
        """Give back what an unwanted result holds, once."""
        outcome, self.outcome = self.outcome, ""
        if outcome == "done" and self._discard is not None:
            self._discard(self.value)

    def let_go(self) -> None:
        """Forget what leads to widgets, on the window's thread: the worker holds the task longer, and they would die there."""
        self._work = self._done = self._failed = self.when_cancelled = self._discard = self.value = None
