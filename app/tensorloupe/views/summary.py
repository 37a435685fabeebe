"""The exact statistics of a tensor and how its values are spread, worked out once and shared by all views.

Statistics come from every value. Percentiles are read from an exact histogram; where far-out values leave it too coarse
in the middle, a second exact histogram over the core gives the detail.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.plots.distribution import Distribution, distribution
from tensorloupe.readable import count_of, is_whole
from tensorloupe.task import Progress

if TYPE_CHECKING:
    from tensorloupe.readable import Readable

FINE = 8160  # 255 × 32 bins: enough for percentiles, and divisible for the strip of the whole range
ENOUGH = 200  # bins between the outer percentiles below which the core is looked at again
SAMPLE = 262_144  # values of a sample
KEPT = 32  # summaries remembered


class Summary(NamedTuple):
    """What is known of a tensor as a whole; `seconds` is how long it took."""

    statistics: weightmap.Statistics
    spread: Distribution
    seconds: float

    @property
    def finite(self) -> int:
        """How many values are neither NaN nor Inf."""
        return int(self.spread.total)

    @property
    def range(self) -> tuple[float, float]:
        """Minimum and maximum of the finite values as floats; 0, 0 where there are none."""
        s = self.statistics
        return (0.0, 0.0) if s.min is None or s.max is None else (float(s.min), float(s.max))

    def central(self, share: float) -> tuple[float, float]:
        """The values between which about `share` of all lie, the rest split evenly; the whole range for 1."""
        if share >= 1 or not self.finite:
            return self.range
        low, high = self.spread.lower((1 - share) / 2), self.spread.upper((1 + share) / 2)
        return (low, high) if low < high else self.range

    def symmetric(self, share: float) -> float:
        """L, such that about `share` of all values lie within ±L; 1 where every value is zero or none is finite."""
        reach = max(abs(edge) for edge in self.range)
        limit = reach if share >= 1 or not self.finite else min(self.spread.symmetric(share), reach)
        if reach - limit <= reach / FINE:  # within the same bin: the largest value itself
            limit = reach
        return limit or 1.0


def summarize(tensor: Readable, progress: Progress) -> Summary:
    """Read every value. Raises what reading raises, and weightmap.Cancelled."""
    began = time.monotonic()
    statistics = tensor.statistics(FINE, progress=progress)
    spread = distribution(statistics.histogram.edges, statistics.histogram.counts)
    core = _core(tensor, spread)
    if core is not None:
        spread = spread.joined(tensor.histogram(FINE, core, progress=progress))
    return Summary(statistics, spread, time.monotonic() - began)


def _core(tensor: Readable, spread: Distribution) -> tuple[float, float] | None:
    """The range to look at again, or None where the whole range was fine enough."""
    if spread.total == 0 or is_whole(tensor):
        return None
    low, high = spread.lower(0.0005), spread.upper(0.9995)
    if spread.steps_within(low, high) >= ENOUGH:
        return None
    values = sampled_values(tensor)
    if not len(values):
        return None
    values.sort()
    low, high = (float(values[round(share * (len(values) - 1))]) for share in (0.0002, 0.9998))
    more = (high / 4) - (low / 4)
    low, high = max(low - more, float(spread.at[0])), min(high + more, float(spread.at[-1]))
    return (low, high) if low < high else None


def sampled_values(tensor: Readable) -> NDArray[np.float64]:
    """Finite values of rows spread evenly over the tensor, at most some 262,144 of them."""
    rows: list[NDArray[Any]] = []
    if not (values := count_of(tensor)):
        return np.zeros(0)
    if len(tensor.shape) < 2:
        every = max(1, values // SAMPLE)
        rows.append(np.asarray(tensor.read(slice(None, None, every) if tensor.shape else ...)).reshape(-1))
    else:
        columns, leading = tensor.shape[-1], tensor.shape[:-1]
        count = values // columns
        wanted = min(count, max(1, SAMPLE // columns), 512)
        for flat in np.linspace(0, count - 1, wanted).astype(np.int64):
            index = tuple(int(i) for i in np.unravel_index(flat, leading))
            rows.append(tensor.read((*index, slice(0, SAMPLE))))
    found: NDArray[np.float64] = np.concatenate([np.real(row).astype(np.float64) for row in rows])
    finite: NDArray[np.bool_] = np.isfinite(found)
    return found[finite]


class Summaries:
    """The last few summaries, by tensor. Used on the window's thread only."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[Readable, Summary]] = OrderedDict()

    def get(self, tensor: Readable) -> Summary | None:
        """The summary of this very tensor, if it is remembered."""
        kept = self._kept.get(id(tensor))
        return kept[1] if kept is not None and kept[0] is tensor else None

    def put(self, tensor: Readable, summary: Summary) -> None:
        """Remember a summary; the oldest goes."""
        self._kept[id(tensor)] = tensor, summary
        self._kept.move_to_end(id(tensor))
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them: another model is open."""
        self._kept.clear()
