"""A crew of one, in this process: it does what it was given last first, and dies of what it is told to."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from weightmap.distributed.crew import Crew, Lost


class Hands(Crew):
    def __init__(self, slots: int = 2, deadly: Callable[[Sequence[Any]], bool] = lambda arguments: False) -> None:
        self.free, self.deadly = slots, deadly
        self.given: dict[int, bytes] = {}
        self.cancelled: list[int] = []
        self.count = 0

    def submit(self, job: Callable[..., Any], arguments: Sequence[Any]) -> int:
        self.count += 1
        self.given[self.count] = pickle.dumps((job, arguments))  # as it would travel
        return self.count

    def finished(self, tickets: Sequence[int], seconds: float) -> list[int]:
        return list(tickets)[-1:]

    def results(self, tickets: Sequence[int]) -> list[Any]:
        return [self.result(ticket) for ticket in tickets]

    def result(self, ticket: int) -> Any:
        job, arguments = pickle.loads(self.given.pop(ticket))
        if self.deadly(arguments):
            return Lost("it was told to")
        return pickle.loads(pickle.dumps(job(*arguments)))

    def cancel(self, tickets: Iterable[int]) -> None:
        self.cancelled += tickets

    def slots(self) -> int:
        return self.free

    def close(self) -> None:
        self.free = 0
