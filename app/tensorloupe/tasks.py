"""The one place of the app where work leaves the window's thread, and the one way in which its results come back.

A task lives in a slot ("open", "statistics", "heatmap"). Starting another one in the same slot drops the older: its
result is thrown away even if it is ready, so that nothing is ever shown under a name that is no longer selected.
Threads put what happened into a queue and ring once; callbacks run on the window's thread when it hears the bell.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from queue import SimpleQueue
from typing import Literal, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from tensorloupe.task import Progress, Task

T = TypeVar("T")
PoolName = Literal["work", "plot"]

_WORKERS = 4
_PATIENCE = 5.0  # seconds that a runner which is deleted without its shutdown waits for its threads


class _Pool:
    """Threads that do one task after the other; another one begins where none waits.

    Of those that wait, the last that was at work goes on: the C library keeps, for each thread, megabytes that it has freed,
    and while one thread is enough the others need none. Python's own threads: a QRunnable is taken apart by whichever thread
    ran it, and its Python half with it.
    """

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._lock = threading.Lock()
        self._todo: deque[Task] = deque()
        self._threads: list[threading.Thread] = []
        self._waiting: list[
            SimpleQueue[Task | None]
        ] = []  # where each thread that waits is given its next task, or None
        self._open = True

    def start(self, task: Task) -> None:
        """Do a task as soon as a thread is free."""
        with self._lock:
            if self._waiting:
                self._waiting.pop().put(task)
                return
            if len(self._threads) == self._most:
                self._todo.append(task)
                return
            given: SimpleQueue[Task | None] = SimpleQueue()
            given.put(task)  # a thread holds what it was begun with as long as it lives
            name = f"{self._name} {len(self._threads)}"
            thread = threading.Thread(target=self._live, args=(given,), name=name, daemon=True)
            self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Begin nothing more: the threads end with what they do."""
        with self._lock:
            self._open = False
            self._todo.clear()
            for waiting in self._waiting:
                waiting.put(None)
            self._waiting.clear()

    def ended(self, until: float) -> bool:
        """Wait for the threads of a closed pool until that moment; says whether all of them ended."""
        for thread in self._threads:
            thread.join(max(0.001, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _live(self, given: SimpleQueue[Task | None]) -> None:
        while (task := given.get()) is not None:
            task.run()
            del task  # nothing of it is held while there is nothing to do
            self._rest(given)

    def _rest(self, given: SimpleQueue[Task | None]) -> None:
        """Take what has waited longest, or wait in turn."""
        with self._lock:
            if not self._open:
                given.put(None)
            elif self._todo:
                given.put(self._todo.popleft())
            else:
                self._waiting.append(given)


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
        pools: dict[PoolName, _Pool] = {"work": _Pool("work", _WORKERS), "plot": _Pool("plot", 1)}
        self._pools = pools
        self._slots: dict[str, Task] = {}
        self._heard: deque[tuple[Task, bool]] = deque()
        self._closed = False
        self.home = True  # whether all threads ended in time at shutdown
        self._bell.connect(self._listen, Qt.ConnectionType.QueuedConnection)
        self.destroyed.connect(lambda: _end(pools.values(), _PATIENCE))

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
            QTimer.singleShot(delay, self, lambda: None if task.cancelled else self._pools[pool].start(task))
        else:
            self._pools[pool].start(task)
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
        home = _end(self._pools.values(), milliseconds / 1000)
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


def _end(pools: Collection[_Pool], seconds: float) -> bool:
    """Close pools together; says whether all threads came home within that time."""
    for pool in pools:
        pool.close()
    until = time.monotonic() + seconds
    return all(pool.ended(until) for pool in pools)
