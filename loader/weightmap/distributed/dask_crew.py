"""Workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from weightmap.distributed import jobs
from weightmap.distributed.crew import Crew, Lost, NoWorkersError
from weightmap.errors import missing_package

_GONE = ("lost", "cancelled")  # states of work that the scheduler forgot
_LOOK = 1.0  # seconds for which the number of workers is believed


class DaskCrew(Crew):
    """The workers of a scheduler, by its address or through a client that is there. Made by `on_dask`.

    The scheduler gives a piece out anew when its worker dies, and gives up after the fourth one; so it does with what was
    waiting beside it. What it gave up on has a second chance, alone and after everything else.
    """

    def __init__(self, client: Any, ours: bool) -> None:
        self._client, self._ours = client, ours
        self._work: dict[str, tuple[Callable[..., Any], Sequence[Any]]] = {}
        self._futures: dict[str, Any] = {}
        self._second: list[str] = []  # what waits for its second chance
        self._alone: str | None = None  # what has it
        self._slots, self._looked = 0, -_LOOK

    def submit(self, job: Callable[..., Any], arguments: Sequence[Any]) -> str:
        """Give out one piece of work."""
        ticket = uuid.uuid4().hex
        self._work[ticket] = job, arguments
        self._give(ticket, f"weightmap-{ticket}", job, *arguments)
        return ticket

    def _give(self, ticket: str, key: str, job: Callable[..., Any], *arguments: Any) -> None:
        with self._answering():
            self._futures[ticket] = self._client.submit(job, *arguments, key=key, pure=False)

    def finished(self, tickets: Sequence[str], seconds: float) -> list[str]:
        """Those that are done."""
        end = time.monotonic() + seconds
        while True:
            ready = [ticket for ticket in tickets if self._is_done(ticket)]
            waiting = [ticket for ticket in tickets if ticket not in ready and ticket not in self._second]
            left = end - time.monotonic()
            if ready or left <= 0:
                return ready
            if waiting:
                self._wait([self._futures[ticket] for ticket in waiting], left)
            elif self._second:
                self._alone = self._second.pop()
                job, arguments = self._work[self._alone]
                self._give(self._alone, f"weightmap-{self._alone}-again", jobs.later, job, *arguments)

    def _is_done(self, ticket: str) -> bool:
        if ticket in self._second or not self._futures[ticket].done():
            return False
        if ticket != self._alone and self._was_given_up(self._futures[ticket]):
            self._second.append(ticket)
            return False
        return True

    def _was_given_up(self, future: Any) -> bool:
        from distributed.scheduler import KilledWorker

        return future.status in _GONE or (future.status == "error" and isinstance(future.exception(), KilledWorker))

    def _wait(self, futures: list[Any], seconds: float) -> None:
        from distributed import wait

        with self._answering(), suppress(TimeoutError, CancelledError), self._client.as_current():
            wait(futures, timeout=seconds, return_when="FIRST_COMPLETED")

    def results(self, tickets: Sequence[str]) -> list[Any]:
        """What came of them, fetched in one go."""
        from distributed.scheduler import KilledWorker

        futures = [self._futures[ticket] for ticket in tickets]
        try:
            found = self._fetched([future for future in futures if future.status == "finished"])
            outcomes = [found[future] if future in found else self._failed(future) for future in futures]
        except (KilledWorker, CancelledError):  # done, and then lost with its worker, and then given up
            outcomes = [self._failed(future) for future in futures]
        for ticket in tickets:
            del self._work[ticket], self._futures[ticket]
        return outcomes

    def _fetched(self, futures: list[Any]) -> dict[Any, Any]:
        """Results by future. What a dying worker had done already is done anew meanwhile, as long as there are workers."""
        if not futures:
            return {}
        with self._answering():
            fetching = self._client.gather(futures, asynchronous=True)
            answer = asyncio.run_coroutine_threadsafe(fetching, self._client.loop.asyncio_loop)
        alive = time.monotonic()
        while True:
            with self._answering(), suppress(TimeoutError):
                return dict(zip(futures, answer.result(_LOOK), strict=True))
            if self.slots():
                alive = time.monotonic()
            elif time.monotonic() - alive > self.patience:
                answer.cancel()
                raise NoWorkersError(f"There has been no worker for {self.patience:.0f} seconds.")

    def _failed(self, future: Any) -> Any:
        """The same for one that failed, or may have."""
        from distributed.scheduler import KilledWorker

        if future.status in _GONE:
            return Lost("the scheduler lost sight of it")
        problem = future.exception(timeout=self.patience)
        if problem is None:
            return future.result(timeout=self.patience)
        if isinstance(problem, KilledWorker):
            return Lost(f"the last one was {getattr(problem.last_worker, 'address', 'unknown')}")
        raise problem

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Around what asks the scheduler: NoWorkersError where it is gone, and all work with it."""
        try:
            yield
        except (OSError, CancelledError, ValueError) as problem:
            if isinstance(problem, TimeoutError) or (
                isinstance(problem, CancelledError) and self._client.status == "running"
            ):
                raise
            raise NoWorkersError(f"The Dask scheduler went away: {_line(problem)}") from problem
        if self._client.status != "running":
            raise NoWorkersError("The Dask scheduler went away.")

    def cancel(self, tickets: Iterable[str]) -> None:
        """Take all work back: there is one pass at a time."""
        futures = list(self._futures.values())
        for kept in (self._futures, self._work, self._second):
            kept.clear()
        if futures:
            self._client.cancel(futures, force=True)

    def slots(self) -> int:
        """Threads of all workers."""
        if time.monotonic() - self._looked >= _LOOK:  # asking the scheduler takes as long as a small file
            with self._answering():
                threads: dict[str, int] = self._client.nthreads()
            self._slots, self._looked = sum(threads.values()), time.monotonic()
        return self._slots

    def close(self) -> None:
        """Let go of the scheduler, if the client was made here."""
        if self._ours:
            self._client.close(timeout=10)


def on_dask(address: Any = None, *, timeout: float = 10.0) -> Crew:
    """Workers of the Dask scheduler at an address ("tcp://host:8786"), of a `distributed.Client`, or, without either, of the
    client that the process has.

    Raises WeightFileError (code missing_package) without Dask, NoWorkersError where no scheduler answers within `timeout`
    seconds, or its workers have no weightmap.
    """
    try:
        import distributed
    except ImportError as problem:
        raise missing_package("A Dask cluster is used", "distributed", "dask") from problem
    given = isinstance(address, distributed.Client)
    try:
        client = address if given else _client(distributed, address, timeout)
    except (OSError, TimeoutError, ValueError) as problem:
        raise NoWorkersError(
            f"No Dask scheduler answers at {address or 'the default place'}: {_line(problem)}"
        ) from problem
    crew = DaskCrew(client, ours=address is not None and not given)
    try:
        crew.check()
    except BaseException:
        crew.close()
        raise
    return crew


def _client(distributed: Any, address: str | None, timeout: float) -> Any:
    if address is None:
        return distributed.get_client()
    return distributed.Client(address, timeout=timeout, set_as_default=False)


def _line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0] or type(problem).__name__
