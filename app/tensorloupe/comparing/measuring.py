"""Measures pair after pair in the background, the selected one first, and gives way to whatever else the window wants."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

import weightmap
from tensorloupe.checking.scan import SLOT as SCAN
from tensorloupe.checking.sweep import HELPER as SWEEP_HELPER
from tensorloupe.checking.sweep import SLOT as SWEEP
from tensorloupe.giving_way import Turns, give_way
from tensorloupe.items.errors import Errors
from tensorloupe.style import text
from tensorloupe.task import Progress, Task
from tensorloupe.tasks import TaskRunner

SLOT = "compare"
BESIDES = (SLOT, SCAN, SWEEP, SWEEP_HELPER)  # what goes on for long by itself: it is not waited for
_TELL = 120  # milliseconds between two reports to the window
THREADS = max(1, (os.cpu_count() or 2) - 1)  # one core stays with the window

if TYPE_CHECKING:
    Heard = tuple[int, weightmap.PairError | str]  # the row, and what was measured or why nothing was


class Measuring(QObject):
    """One run over the rows that wait.

    measured  numbers of the rows that were finished since the last time
    ended     the exception or None, and whether no row is left
    """

    measured = Signal(object)
    ended = Signal(object, bool)

    def __init__(self, tasks: TaskRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._turns = tasks, Turns(self)
        self._errors: Errors | None = None
        self._heard: deque[Heard] = deque()
        self._wish: deque[int] = deque(maxlen=1)
        self._busy: deque[int] = deque(maxlen=1)
        self._task: Task | None = None
        self._tell = QTimer(self)
        self._tell.setInterval(_TELL)
        self._tell.timeout.connect(self._report)

    @property
    def busy(self) -> int | None:
        """The row that is being measured."""
        return self._busy[-1] if self._busy and self._task is not None else None

    def start(self, pairs: weightmap.Pairs, errors: Errors) -> None:
        """Measure every row that waits."""
        self.stop()
        heard: deque[Heard] = deque()
        wish, busy = deque[int](maxlen=1), deque[int](maxlen=1)
        self._errors, self._heard, self._wish, self._busy = errors, heard, wish, busy  # a dropped run keeps its own
        rows = errors.waiting
        self._task = self._tasks.start(
            SLOT,
            "Comparing",
            lambda go: self._work(pairs, rows, heard, wish, busy, go),
            lambda _: self._end(None),
            self._end,
            lambda: self._end(None),
            background=True,
        )
        self._tell.start()

    def prefer(self, row: int | None) -> None:
        """Measure this row next."""
        if row is not None:
            self._wish.append(row)

    def stop(self) -> None:
        """Give up without a word; what was reported stays."""
        self._tell.stop()
        self._tasks.drop(SLOT)
        self._task = None
        self._heard.clear()
        self._busy.clear()

    def _work(
        self,
        pairs: weightmap.Pairs,
        rows: list[int],
        heard: deque[Heard],
        wish: deque[int],
        busy: deque[int],
        progress: Progress,
    ) -> None:
        """On a thread: one pair after the other."""
        todo = dict.fromkeys(rows)
        total, before = sum(max(pairs[row].nbytes, 1) for row in rows), 0
        while todo:
            wanted = wish[-1] if wish else None
            row = wanted if wanted is not None and wanted in todo else next(iter(todo))
            del todo[row]
            busy.append(row)
            size = max(pairs[row].nbytes, 1)

            def part(done: int, of: int, before: int = before, size: int = size) -> bool:
                return self._pause(progress, before + (done * size // of if of else 0), total)

            part(0, 1)
            try:
                heard.append((row, weightmap.measure_pair(pairs, pairs[row], progress=part, threads=THREADS)))
            except weightmap.FileChangedError:
                raise
            except weightmap.WeightFileError as problem:
                heard.append((row, problem.finding.message))
            before += size
        progress(total, total)

    def _pause(self, progress: Progress, done: int, total: int) -> bool:
        return give_way(progress, done, total, self._must_wait)

    def _must_wait(self) -> bool:
        return self._tasks.busy_besides(BESIDES) or self._turns.window_busy()

    def _report(self) -> None:
        """On the window's thread: take in what was measured."""
        errors, rows = self._errors, []
        if errors is None:
            return
        for _ in range(len(self._heard)):
            row, found = self._heard.popleft()
            if isinstance(found, str):
                errors.fail(row, weightmap.printable(found))
            else:
                errors.take(row, found)
            rows.append(row)
        if self._task is not None:
            self._task.detail = f"{text.count(errors.measured)} of {text.counted(len(errors.pairs), 'pair')}"
        if rows:
            self.measured.emit(rows)

    def _end(self, reason: BaseException | None) -> None:
        self._report()
        whole = self._errors is not None and not self._errors.waiting
        self._tell.stop()
        self._task = None
        self._busy.clear()
        self.ended.emit(reason, whole)
