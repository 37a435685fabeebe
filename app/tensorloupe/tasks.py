"""The one place of the app where work leaves the window's thread, and the one way in which its results come back.

A task lives in a slot ("open", "statistics", "heatmap"). Starting another one in the same slot drops the older: its
result is thrown away even if it is ready, so that nothing is ever shown under a name that is no longer selected.
Threads put what happened into a queue and ring once; callbacks run on the window's thread when it hears the bell.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeVar

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal, Slot

T = TypeVar("T")
PoolName = Literal["work", "plot"]

_PROGRESS_EVERY = 0.05  # seconds between two progress reports of a task
_WORKERS = 4
_STRAYS: list[QThreadPool] = []  # pools whose threads did not end in time: to delete one would wait for them


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


class _Run(QRunnable):
    """A task on its way through a pool. The pool may keep this object for good, so it lets go of the task before that runs."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self._task: Task | None = task

    def run(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.run()


class TaskRunner(QObject):
    """Starts work in the background and calls back on the thread that it lives on.

    Pool "work" has a few threads; pool "plot" has one, for what may only be done by one thread at a time. Signals carry
    the Task and are for whoever shows what runs: quiet tasks send none.
    """

    started = Signal(object)
    progressed = Signal(object)
    ended = Signal(object)
    failed = Signal(object)  # the exception of any task, quiet ones too, before its own `failed` hears of it
    _bell = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pools: dict[str, QThreadPool] = {"work": QThreadPool(self), "plot": QThreadPool(self)}
        self._pools["work"].setMaxThreadCount(_WORKERS)
        self._pools["plot"].setMaxThreadCount(1)
        self._slots: dict[str, Task] = {}
        self._heard: deque[tuple[Task, bool]] = deque()
        self._closed = False
        self.home = True  # whether all threads ended in time at shutdown
        self._bell.connect(self._listen, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        slot: str,
        title: str,
        work: Callable[[Progress], T],
        done: Callable[[T], None],
        failed: Callable[[BaseException], None] | None = None,
        cancelled: Callable[[], None] | None = None,
        *,
        pool: PoolName = "work",
        quiet: bool = False,
        background: bool = False,
        delay: int = 0,
        discard: Callable[[T], None] | None = None,
    ) -> Task:
        """Run `work(progress)` in the background, then `done(result)` here; drops what the slot ran before.

        failed     gets what work raised; without it the exception is raised in the event loop, where the window shows it
        cancelled  called at once when the user cancels, or when work raises weightmap.Cancelled
        background  where the window mentions one task only, it mentions any other than this
        delay      milliseconds until it begins; it has its slot from now on
        discard    gets a result that nobody wants any more, on either thread: to close what it holds open
        """
        self.drop(slot)
        task = Task(slot, title, quiet, (work, done, failed, cancelled, discard))
        task._heard, task.background = self._hear, background
        if self._closed:
            task.cancelled = True
            return task
        self._slots[slot] = task
        if not quiet:
            self.started.emit(task)
        if delay:
            QTimer.singleShot(delay, self, lambda: None if task.cancelled else self._pools[pool].start(_Run(task)))
        else:
            self._pools[pool].start(_Run(task))
        return task

    def running(self, slot: str | None = None) -> bool:
        """Whether the slot (any slot that is not quiet) has a task that is not finished."""
        return slot in self._slots if slot is not None else any(not t.quiet for t in self._slots.values())

    def busy_besides(self, slots: tuple[str, ...]) -> bool:
        """Whether anything runs in another slot. May be asked from any thread, by work that gives way to all other."""
        return any(slot not in slots for slot in list(self._slots))

    @property
    def idle(self) -> bool:
        """Whether nothing runs at all, quiet tasks included."""
        return not self._slots

    def drop(self, slot: str) -> None:
        """Forget the slot's task: it ends soon, and neither its result nor its failure is heard of."""
        task = self._slots.pop(slot, None)
        if task is not None:
            task.cancelled = True
            if not task.quiet:
                self.ended.emit(task)

    def cancel(self, slot: str) -> None:
        """Cancel the slot's task as the user asks it to: it is over at once, and its `cancelled` is called."""
        task = self._slots.get(slot)
        self.drop(slot)
        if task is not None and task.when_cancelled is not None:
            task.when_cancelled()

    def cancel_all(self) -> bool:
        """Cancel every task that is not quiet; says whether there was one."""
        loud = [slot for slot, task in self._slots.items() if not task.quiet]
        for slot in loud:
            self.cancel(slot)
        return bool(loud)

    def shutdown(self, milliseconds: int = 1500) -> bool:
        """Drop everything, start nothing more, and wait for the threads; says whether all of them came home in time."""
        self._closed = True
        for slot in list(self._slots):
            self.drop(slot)
        home = True
        until = time.monotonic() + milliseconds / 1000
        for pool in self._pools.values():
            pool.clear()
            if not pool.waitForDone(max(1, round((until - time.monotonic()) * 1000))):
                home = False
                pool.setParent(None)
                _STRAYS.append(pool)
        self._listen()
        self.home = home
        return home

    def _hear(self, task: Task, over: bool) -> None:
        self._heard.append((task, over))
        if not self._closed:
            try:
                self._bell.emit()
            except RuntimeError:  # the runner is gone without `shutdown`, and nobody left to ring for
                task.cancelled = True
                task.discard()

    @Slot()
    def _listen(self) -> None:
        while self._heard:
            task, over = self._heard.popleft()
            current = self._slots.get(task.slot) is task
            if not over:
                if current and not task.quiet:
                    self.progressed.emit(task)
            elif not current:
                task.discard()
                task.let_go()
            else:
                del self._slots[task.slot]
                if not task.quiet:
                    self.ended.emit(task)
                if self._heard:
                    self._bell.emit()  # one result per turn of the event loop: the window stays quick
                if task.outcome == "failed":
                    self.failed.emit(task.value)
                try:
                    task.deliver()
                finally:
                    task.let_go()
                return
