"""Statistics of all values of a tensor: exact, in chunks, without ever holding the tensor as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure import codes
from weightmap.measure.binning import Binning, Histogram, checked_bins, equal_edges
from weightmap.measure.bounds import bounded_range
from weightmap.measure.moments import Moments
from weightmap.measure.parts import real_parts
from weightmap.measure.range import Range, value_range, without_nonfinite
from weightmap.measure.rounds import Place, counted_slots
from weightmap.measure.share import CountedShare, Share, counted_numbers, in_pieces, tallied
from weightmap.measure.spans import spanned_range
from weightmap.reading.elements import Elements, Numbered, OnRead, StoredElements, Tallying
from weightmap.reading.sweep import Meter, Progress, workspace
from weightmap.reading.tally import Counts
from weightmap.types.workspace import Workspace

Number = float | int


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """What there is to say about many values. Complex values count as two each, real and imaginary part.

    count      values in all, those that are not finite included
    min, max   of the finite values: Python ints where integers are stored, exact at 64 bits; None where no value is finite
    mean, std  of the finite values; std is the population's (divided by their number); None where no value is finite
    nan, inf, zeros  how many; minus zero is a zero
    exact      whether every value was looked at
    histogram  over equal bins from min to max; a constant tensor fills the last bin
    """

    count: int
    min: Number | None
    max: Number | None
    mean: float | None
    std: float | None
    nan: int
    inf: int
    zeros: int
    exact: bool
    histogram: Histogram


def statistics(
    elements: Elements,
    bins: int = 256,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    watch: OnRead | None = None,
) -> Statistics:
    """Exact statistics of every value. ValueError for an impossible number of bins; Cancelled as `progress` says.

    A `watch` sees the bytes of a stored tensor in the pass that adds up and counts, if there is one.
    One pass where the stored codes can be counted, else two: the range (of most block types from their scales), the rest.
    """
    bins = checked_bins(bins)
    elements = real_parts(elements)
    if (coded := elements.codes()) is not None:
        counted = codes.counted(elements, coded, threads=threads, meter=Meter(progress, elements.count))
        return _of_codes(counted, elements, bins)
    if (every := elements.numbered()) is not None:
        return _of_numbers(elements, every, bins, threads, Meter(progress, elements.count))
    watched = elements if watch is None or not isinstance(elements, StoredElements) else elements.watched(watch)
    meter, tallying = Meter(progress, 2 * elements.count), watched.tallying()
    if tallying is not None and tallying.spans is not None:
        found = spanned_range(elements, tallying.spans(), meter=meter)
        if found is not None and found.low == found.high:
            found = None  # then what is no number has to be counted here
    else:
        found = bounded_range(elements, threads=threads, meter=meter)
    if found is None:
        meter = Meter(progress, 2 * elements.count)
        found = value_range(elements, threads=threads, meter=meter)
    result = _of_range(watched, tallying, bins, found, threads, meter)
    meter.end()
    return result


def _nothing(count: int, nan: int, inf: int, bins: int) -> Statistics:
    """No value is finite, or there is none at all."""
    empty = Histogram(None, np.zeros(bins, np.int64), nan=nan, inf=inf)
    return Statistics(count, None, None, None, None, nan, inf, 0, True, empty)


def _constant(count: int, value: Number, nan: int, inf: int, bins: int) -> Statistics:
    """All finite values are the same."""
    finite = count - nan - inf
    counts = np.zeros(bins, np.int64)
    counts[-1] = finite
    return Statistics(
        count=count,
        min=value,
        max=value,
        mean=float(value),
        std=0.0,
        nan=nan,
        inf=inf,
        zeros=0 if value else finite,
        exact=True,
        histogram=Histogram(np.full(bins + 1, value, np.float64), counts, nan=nan, inf=inf),
    )


def _of_codes(counted: codes.CodeCounts, elements: Elements, bins: int) -> Statistics:
    if not counted.values.size:
        return _nothing(counted.count, counted.nan, counted.inf, bins)
    kind = int if elements.integers else float
    low, high = kind(counted.values.min()), kind(counted.values.max())
    mean, std = counted.mean_and_std()
    return Statistics(
        count=counted.count,
        min=low,
        max=high,
        mean=mean,
        std=std,
        nan=counted.nan,
        inf=counted.inf,
        zeros=counted.zeros,
        exact=True,
        histogram=counted.histogram(equal_edges(low, high, bins)),
    )


def _of_numbers(elements: Elements, every: Numbered, bins: int, threads: int | None, meter: Meter) -> Statistics:
    counts = counted_numbers(elements, every, threads, meter)
    there = np.flatnonzero(counts)  # much less work than to have masks of all
    values, counts = every.values[there], counts[there]
    found, numbers = Range(), values
    if not (finite := np.isfinite(values)).all():
        found.nan = int(counts[np.isnan(values)].sum())
        found.inf, numbers = int(counts[~finite].sum()) - found.nan, values[finite]
    if not numbers.size:
        return _nothing(elements.count, found.nan, found.inf, bins)
    low, high = numbers.min().item(), numbers.max().item()
    if low == high:
        return _constant(elements.count, low, found.nan, found.inf, bins)
    binning = Binning(equal_edges(low, high, bins), elements.value)
    share = CountedShare(low, high, binning)
    with workspace() as work:
        in_pieces(share.add_counted, values, counts, work)
    return _joined(elements, binning, found, (low, high), [share], share.slots.counts)


def _of_range(
    elements: Elements, tallying: Tallying | None, bins: int, found: Range, threads: int | None, meter: Meter
) -> Statistics:
    """The pass that adds up and counts, once the range is known."""
    low, high = found.low, found.high
    if low is None or high is None:
        return _nothing(elements.count, found.nan, found.inf, bins)
    if low == high:
        return _constant(elements.count, low, found.nan, found.inf, bins)
    binning = Binning(equal_edges(low, high, bins), elements.value)
    if tallying is not None:
        make = partial(CountedShare, low, high, binning)
        counted = tallied(elements, tallying, make, CountedShare.add_counted, threads, meter)
        slots = [share.slots for share in counted]
        found.nan, found.inf = sum(some.nan for some in slots), sum(some.inf for some in slots)
        counts = np.sum([some.counts for some in slots], axis=0)
        return _joined(elements, binning, found, (low, high), counted, counts)
    shares: list[Share] = []

    def worker() -> Place:
        share = Share(low, high)
        shares.append(share)

        def place(start: int, stop: int, slots: NDArray[Any], work: Workspace) -> None:
            values = work.array("values", (stop - start,), elements.value)
            elements.read(start, stop, values, work)
            if found.nan or found.inf:
                values = without_nonfinite(values)[0]
                slots[len(values) :] = 0
            share.add(values, work)
            binning.put(values, slots[: len(values)], work)

        return place

    counts = counted_slots(elements.count, elements.chunk(), binning.slots, worker, threads=threads, meter=meter)
    counts[0] -= found.nan + found.inf  # which have no place, and were given the first one
    return _joined(elements, binning, found, (low, high), shares, counts)


def _joined(
    elements: Elements,
    binning: Binning,
    found: Range,
    limits: tuple[Number, Number],
    shares: Sequence[Share],
    counts: Counts,
) -> Statistics:
    moments = Moments(*limits)
    for share in shares:
        moments.join(share.moments)
    return Statistics(
        count=elements.count,
        min=limits[0],
        max=limits[1],
        mean=moments.mean(),
        std=moments.std(),
        nan=found.nan,
        inf=found.inf,
        zeros=sum(share.zeros for share in shares),
        exact=True,
        histogram=Histogram(binning.edges, counts, nan=found.nan, inf=found.inf),
    )
