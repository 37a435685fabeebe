"""Walks folders and judges the models in them, a few at a time, in the background. Knows paths and verdicts, no widgets."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

import weightmap
from tensorloupe.checking.judge import judge, size_of
from tensorloupe.style import text
from tensorloupe.task import Progress, Task
from tensorloupe.tasks import TaskRunner

SLOT, HELPER = "sheet", "sheet helper"
_TELL = 60  # milliseconds between two reports to the window
_MOST = 800  # events handed over per report
_WAIT = 0.01  # seconds between two looks for a model to judge

FOUND, BEGUN, OPENED, SHARE, JUDGED = range(5)
Event = tuple[int, int, Any]  # (kind, number of the model, what there is to say)


class _Job:
    """What the threads of one run share. Appending to and popping from a deque is safe from any thread."""

    def __init__(
        self, given: Sequence[str], known: dict[str, int], todo: Sequence[tuple[int, str]], values: bool
    ) -> None:
        self.given, self.known, self.values = given, dict(known), values
        self.todo: deque[tuple[int, str]] = deque(todo)
        self.events: deque[Event] = deque()
        self.walked = not given
        self.found = len(known)
        self.before = self.found - len(todo)  # judged in an earlier run
        self.judged: list[int] = []
        self.at_work: set[int] = set()
        self.name = ""

    @property
    def done(self) -> int:
        """How many models are judged by now."""
        return self.before + len(self.judged)


class Sweep(QObject):
    """One run at a time. A model is known by its number, in the order of finding.

    heard  events since the last time: (FOUND, n, (path, size)), (BEGUN, n, None), (OPENED, n, Facts), (SHARE, n, 0 to 1),
           (JUDGED, n, Judged)
    ended  the run is over: True when all are judged, False when it was cancelled
    """

    heard = Signal(object)
    ended = Signal(bool)

    def __init__(self, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._job: _Job | None = None
        self._task: Task | None = None
        self._over = False  # the threads are done; what they found is still being handed over
        self._tell = QTimer(self)
        self._tell.setInterval(_TELL)
        self._tell.timeout.connect(self._report)

    @property
    def running(self) -> bool:
        """Whether models are being looked for or judged."""
        return self._job is not None

    def start(self, given: Sequence[str], known: dict[str, int], todo: Sequence[tuple[int, str]], values: bool) -> None:
        """Judge the models in `todo` (number, path), and those that `given` stand for and are not `known` by number."""
        self.drop()
        job = self._job = _Job(given, known, todo, values)
        self._task = self._tasks.start(
            SLOT, "Checking", lambda go: self._lead(job, go), self._finished, self._failed, self._cancelled
        )
        self._tasks.start(HELPER, "", lambda go: self._help(job, go), _ignored, self._failed, quiet=True)
        self._tell.start()

    def drop(self) -> None:
        """Give up without a word."""
        self._tell.stop()
        self._job, self._task, self._over = None, None, False
        for slot in (SLOT, HELPER):
            self._tasks.drop(slot)

    def _lead(self, job: _Job, progress: Progress) -> None:
        """On a thread: find the models, then help to judge them, and stay until all are done."""
        if not job.walked:
            self._walk(job, progress)
            job.walked = True
        while job.todo or job.at_work:
            if not self._next(job, progress, progress):
                time.sleep(_WAIT)
                _go_on(progress, job.done, job.found)

    def _help(self, job: _Job, progress: Progress) -> None:
        """On another thread: judge what is found until there is no more to come."""
        while job.todo or not job.walked:
            if not self._next(job, progress, None):
                time.sleep(_WAIT)
                _go_on(progress, 0, 0)

    def _walk(self, job: _Job, progress: Progress) -> None:
        for path in models_of(job.given, lambda seen: _go_on(progress, job.done, max(job.found, 1))):
            if path in job.known:
                continue
            number = job.known[path] = job.found
            job.found += 1
            job.events.append((FOUND, number, (path, size_of(path))))
            job.todo.append((number, path))

    def _next(self, job: _Job, mine: Progress, overall: Progress | None) -> bool:
        """Judge the next model, if there is one."""
        try:
            number, path = job.todo.popleft()
        except IndexError:
            return False
        job.at_work.add(number)
        job.name = path
        job.events.append((BEGUN, number, None))
        told = [0.0]

        def share(done: int, total: int) -> bool:
            _go_on(mine, job.done if overall is not None else done, job.found if overall is not None else total)
            now = time.monotonic()
            if total and now - told[0] > 0.2:
                told[0] = now
                job.events.append((SHARE, number, done / total))
            return True

        try:
            verdict = judge(path, job.values, share, lambda facts: job.events.append((OPENED, number, facts)))
            job.events.append((JUDGED, number, verdict))
            job.judged.append(number)
        finally:
            job.at_work.discard(number)
        _go_on(mine, job.done, job.found)
        return True

    def _report(self) -> None:
        """On the window's thread: hand over what happened, no more of it than can be shown at once."""
        job = self._job
        if job is None:
            return
        events = [job.events.popleft() for _ in range(min(len(job.events), _MOST))]
        if self._task is not None:
            self._task.title = f"Checking {weightmap.printable(os.path.basename(job.name))}" if job.name else "Looking"
            self._task.detail = f"{text.count(job.done)} of {text.count(job.found)}"
        if events:
            self.heard.emit(events)
        if self._over and not job.events:
            self._leave(True)

    def _finished(self, _: None) -> None:
        self._task, self._over = None, True
        self._report()

    def _failed(self, reason: BaseException) -> None:
        self._leave(False)
        raise reason

    def _cancelled(self) -> None:
        self._leave(False)

    def _leave(self, whole: bool) -> None:
        job = self._job
        if job is not None and job.events:
            self.heard.emit([job.events.popleft() for _ in range(len(job.events))])
        self.drop()
        self.ended.emit(whole)


def models_of(given: Sequence[str], go_on: Callable[[int], object]) -> Iterator[str]:
    """The models that paths stand for, once each. A folder with one model, or with none, stands for itself.

    `go_on(seen)` is called with the number of files seen in a folder, and may raise.
    """
    for path in given:
        go_on(0)
        first: str | None = None
        several = False
        try:
            for model in weightmap.find_models(path, progress=lambda seen, _: go_on(seen)):
                if first is not None and not several:
                    several = True
                    yield first
                if several:
                    yield model
                else:
                    first = model
        except weightmap.WeightFileError:
            first = None  # judging the path itself will say what is wrong with it
        if not several:
            yield path


def _go_on(progress: Progress, done: int, total: int) -> None:
    if not progress(done, total):
        raise weightmap.Cancelled


def _ignored(_: object) -> None:
    """What the helper came to is in the events."""
