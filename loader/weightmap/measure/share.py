"""What one thread adds up of values, its share of all: sums and zeros, and counts where values come with how often they occur."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.binning import Binning
from weightmap.measure.moments import Moments
from weightmap.reading.elements import Elements, Tallying
from weightmap.reading.sweep import Meter, Work, sweep
from weightmap.reading.tally import number_dtype
from weightmap.types.workspace import Workspace

Number = float | int


class Share:
    """What one thread adds up beside counting."""

    def __init__(self, low: Number, high: Number) -> None:
        self.moments, self.zeros = Moments(low, high), 0

    def add(self, values: NDArray[Any], work: Workspace) -> None:
        """Take in finite values."""
        zero = work.array("differ", values.shape, np.bool_)
        self.zeros += int(np.count_nonzero(np.equal(values, 0, out=zero)))
        self.moments.add(values, work)


class CountedShare(Share):
    """The same of values that come with how often each occurs, which are counted at once."""

    def __init__(self, low: Number, high: Number, binning: Binning) -> None:
        super().__init__(low, high)
        self._binning = binning
        self.counts = np.zeros(binning.slots, np.int64)

    def add_counted(self, values: NDArray[np.float32], counts: NDArray[np.int64]) -> None:
        """Take in values that occur so often each; those that are not finite have no place."""
        there = (counts > 0) & np.isfinite(values)
        values, counts = values[there], counts[there]
        self.zeros += int(counts[values == 0].sum())
        self.moments.add_counted(values, counts)
        slots = np.empty(len(values), number_dtype(self._binning.slots))
        self._binning.put(values, slots, Workspace())
        # sums of float64 are exact as long as a chunk has less than 2^53 values
        self.counts += np.bincount(slots, weights=counts, minlength=len(self.counts)).astype(np.int64)


def tallied(
    elements: Elements,
    tallying: Tallying,
    limits: tuple[Number, Number],
    binning: Binning,
    threads: int | None,
    meter: Meter,
) -> list[CountedShare]:
    """The shares of a pass over elements that tell how often each value occurs."""
    shares: list[CountedShare] = []

    def worker(work: Workspace) -> Work:
        share = CountedShare(*limits, binning)
        shares.append(share)
        return lambda start, stop: share.add_counted(*tallying.tally(start, stop, work))

    sweep(elements.count, tallying.chunk, worker, threads=threads, meter=meter)
    return shares
