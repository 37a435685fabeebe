"""Workers of a Dask cluster."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from weightmap.distributed import jobs
from weightmap.distributed.crew import Crew, Lost, NoWorkersError
from weightmap.errors import missing_package

_LOOK = 1.0  # seconds for which the number of workers is believed
_GONE = ("lost", "cancelled")  # states of work that the scheduler forgot


class DaskCrew(Crew):
    """The workers of a scheduler, by its address or through a client that is there. Made by `on_dask`.

    The scheduler gives a piece out anew when its worker dies, and gives up after the fourth one; so it does with what was
    waiting beside it. What it gave up on has a second chance, alone and after everything else.
    """

    def __init__(self, client: Any, ours: bool) -> None:
        self._client, self._ours = client, ours
        self._futures: dict[str, Any] = {}
        self._work: dict[str, tuple[Callable[..., Any], Sequence[Any]]] = {}
        self._second: list[str] = []  # what waits for its second chance, and below what has it
        self._alone: str | None = None
        self._slots, self._looked = 0, -_LOOK

    def submit(self, job: Callable[..., Any], arguments: Sequence[Any]) -> str:
        """Give out one piece of work."""
        ticket = uuid.uuid4().hex
        self._work[ticket] = job, arguments
        self._futures[ticket] = self._client.submit(job, *arguments, key=f"weightmap-{ticket}", pure=False)
        return ticket

    def finished(self, tickets: Sequence[str], seconds: float) -> list[str]:
        """Those that are done."""
        end = time.monotonic() + seconds
        while True:
            ready = [ticket for ticket in tickets if self._is_done(ticket)]
            waiting = [ticket for ticket in tickets if ticket not in ready and ticket not in self._second]
            if not waiting and self._second:
                self._give_again(self._second.pop())
            left = end - time.monotonic()
            if ready or left <= 0 or not tickets:
                return ready
            with suppress(TimeoutError), self._client.as_current():
                self._wait([self._futures[ticket] for ticket in waiting], left)

    def _wait(self, futures: list[Any], seconds: float) -> None:
        from distributed import wait

        if futures:
            wait(futures, timeout=seconds, return_when="FIRST_COMPLETED")

    def _give_again(self, ticket: str) -> None:
        self._alone = ticket
        job, arguments = self._work[ticket]
        key = f"weightmap-{ticket}-again"
        self._futures[ticket] = self._client.submit(jobs.later, job, *arguments, key=key, pure=False)

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

    def results(self, tickets: Sequence[str]) -> list[Any]:
        """What came of them, all fetched in one go."""
        futures = {ticket: self._futures.pop(ticket) for ticket in tickets}
        for ticket in tickets:
            del self._work[ticket]
        fetched = [ticket for ticket, future in futures.items() if future.status == "finished"]
        found = dict(zip(fetched, self._client.gather([futures[ticket] for ticket in fetched]), strict=True))
        return [found[ticket] if ticket in found else self._failed(futures[ticket]) for ticket in tickets]

    def _failed(self, future: Any) -> Lost:
        from distributed.scheduler import KilledWorker

        if future.status in _GONE:
            return Lost("the scheduler lost sight of it")
        problem = future.exception()
        if isinstance(problem, KilledWorker):
            return Lost(f"the last one was {getattr(problem.last_worker, 'address', 'unknown')}")
        raise problem

    def cancel(self, tickets: Iterable[str]) -> None:
        """Take work back."""
        futures = [self._futures.pop(ticket) for ticket in list(tickets) if ticket in self._futures]
        self._work.clear()
        self._second.clear()
        if futures:
            self._client.cancel(futures, force=True)

    def slots(self) -> int:
        """Threads of all workers."""
        if time.monotonic() - self._looked >= _LOOK:  # asking the scheduler takes as long as a small file
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
        why = str(problem).partition("\n")[0] or type(problem).__name__
        raise NoWorkersError(f"No Dask scheduler answers at {address or 'the default place'}: {why}") from problem
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
