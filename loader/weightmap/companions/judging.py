"""What the values of a composed weight give reason to say: NaN and Inf with their places, and a weight of zeros."""

from __future__ import annotations

import heapq
import threading
from typing import TYPE_CHECKING

import numpy as np

from weightmap.checks.values import ZERO_BY_NATURE
from weightmap.companions.base import Claim, Refusal, Values
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.types.workspace import Workspace

if TYPE_CHECKING:
    from weightmap.measure.statistics import Statistics

SHOWN = 4  # places that are named


def judged(
    entry: Claim | Refusal,
    values: Values,
    path: str,
    statistics: Statistics | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
) -> tuple[Finding, ...]:
    """Findings about all values of one weight. Where `statistics` are given, values are read only if these give reason."""
    if statistics is not None and not (statistics.nan or statistics.inf or statistics.zeros == statistics.count):
        return ()
    meter = progress if progress is None or statistics is None else lambda done, total: progress(total, total)
    look = _Look(values)
    sweep(values.count, values.chunk(), look.worker, threads=threads, meter=Meter(meter, values.count))
    found = [_non_finite(entry, values, path, look)] if look.nan or look.inf else []
    if values.count and not look.live and not entry.name.endswith(ZERO_BY_NATURE):
        text = f"Every one of the {values.count:,} values is zero."
        found.append(
            finding("all_zero", text, path=path, tensor=entry.name, expected="values other than zero", found="zeros")
        )
    return tuple(found)


class _Look:
    """What the threads of one look share."""

    def __init__(self, values: Values) -> None:
        self._values, self._lock = values, threading.Lock()
        self.nan = self.inf = 0
        self.live = False  # a value other than zero was met
        self.places: list[tuple[int, str]] = []

    def worker(self, work: Workspace) -> Work:
        """What one thread does with a chunk."""

        def look(start: int, stop: int) -> None:
            values = work.array("values", (stop - start,), np.float32)
            self._values.read(start, stop, values, work)
            if not self.live and values.any():
                self.live = True
            if np.isfinite(values.min()) and np.isfinite(values.max()):
                return
            odd = np.flatnonzero(~np.isfinite(values))
            nan = int(np.count_nonzero(np.isnan(values[odd])))
            first = [(start + int(at), "NaN" if np.isnan(values[at]) else "Inf") for at in odd[:SHOWN]]
            with self._lock:
                self.nan, self.inf = self.nan + nan, self.inf + len(odd) - nan
                self.places = heapq.nsmallest(SHOWN, [*self.places, *first])

        return look


def _non_finite(entry: Claim | Refusal, values: Values, path: str, look: _Look) -> Finding:
    counts = [f"{number:,} {name}" for number, name in ((look.nan, "NaN"), (look.inf, "Inf")) if number]
    places = [f"{what} at [{', '.join(map(str, np.unravel_index(at, values.shape)))}]" for at, what in look.places]
    more = look.nan + look.inf - len(places)
    rest = f", and in {more:,} more places" if more else ""
    return finding(
        "non_finite",
        f"{' and '.join(counts)} among the {values.count:,} values of {printable(entry.name)}: {'; '.join(places)}{rest}.",
        path=path,
        tensor=entry.name,
        expected="finite values",
        found=", ".join(counts),
    )
