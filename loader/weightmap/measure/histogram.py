"""Histograms: counts of values in equal bins, exact, in one pass where the limits are known."""

from __future__ import annotations

import math
import threading

import numpy as np

from weightmap.measure import codes
from weightmap.measure.binning import Binning, Histogram, checked_bins, equal_edges
from weightmap.measure.counting import Tally
from weightmap.measure.parts import real_parts
from weightmap.measure.range import without_nonfinite
from weightmap.measure.statistics import statistics
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Meter, Progress, Work, sweep
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
    except OverflowError:  # an integer that no double reaches
        low = high = math.inf
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"limits must be two finite numbers, the lower one first; got {limits}")
    edges = equal_edges(low, high, checked_bins(bins))
    elements = real_parts(elements)
    meter = Meter(progress, elements.count)
    if (table := elements.codes()) is not None:
        return codes.counted(elements, table, threads=threads, meter=meter).histogram(edges)
    return _swept(elements, Binning(edges, elements.value, outside=True), threads, meter)


def _swept(elements: Elements, binning: Binning, threads: int | None, meter: Meter) -> Histogram:
    tallies: list[Tally] = []
    odd = np.zeros(2, np.int64)
    lock = threading.Lock()

    def worker(work: Workspace) -> Work:
        tally = Tally(binning.slots, elements.count)
        tallies.append(tally)

        def count(start: int, stop: int) -> None:
            values = work.array("values", (stop - start,), elements.value)
            elements.read(start, stop, values, work)
            finite, nan, inf = without_nonfinite(values)
            slots = tally.room(len(finite), work)
            binning.put(finite, slots, work)
            tally.add(slots, work)
            if nan or inf:
                with lock:
                    np.add(odd, (nan, inf), out=odd)

        return count

    sweep(elements.count, elements.chunk(), worker, threads=threads, meter=meter)
    slots = np.sum([tally.result() for tally in tallies], axis=0)
    return Histogram(binning.edges, slots[1:-1], int(slots[0]), int(slots[-1]), int(odd[0]), int(odd[1]))
