"""The histogram of one tensor between limits: which bins, exact counts in them, and exactly how many lie outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.plots.bins import Bins, Span, bins_over
from tensorloupe.readable import is_whole
from tensorloupe.task import Progress
from tensorloupe.views.summary import Summary

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

AROUND = 0.16  # of the distance between the limits is shown on either side of them


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts in `bins`, values below the first and above the last; `outside` lie beyond the limits, of `finite` values.

    second  counts of the reference in the same bins, None where there is none; `pair` is what it was counted for
    """

    bins: Bins
    histogram: weightmap.Histogram
    limits: tuple[float, float]
    outside: int
    finite: int
    pair: weightmap.TensorPair | None = None
    second: NDArray[np.int64] | None = None

    def beyond(self, limits: tuple[float, float]) -> int:
        """How many values lie outside other limits that stand on edges of these bins (values on the upper edge count)."""
        low, high = (
            min(max(round(self.bins.span.fraction(limit) * self.bins.count), 0), self.bins.count) for limit in limits
        )
        inside = int(self.histogram.counts[low:high].sum())
        whole = int(self.histogram.counts.sum()) + int(self.histogram.below) + int(self.histogram.above)
        return whole - inside


def window(summary: Summary, limits: tuple[float, float], bins: int, whole: bool) -> Bins:
    """The bins to show for these limits: some of what lies outside is in the picture as well."""
    low, high = summary.range
    if low == high:
        return bins_over(low, high, bins, whole=whole)
    full = Span(low, high)
    shown = Span(*limits).widened(AROUND, full) if limits[0] < limits[1] else full
    return bins_over(min(shown.lo, limits[0]), max(shown.hi, limits[1]), bins, whole=whole)


def count_values(
    tensor: Shown,
    summary: Summary,
    limits: tuple[float, float],
    bins: int,
    pair: weightmap.TensorPair | None,
    progress: Progress,
) -> Counted:
    """Count every value, those of the reference too. Raises what reading raises, and weightmap.Cancelled."""
    shown = window(summary, limits, bins, is_whole(tensor))
    histogram = tensor.histogram(shown.count, shown.limits, progress=progress)
    second = None
    if pair is not None:
        second = pair.histogram(shown.count, shown.limits, "reference", progress=progress).counts
    beyond = outside(tensor, limits, progress)
    return Counted(shown, histogram, limits, beyond, summary.finite, pair, second)


def outside(tensor: Shown, limits: tuple[float, float], progress: Progress) -> int:
    """Exactly how many finite values are less than the lower or greater than the upper limit."""
    if limits[0] == limits[1]:
        return 0
    beyond = tensor.histogram(1, limits, progress=progress)
    return int(beyond.below) + int(beyond.above)
