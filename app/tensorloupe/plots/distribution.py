"""How values are spread: the cumulative counts of exact histograms, asked for quantiles and shares.

A histogram over the whole range says little where a few values lie far out. A second one over the core then gives the
detail; both are joined here into one rising line. Limits read from it stand on edges of bins, on the outer side: they
never hold fewer values than asked for. How many lie beyond them is counted anew, and exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import weightmap


class Distribution(NamedTuple):
    """`below[i]` values are less than `at[i]`; `at` rises, and the last of `below` is the number of finite values."""

    at: NDArray[np.float64]
    below: NDArray[np.float64]

    @property
    def total(self) -> float:
        """How many finite values there are."""
        return float(self.below[-1]) if len(self.below) else 0.0

    def lower(self, share: float) -> float:
        """The highest known edge below which at most `share` of the values lie."""
        return float(self.at[max(int(np.searchsorted(self.below, share * self.total, side="right")) - 1, 0)])

    def upper(self, share: float) -> float:
        """The lowest known edge below which at least `share` of the values lie."""
        return float(self.at[min(int(np.searchsorted(self.below, share * self.total)), len(self.at) - 1)])

    def symmetric(self, share: float) -> float:
        """The least known L such that at least about `share` of the values lie within ±L."""
        reach = np.sort(np.abs(self.at))  # np.unique would load numpy.ma, on the window's thread
        inside = np.interp(reach, self.at, self.below) - np.interp(-reach, self.at, self.below)
        return float(reach[min(int(np.searchsorted(inside, share * self.total * (1 - 1e-12))), len(reach) - 1)])

    def between(self, lo: float, hi: float) -> float:
        """About how many values lie between two values, linear within a bin."""
        below = np.interp((lo, hi), self.at, self.below)
        return float(below[1] - below[0])

    def steps_within(self, lo: float, hi: float) -> int:
        """How many points of the line lie between two values: how much it knows about that range."""
        return int(np.count_nonzero((self.at >= lo) & (self.at <= hi)))

    def joined(self, core: weightmap.Histogram) -> Distribution:
        """The same line with the detail of an exact histogram over a part of the range."""
        if core.edges is None:
            return self
        outside = (self.at < core.edges[0]) | (self.at > core.edges[-1])
        below = core.below + np.concatenate(([0], np.cumsum(core.counts)))
        at = np.concatenate((self.at[outside], core.edges))
        order = np.argsort(at, kind="stable")
        joined = np.concatenate((self.below[outside], below))[order]
        return Distribution(at[order], np.maximum.accumulate(joined))


def distribution(edges: NDArray[np.float64] | None, counts: NDArray[np.int64]) -> Distribution:
    """The line of one histogram over the whole range; empty where there are no finite values."""
    if edges is None or not len(edges):
        return Distribution(np.zeros(0), np.zeros(0))
    return Distribution(np.asarray(edges, np.float64), np.concatenate(([0.0], np.cumsum(counts, dtype=np.float64))))
