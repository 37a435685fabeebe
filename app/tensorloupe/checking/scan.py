"""Looks at every value of the open model in the background, and gives way to whatever else the window wants to know."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

import weightmap
from tensorloupe.giving_way import Turns, give_way
from tensorloupe.items.outline import Outline, status_of
from tensorloupe.items.standing import Scan
from tensorloupe.style import text
from tensorloupe.task import Progress, Task
from tensorloupe.tasks import TaskRunner

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

SLOT = "scan of values"
LARGEST = 2_000_000_000  # bytes of tensor data up to which values are looked at without being asked to
_DELAY = 900  # milliseconds after an opening: the window is painted, and the first selection under way
_TELL = 400  # milliseconds between two reports of what was finished
_APART = 10  # times as long as a report takes lies between two of them
_REST = 0.4  # seconds without a scan after the user did something: the window's thread has the machine to itself


class ValueScan(QObject):
    """One scan at a time, of one model. Tensors whose values were looked at already, by a view, are not read again.

    state     as in items.standing
    changed   the state is another one now
    advanced  the state by number of each tensor that was finished since the last time
    stopped   the user cancelled: how many tensors are done, of how many
    failed    reading failed, as on a file that changed
    """

    changed = Signal()
    advanced = Signal(object)
    stopped = Signal(int, int)
    failed = Signal(object)

    def __init__(self, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: Scan = "off"
        self.busy: int | None = None  # number of the tensor being looked at
        self._tasks, self._turns = tasks, Turns(self)
        self._outline: Outline | None = None
        self._wanted: list[int] = []
        self._count = 0
        self._done: deque[tuple[int, str]] = deque()
        self._begun: deque[int] = deque(maxlen=1)
        self._task: Task | None = None
        self._rests_until = 0.0
        self._delay, self._tell = QTimer(self), QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_DELAY)
        self._delay.timeout.connect(self._start)
        self._tell.setInterval(_TELL)
        self._tell.timeout.connect(self._report)

    def take(self, outline: Outline | None, automatic: bool) -> None:
        """Turn to another model (None: to nothing). `automatic` starts by itself where the model is not too large."""
        self._halt()
        self._outline, self.busy = outline, None
        self._wanted = _in_order(outline) if outline is not None else []
        small = outline is not None and int(outline.nbytes.sum()) <= LARGEST
        self._set("running" if automatic and small and self._wanted else "off")
        if self.state == "running":
            self._delay.start()

    def start(self) -> None:
        """Look at the values now, or go on where it was cancelled."""
        if self._outline is not None and self.state != "done" and not self._tasks.running(SLOT):
            self._start()

    def hasten(self) -> None:
        """Begin at once what would begin by itself a moment later."""
        if self._delay.isActive():
            self._start()

    def rest(self, *_: object) -> None:
        """Pause for a moment: the user is doing something."""
        self._rests_until = time.monotonic() + _REST

    def stop(self) -> None:
        """Give up without a word; what was found stays."""
        self._halt()
        if self.state == "running":
            self._set("off")

    @property
    def progress(self) -> tuple[int, int]:
        """How many tensors were looked at, of how many that can be."""
        return self._count, len(self._wanted)

    def _start(self) -> None:
        self._delay.stop()
        if not self._wanted:
            self._set("done")
            return
        outline, done, begun = self._outline, deque[tuple[int, str]](), deque[int](maxlen=1)
        assert outline is not None
        work = [(number, outline.tensors[number]) for number in self._wanted]
        self._done, self._begun, self._count = done, begun, 0  # a scan that was dropped still has its own
        self._set("running")
        self._task = self._tasks.start(
            SLOT,
            "Checking values",
            lambda go: self._work(work, done, begun, go),
            self._finished,
            self._fail,
            self._cancelled,
            background=True,
        )
        self._tell.start()

    def _work(
        self,
        work: Sequence[tuple[int, Weight]],
        finished: deque[tuple[int, str]],
        begun: deque[int],
        progress: Progress,
    ) -> None:
        """On a thread: one tensor after the other, on one core, and not a chunk while anything else runs."""
        total, before = sum(max(tensor.nbytes, 1) for _, tensor in work), 0
        for number, tensor in work:
            size = max(tensor.nbytes, 1)
            if not tensor.values_checked:
                begun.append(number)
                self._pause(progress, before, total)

                def part(done: int, of: int, before: int = before, size: int = size) -> bool:
                    return self._pause(progress, before + (done * size // of if of else 0), total)

                tensor.check_values(progress=part, threads=1)
            finished.append((number, status_of(tensor)))  # asked for here: small tensors end by the thousand
            before += size
            if not progress(before, total):
                raise weightmap.Cancelled

    def _pause(self, progress: Progress, done: int, total: int) -> bool:
        return give_way(progress, done, total, self._must_wait)

    def _must_wait(self) -> bool:
        return time.monotonic() < self._rests_until or self._tasks.busy_besides((SLOT,)) or self._turns.window_busy()

    def _report(self) -> None:
        """On the window's thread, now and then: tell what was finished and what is being looked at."""
        finished = dict(self._done.popleft() for _ in range(len(self._done)))
        self._count += len(finished)
        self.busy = self._begun[-1] if self._begun and self.state == "running" else None
        outline = self._outline
        if self._task is not None and self.busy is not None and outline is not None:
            group = int(outline.group[self.busy])
            name = outline.groups[group] if group >= 0 else outline.names[self.busy]
            done, total = self.progress
            self._task.detail = f"{name} · {text.count(done)} of {text.counted(total, 'tensor')}"
        if finished or self.busy is not None:
            began = time.perf_counter()
            self.advanced.emit(finished)
            # where each report tells of thousands of findings, fewer of them: what is read waits for the window meanwhile
            self._tell.setInterval(max(_TELL, round(_APART * 1000 * (time.perf_counter() - began))))

    def _finished(self, _: None) -> None:
        self._end("done")

    def _fail(self, reason: BaseException) -> None:
        self._end("cancelled")
        self.failed.emit(reason)

    def _cancelled(self) -> None:
        self._end("cancelled")
        done, total = self.progress
        if done == total:  # the wish came when there was nothing left to do
            self._set("done")
        else:
            self.stopped.emit(done, total)

    def _end(self, state: Scan) -> None:
        self._tell.stop()
        self._begun.clear()
        self._task = None
        self._report()
        self._set(state)

    def _halt(self) -> None:
        self._delay.stop()
        self._tell.stop()
        self._tasks.drop(SLOT)
        self._task = None
        self._begun.clear()
        self._done.clear()
        self.busy = None

    def _set(self, state: Scan) -> None:
        self.state = state
        self.changed.emit()


def _in_order(outline: Outline) -> list[int]:
    """The tensors that can be read, in the order of the tree."""
    order = np.lexsort((outline.by_name, outline.place))
    numbers: list[int] = order[outline.readable[order]].tolist()
    return numbers
