"""What one thread adds up of values, its share of all: sums and zeros, and counts where values come with how often they occur."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.binning import Binning
from weightmap.measure.moments import Moments
from weightmap.reading.elements import Elements, Numbered, Tallying
from weightmap.reading.sweep import Meter, Work, sweep
from weightmap.reading.tally import Counts, number_dtype
from weightmap.types.workspace import Workspace

Number = float | int

PIECE = 1 << 16  # different values taken in at a time, so that they stay in the cache
FARTHEST = np.finfo(np.float32).max


class Share:
    """What one thread adds up beside counting."""

    def __init__(self, low: Number, high: Number) -> None:
        self.moments, self.zeros = Moments(low, high), 0

    def add(self, values: NDArray[Any], work: Workspace) -> None:
        """Take in finite values."""
        zero = work.array("differ", values.shape, np.bool_)
        self.zeros += int(np.count_nonzero(np.equal(values, 0, out=zero)))
        self.moments.add(values, work)


class CountedSlots:
    """How many values are in each slot, of values that come with how often each occurs; those that are no numbers have none."""

    def __init__(self, binning: Binning) -> None:
        self._binning = binning
        # what does not occur may lie anywhere, but needs a slot as well
        ends = binning.edges[[0, -1]] if not binning.outside else (-FARTHEST, FARTHEST)
        self._least, self._most = np.array(ends, np.float32)
        self.counts = np.zeros(binning.slots, np.int64)
        self.nan = self.inf = 0

    def add(self, values: NDArray[np.float32], counts: Counts, work: Workspace) -> tuple[NDArray[np.float32], Counts]:
        """Take in values that occur so often each, uses both up; returns numbers alone, and how often these occur."""
        finite = np.isfinite(values, out=work.array("finite", values.shape, np.bool_))
        if not finite.all():
            odd = np.flatnonzero(~finite)
            often = counts[odd]
            if often.any():
                nan = np.isnan(values[odd])
                self.nan += int(often[nan].sum())
                self.inf += int(often[~nan].sum())
                counts[odd] = 0
            values[odd] = 0
        inside = np.clip(values, self._least, self._most, out=work.array("inside", values.shape, np.float32))
        slots = work.array("counted slots", values.shape, number_dtype(self._binning.slots))
        self._binning.put(inside, slots, work)
        places = work.array("counted places", values.shape, np.intp)
        np.copyto(places, slots)
        np.add.at(self.counts, places, counts)
        return inside, counts


class CountedShare(Share):
    """What one thread adds up of values that come with how often each occurs, which are counted at once."""

    def __init__(self, low: Number, high: Number, binning: Binning) -> None:
        super().__init__(low, high)
        self.slots = CountedSlots(binning)

    def add_counted(self, values: NDArray[np.float32], counts: Counts, work: Workspace) -> None:
        """Take in values that occur so often each."""
        values, counts = self.slots.add(values, counts, work)
        zero = np.equal(values, 0, out=work.array("finite", values.shape, np.bool_))
        self.zeros += int(counts[zero].sum())
        self.moments.add_counted(values, counts, work)


def counted_numbers(elements: Elements, every: Numbered, threads: int | None, meter: Meter) -> Counts:
    """A pass over elements that have a table of all their values: how often each of its numbers occurs."""
    made: list[Counts] = []

    def worker(work: Workspace) -> Work:
        counts = np.zeros(len(every.values), np.int64)
        made.append(counts)
        return lambda start, stop: every.add(start, stop, counts, work)

    sweep(elements.count, every.chunk, worker, threads=threads, meter=meter)
    for counts in made[1:]:
        np.add(made[0], counts, out=made[0])
    return made[0]


Made = TypeVar("Made")
Add = Callable[[Made, NDArray[np.float32], Counts, Workspace], object]


def in_pieces(
    add: Callable[[NDArray[np.float32], Counts, Workspace], object],
    values: NDArray[np.float32],
    counts: Counts,
    work: Workspace,
) -> None:
    """Let `add` take in values and how often each occurs, some of them at a time."""
    for at in range(0, len(values), PIECE):
        add(values[at : at + PIECE], counts[at : at + PIECE], work)


def tallied(
    elements: Elements, tallying: Tallying, make: Callable[[], Made], add: Add[Made], threads: int | None, meter: Meter
) -> list[Made]:
    """A pass over elements that tell how often each value occurs: what `make` gave each thread, and `add` put into it."""
    made: list[Made] = []

    def worker(work: Workspace) -> Work:
        mine = make()
        made.append(mine)

        def count(start: int, stop: int) -> None:
            in_pieces(partial(add, mine), *tallying.tally(start, stop, work), work)

        return count

    sweep(elements.count, tallying.chunk, worker, threads=threads, meter=meter)
    return made
