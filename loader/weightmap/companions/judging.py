"""What the values of a composed weight give reason to say: NaN and Inf with their places, and a weight of zeros."""

from __future__ import annotations

import heapq
import math
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightmap.checks.values import ZERO_BY_NATURE
from weightmap.companions.base import Claim, Refusal, Values
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.types.workspace import Workspace

if TYPE_CHECKING:
    from weightmap.measure.statistics import Statistics

SHOWN = 4  # places that are named
STEP = 1 << 13  # values whose squares are added up in one go
USUAL = (1e-6, 10.0)  # root mean squares of weights of trained models
FEWEST = 64  # values: fewer have any root mean square


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
        top = max(abs(statistics.min or 0), abs(statistics.max or 0))
        rms = math.hypot(statistics.mean or 0, statistics.std or 0)
        return (*_beyond(entry, values, path, top), *_magnitude(entry, values, path, rms))
    meter = progress if progress is None or statistics is None else lambda done, total: progress(total, total)
    look = _Look(values)
    sweep(values.count, values.chunk(), look.worker, threads=threads, meter=Meter(meter, values.count))
    found = [_non_finite(entry, values, path, look)] if look.nan or look.inf else []
    if values.count and not look.live and not entry.name.endswith(ZERO_BY_NATURE):
        text = f"Every one of the {values.count:,} values is zero."
        found.append(
            finding("all_zero", text, path=path, tensor=entry.name, expected="values other than zero", found="zeros")
        )
    finite = values.count - look.nan - look.inf
    found += _beyond(entry, values, path, look.top)
    return (*found, *_magnitude(entry, values, path, math.sqrt(look.squares / finite) if finite else 0.0))


class _Look:
    """What the threads of one look share."""

    def __init__(self, values: Values) -> None:
        self._values, self._lock = values, threading.Lock()
        self.nan = self.inf = 0
        self.live = False  # a value other than zero was met
        self.squares = 0.0  # sum over the finite values
        self.top = 0.0  # their largest magnitude, looked for where there is a limit to it
        self.places: list[tuple[int, str]] = []

    def worker(self, work: Workspace) -> Work:
        """What one thread does with a chunk."""

        def look(start: int, stop: int) -> None:
            values = work.array("values", (stop - start,), np.float32)
            self._values.read(start, stop, values, work)
            if not self.live and values.any():
                self.live = True
            squares = _squares(values)
            if math.isfinite(squares):
                top = self._top(values)
                with self._lock:
                    self.squares, self.top = self.squares + squares, max(self.top, top)
                return
            odd = np.flatnonzero(~np.isfinite(values))
            nan = int(np.count_nonzero(np.isnan(values[odd])))
            first = [(start + int(at), "NaN" if np.isnan(values[at]) else "Inf") for at in odd[:SHOWN]]
            values[odd] = 0
            top = self._top(values)
            with self._lock:
                self.top = max(self.top, top)
                self.squares += _squares(values)
                self.nan, self.inf = self.nan + nan, self.inf + len(odd) - nan
                self.places = heapq.nsmallest(SHOWN, [*self.places, *first])

        return look

    def _top(self, values: NDArray[np.float32]) -> float:
        return float(max(values.max(), -values.min())) if self._values.largest is not None and values.size else 0.0


def _squares(values: NDArray[np.float32]) -> float:
    """The sum of squares in float64; not finite where one of the values is not."""
    total = 0.0
    for start in range(0, len(values), STEP):
        wide = values[start : start + STEP].astype(np.float64)
        total += float(np.dot(wide, wide))
    return total


def _magnitude(entry: Claim | Refusal, values: Values, path: str, rms: float) -> Iterator[Finding]:
    """A finding where a matrix is larger or smaller than trained weights are: scales read, or written, the wrong way."""
    if len(values.shape) < 2 or values.count < FEWEST or not rms or USUAL[0] <= rms <= USUAL[1]:
        return
    text = (
        f"The values of {printable(entry.name)} have a root mean square of {rms:.3g}; that of trained weights lies between "
        f"{USUAL[0]:g} and {USUAL[1]:g}. Its scales may be wrong by a factor."
    )
    yield finding(
        "odd_scale", text, path=path, tensor=entry.name, expected=f"{USUAL[0]:g} to {USUAL[1]:g}", found=f"{rms:.3g}"
    )


def _beyond(entry: Claim | Refusal, values: Values, path: str, top: float) -> list[Finding]:
    """A finding where a value is larger than any that its codes may stand for."""
    if values.largest is None or not top > values.largest:  # which may be NaN
        return []
    text = (
        f"{printable(entry.name)} has values of {top:.6g}, but its codes stand for at most {values.largest:.6g}: some hold a "
        "number that is no code."
    )
    found = finding(
        "packed_size",
        text,
        path=path,
        tensor=entry.name,
        expected=f"at most {values.largest:.6g}",
        found=f"{top:.6g}",
    )
    return [found]


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
