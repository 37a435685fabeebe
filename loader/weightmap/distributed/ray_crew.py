"""Workers of a Ray cluster."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from weightmap.distributed.crew import Crew, Lost, NoWorkersError
from weightmap.errors import missing_package

_RETRIES = 3  # times that Ray itself gives a piece out anew after a worker died
_STORE = 100 * 1024 * 1024  # bytes of shared memory of a cluster that is started here: only records go through it


class RayCrew(Crew):
    """The workers of the Ray cluster that this process is connected to. Made by `on_ray`."""

    def __init__(self, ray: Any, ours: bool) -> None:
        self._ray, self._ours = ray, ours
        self._remote: dict[Any, Any] = {}

    def submit(self, job: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Give out one piece of work, for one core."""
        if job not in self._remote:
            self._remote[job] = self._ray.remote(num_cpus=1, max_retries=_RETRIES)(job)
        return self._remote[job].remote(*arguments)

    def finished(self, tickets: Sequence[Any], seconds: float) -> list[Any]:
        """Those that are done."""
        if not tickets:
            return []
        self._ray.wait(list(tickets), num_returns=1, timeout=seconds)
        found: list[Any] = self._ray.wait(list(tickets), num_returns=len(tickets), timeout=0)[0]
        return found

    def results(self, tickets: Sequence[Any]) -> list[Any]:
        """What came of them."""
        return [self._result(ticket) for ticket in tickets]

    def _result(self, ticket: Any) -> Any:
        from ray.exceptions import RayError, RayTaskError, RuntimeEnvSetupError

        try:
            return self._ray.get(ticket)
        except RayTaskError as problem:
            cause = problem.cause if isinstance(problem.cause, Exception) else problem
            if isinstance(cause, RuntimeError) and "failed to import on the worker" in str(cause):
                raise ImportError(str(cause).strip().splitlines()[-1].strip()) from problem
            raise cause from problem
        except RuntimeEnvSetupError as problem:
            raise NoWorkersError(f"Ray cannot start its workers: {_line(problem)}") from problem
        except RayError as problem:  # the worker or its machine died, as often as it was tried
            return Lost(f"{type(problem).__name__}")

    def cancel(self, tickets: Iterable[Any]) -> None:
        """Take work back."""
        for ticket in list(tickets):
            self._ray.cancel(ticket, force=True)

    def slots(self) -> int:
        """Cores of all machines."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    def close(self) -> None:
        """Leave the cluster, and end it where it was started here."""
        if self._ours:
            self._ray.shutdown()


def on_ray(address: str | None = None, *, cores: int | None = None) -> Crew:
    """Workers of the Ray cluster at an address ("auto", "host:6379", "ray://host:10001"), or of the one that the process is
    connected to. Without either, of the one that RAY_ADDRESS names, else of one that is started on this machine, with
    `cores` workers (None: all cores), and ends with the crew.

    Raises WeightFileError (code missing_package) without Ray, NoWorkersError where no cluster answers, or its workers have
    no weightmap.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is contacted unasked
    try:
        import ray
    except ImportError as problem:
        raise missing_package("A Ray cluster is used", "ray", "ray") from problem
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address, cores)
    crew = RayCrew(ray, ours)
    try:
        crew.check()
    except BaseException:
        crew.close()
        raise
    return crew


def _connect(ray: Any, address: str | None, cores: int | None) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if address is None and not os.environ.get("RAY_ADDRESS"):
        options |= {"num_cpus": cores, "include_dashboard": False, "object_store_memory": _STORE}
    try:
        ray.init(address=address, **options)
    except (ConnectionError, OSError, RuntimeError, ValueError) as problem:
        raise NoWorkersError(
            f"No Ray cluster answers at {address or 'the default place'}: {_line(problem)}"
        ) from problem


def _line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0] or type(problem).__name__
