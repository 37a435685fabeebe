"""Histograms: counts of values in equal bins, exact, in one pass where the limits are known."""

from __future__ import annotations

import math
import threading
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure import codes
from weightmap.measure.binning import Binning, Histogram, checked_bins, equal_edges
from weightmap.measure.parts import real_parts
from weightmap.measure.range import without_nonfinite
from weightmap.measure.rounds import counted_slots
from weightmap.measure.share import CountedSlots, counted_numbers, in_pieces, tallied
from weightmap.measure.statistics import statistics
from weightmap.reading.elements import Elements, Tallying
from weightmap.reading.sweep import Meter, Progress, workspace
from weightmap.types.workspace import Workspace


def histogram(
    elements: Elements,
    bins: int = 256,
    limits: tuple[float, float] | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Histogram:
    """Exact counts of every value; limits None takes the finite minimum and maximum. Complex values count as two each.

    ValueError for limits that are not finite or do not rise.
    """
    if limits is None:
        return statistics(elements, bins, progress=progress, threads=threads).histogram
    try:
        low, high = (float(limit) for limit in limits)
    except (OverflowError, TypeError, ValueError):  # no numbers, not two, or an integer that no double reaches
        low = high = math.inf
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"limits must be two finite numbers, the lower one first; got {limits!r}")
    edges = equal_edges(low, high, checked_bins(bins))
    elements = real_parts(elements)
    meter = Meter(progress, elements.count)
    if (coded := elements.codes()) is not None:
        return codes.counted(elements, coded, threads=threads, meter=meter).histogram(edges)
    binning = Binning(edges, elements.value, outside=True)
    if (every := elements.numbered()) is not None:
        slots = CountedSlots(binning)
        with workspace() as work:
            in_pieces(slots.add, every.values, counted_numbers(elements, every, threads, meter), work)
        return _of_slots(binning, [slots])
    if (tallying := elements.tallying()) is not None:
        return _tallied(elements, tallying, binning, threads, meter)
    return _swept(elements, binning, threads, meter)


def _tallied(elements: Elements, tallying: Tallying, binning: Binning, threads: int | None, meter: Meter) -> Histogram:
    parts = tallied(elements, tallying, partial(CountedSlots, binning), CountedSlots.add, threads, meter)
    return _of_slots(binning, parts)


def _of_slots(binning: Binning, parts: list[CountedSlots]) -> Histogram:
    counts = np.sum([part.counts for part in parts], axis=0)
    nan, inf = sum(part.nan for part in parts), sum(part.inf for part in parts)
    return Histogram(binning.edges, counts[1:-1], int(counts[0]), int(counts[-1]), nan, inf)


def _swept(elements: Elements, binning: Binning, threads: int | None, meter: Meter) -> Histogram:
    odd = np.zeros(2, np.int64)
    lock = threading.Lock()

    def place(start: int, stop: int, slots: NDArray[Any], work: Workspace) -> None:
        values = work.array("values", (stop - start,), elements.value)
        elements.read(start, stop, values, work)
        finite, nan, inf = without_nonfinite(values)
        binning.put(finite, slots[: len(finite)], work)
        if nan or inf:
            slots[len(finite) :] = 0
            with lock:
                np.add(odd, (nan, inf), out=odd)

    counts = counted_slots(elements.count, elements.chunk(), binning.slots, lambda: place, threads=threads, meter=meter)
    counts[0] -= odd.sum()  # which have no place, and were given the first one
    return Histogram(binning.edges, counts[1:-1], int(counts[0]), int(counts[-1]), int(odd[0]), int(odd[1]))
