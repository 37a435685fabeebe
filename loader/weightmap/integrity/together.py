"""Several files at once: hashing one keeps two threads busy, and a model in many parts can use more than that."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from weightmap.errors import Cancelled
from weightmap.reading.sweep import Meter, Progress, thread_limit

EACH, MOST = 2, 8  # threads that one file can use, and files at once: each takes 8 MB
PATIENCE = 0.1  # seconds between two reports while the calling thread has nothing left to do

Result = TypeVar("Result")
Work = Callable[[Meter, int], Result]  # (where to report, threads) to the result


def together(works: Sequence[tuple[int, Work[Result]]], progress: Progress | None, threads: int | None) -> list[Result]:
    """The results of all works, each given with the number of bytes that it reads; the largest are begun first.

    The calling thread works too and is the only one that calls `progress`. The first exception of any thread ends all of
    them after the chunk they are at, and is raised here.
    """
    limit = thread_limit(threads)
    count = max(min(len(works), limit // EACH, MOST), 1)
    crew = _Crew(works, progress, limit // count)
    helpers = [threading.Thread(target=crew.help, name="weightmap", daemon=True) for _ in range(count - 1)]
    try:
        for helper in helpers:
            helper.start()
        crew.work()
        for helper in helpers:
            while helper.is_alive():
                helper.join(PATIENCE)
                crew.report()
        crew.report()
    except BaseException as problem:
        crew.stop(problem)
    for helper in helpers:
        if helper.ident is not None:
            helper.join()
    return crew.end()


class _Crew(Generic[Result]):
    """What the threads share."""

    def __init__(self, works: Sequence[tuple[int, Work[Result]]], progress: Progress | None, threads: int) -> None:
        self._works, self._threads = works, threads
        self._total = Meter(progress, sum(nbytes for nbytes, _ in works))
        self._waiting: SimpleQueue[int] = SimpleQueue()
        for number in sorted(range(len(works)), key=lambda number: -works[number][0]):
            self._waiting.put(number)
        self._results: dict[int, Result] = {}
        self._done = [0] * len(works)
        self._caller = threading.get_ident()
        self._lock = threading.Lock()
        self._problem: BaseException | None = None

    def work(self) -> None:
        """Take works until none is left."""
        while True:
            try:
                number = self._waiting.get_nowait()
            except Empty:
                return
            nbytes, work = self._works[number]
            self._results[number] = work(_Share(self, number, nbytes), self._threads)
            if nbytes:
                self.note(number, nbytes)

    def help(self) -> None:
        try:
            self.work()
        except BaseException as problem:
            self.stop(problem)

    def note(self, number: int, done: int) -> None:
        """Note how far a work is. Raises Cancelled where all have to end."""
        self._done[number] = done
        if self._problem is not None:
            raise Cancelled
        if threading.get_ident() == self._caller:
            self.report()

    def report(self) -> None:
        """Tell how far all are; for the calling thread. Raises Cancelled as the callback says, or where all have to end."""
        if self._problem is not None:
            raise Cancelled
        self._total.show(sum(self._done))

    def stop(self, problem: BaseException) -> None:
        """End all; the first problem is the one to raise."""
        with self._lock:
            if self._problem is None:
                self._problem = problem

    def end(self) -> list[Result]:
        """The results in the order of the works. Raises the first problem."""
        problem, self._problem = self._problem, None
        try:
            if problem is not None:
                raise problem
        finally:
            del problem  # its traceback refers to this frame: no circle that keeps files open
        return [self._results[number] for number in range(len(self._works))]


class _Share(Meter):
    """The meter of one work, whose reports are those of all."""

    def __init__(self, crew: _Crew[Result], number: int, total: int) -> None:
        super().__init__(lambda done, _: crew.note(number, done), total)
