"""Runs over a range in chunks: on several threads, each with its own workspace, with progress and cancelling.

The calling thread works too and is the only one that calls `progress`; so a pass on one thread starts none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import count

from weightmap.asked import number_asked
from weightmap.errors import Cancelled
from weightmap.types.workspace import Workspace

Progress = Callable[[int, int], object]
Work = Callable[[int, int], None]  # (start, stop) of a chunk

KEPT_WORKSPACES = 4  # more threads than this get new ones each time
KEPT_BYTES = 16 << 20  # of one workspace: a pass takes less, but names of passes over all types add up

_spare: list[Workspace] = []


def thread_limit(asked: int | None = None) -> int:
    """How many threads a pass may use: `asked`, else WEIGHTMAP_THREADS, else the cores that this process may use.

    Raises ValueError for fewer than one. WEIGHTMAP_THREADS is an upper bound on `asked` as well.
    """
    if asked is not None:
        asked = number_asked("threads", asked)
    text = os.environ.get("WEIGHTMAP_THREADS", "").strip()
    if text.isdecimal() and int(text) > 0:
        return min(int(text), asked) if asked is not None else int(text)
    if asked is not None:
        return asked
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class workspace:  # noqa: N801 - used as a function; a generator would take several times as long to begin and end
    """A workspace that nobody else uses meanwhile, as a context; its memory is kept for the next one who asks."""

    __slots__ = ("_work",)

    def __enter__(self) -> Workspace:
        try:
            self._work = _spare.pop()
        except IndexError:
            self._work = Workspace()
        return self._work

    def __exit__(self, *_: object) -> None:
        if len(_spare) < KEPT_WORKSPACES and self._work.nbytes <= KEPT_BYTES:
            _spare.append(self._work)


class Meter:
    """Progress of one or several sweeps in a row against one total; raises Cancelled where the callback says so."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self.total, self._before = progress, total, 0

    def show(self, done: int) -> None:
        """Report `done` of the sweep under way. Raises Cancelled where the callback returns False."""
        if self._progress is not None and self._progress(self._before + done, self.total) is False:
            raise Cancelled

    def finish(self, done: int) -> None:
        """Report the end of a sweep of `done`; the next one counts on from there."""
        self.show(done)
        self._before += done

    def end(self) -> None:
        """Report that nothing is left, where a sweep that was counted in turned out not to be needed."""
        if self._before < self.total:
            self.finish(self.total - self._before)


def sweep(
    total: int,
    chunk: int,
    worker: Callable[[Workspace], Work],
    *,
    threads: int | None = None,
    each: int = 1,
    meter: Meter | None = None,
) -> None:
    """Cut range(total) into chunks and hand each to one of the threads, in rising order on each.

    `worker(workspace)` is called once on every thread and returns what is called with (start, stop) of its chunks; so a
    worker may keep what it adds up to itself. The first exception of any thread ends all of them and is raised here.
    `each` says how many chunks make it worth starting a thread for them.
    """
    meter = meter or Meter(None, total)
    chunks = -(-total // chunk)
    if chunks == 1:  # of a norm, of which a checkpoint has thousands: nothing to share out
        if threads is not None:
            thread_limit(threads)
        with workspace() as mine:
            worker(mine)(0, total)
        meter.show(total)
        meter.finish(total)
        return
    state = _Sweep(total, chunk, chunks, worker)
    helpers = [
        threading.Thread(target=state.help, name="weightmap", daemon=True)
        for _ in range(min(thread_limit(threads), chunks // each) - 1)
    ]
    try:
        for helper in helpers:
            helper.start()
        for done in state.run():
            meter.show(done)
    except BaseException as problem:
        state.stop(problem)
    for helper in helpers:
        if helper.ident is not None:
            helper.join()
    state.end()
    meter.finish(total)


class _Sweep:
    """What the threads of one sweep share. `next` of a count is atomic."""

    def __init__(self, total: int, chunk: int, chunks: int, worker: Callable[[Workspace], Work]) -> None:
        self._total, self._chunk, self._chunks, self._worker = total, chunk, chunks, worker
        self._next = count()
        self._done = 0
        self._lock = threading.Lock()
        self._stopped = False
        self.problem: BaseException | None = None

    def run(self) -> Iterator[int]:
        """Take chunks until none is left; after each, how much all threads have done."""
        with workspace() as mine:
            work = self._worker(mine)
            while not self._stopped and (index := next(self._next)) < self._chunks:
                start = index * self._chunk
                stop = min(start + self._chunk, self._total)
                work(start, stop)
                with self._lock:
                    self._done += stop - start
                yield self._done

    def help(self) -> None:
        try:
            for _ in self.run():
                pass
        except BaseException as problem:
            self.stop(problem)

    def stop(self, problem: BaseException) -> None:
        """End all threads after the chunk they are at; the first problem is the one to raise."""
        with self._lock:
            self._stopped = True
            if self.problem is None:
                self.problem = problem

    def end(self) -> None:
        """Raise the first problem of any thread, if there was one."""
        problem, self.problem = self.problem, None
        try:
            if problem is not None:
                raise problem
        finally:
            del problem  # its traceback refers to this frame: no circle that keeps files open
