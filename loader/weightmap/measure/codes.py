"""Measures of types whose elements are codes of 8 or 16 bits: count the codes once, and everything follows from the counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.binning import Binning, Edges, Histogram
from weightmap.reading.elements import Codes, Elements
from weightmap.reading.sweep import Meter, Work, sweep
from weightmap.reading.tally import Counts, Tally
from weightmap.types.workspace import Workspace

READ = 1 << 18  # codes at a time


class CodeCounts:
    """How often each value comes up, by value: `values` float64 and finite, `counts` the same length."""

    def __init__(self, table: NDArray[Any], counts: Counts) -> None:
        with np.errstate(invalid="ignore"):  # signalling NaN are among the codes
            values = table.astype(np.float64)
        self.count = int(counts.sum())
        self.nan = int(counts[np.isnan(values)].sum())
        self.inf = int(counts[np.isinf(values)].sum())
        used = np.isfinite(values) & (counts > 0)
        self.values, self.counts = values[used], counts[used]
        self.zeros = int(self.counts[self.values == 0].sum())

    def mean_and_std(self) -> tuple[float, float]:
        """Mean and the population's standard deviation of the finite values, of which there is at least one."""
        number = int(self.counts.sum())
        mean = math.fsum((self.values * self.counts).tolist()) / number
        squares = math.fsum(((self.values - mean) ** 2 * self.counts).tolist())
        return mean, math.sqrt(squares / number)

    def histogram(self, edges: Edges) -> Histogram:
        """Counts between these edges, and outside of them."""
        binning = Binning(edges, np.dtype(np.float64), outside=True)
        slots = np.empty(len(self.values), np.uint16)
        binning.put(self.values, slots, Workspace())
        counts = np.zeros(binning.slots, np.int64)
        np.add.at(counts, slots, self.counts)
        return Histogram(edges, counts[1:-1], int(counts[0]), int(counts[-1]), self.nan, self.inf)


def counted(elements: Elements, codes: Codes, *, threads: int | None, meter: Meter) -> CodeCounts:
    """Count the codes of all elements; `codes` is `elements.codes()`."""
    tallies: list[Tally] = []

    def worker(work: Workspace) -> Work:
        tally = Tally(len(codes.values), elements.count)
        tallies.append(tally)

        def count(start: int, stop: int) -> None:
            found = tally.room(stop - start, work)
            codes.read(start, stop, found)
            tally.add(found, work)

        return count

    sweep(elements.count, READ, worker, threads=threads, meter=meter)
    return CodeCounts(codes.values, np.sum([tally.result() for tally in tallies], axis=0))
