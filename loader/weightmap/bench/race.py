"""Timing contestants in turn: A B C A B C, so that a slow spell of the machine touches all of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

PRODUCT = "weightmap"

Job = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long one race may take: rounds until `seconds` are over, at least `least` of them and at most `most`.

    A round that alone takes longer than `patience` seconds is the last one.
    """

    seconds: float
    least: int
    most: int
    patience: float


FULL = Pace(seconds=0.8, least=5, most=200, patience=20.0)
QUICK = Pace(seconds=0.2, least=3, most=50, patience=4.0)


@dataclass(frozen=True, slots=True)
class Times:
    """Wall times of one contestant in seconds, a round each."""

    rounds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The shortest time, in seconds."""
        return min(self.rounds)

    @property
    def median(self) -> float:
        """The median time, in seconds."""
        return statistics.median(self.rounds)

    def ratio(self, other: Times) -> float:
        """How many times as long `other` took: the median over the rounds, each of which met both in the same minute."""
        return statistics.median(theirs / ours for ours, theirs in zip(self.rounds, other.rounds, strict=True))


def race(jobs: Mapping[str, Job], pace: Pace, check: Callable[[], None] | None = None) -> dict[str, Times]:
    """Run every job in turn until the pace says enough. What a job returns is dropped outside of its time.

    Garbage collection is off meanwhile. `check` is called between rounds and may raise to end the race.
    """
    times: dict[str, list[float]] = {name: [] for name in jobs}
    collected = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        began = time.perf_counter()
        for number in range(1, pace.most + 1):
            for name, job in jobs.items():
                start = time.perf_counter()
                result = job()
                times[name].append(max(time.perf_counter() - start, 1e-9))
                del result
            if check is not None:
                check()
            spent = time.perf_counter() - began
            if (number >= pace.least and spent > pace.seconds) or spent / number > pace.patience:
                break
    finally:
        if collected:
            gc.enable()
    return {name: Times(tuple(each)) for name, each in times.items()}
