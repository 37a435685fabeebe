"""Which bin a value falls into, exactly, at the price of an approximation.

A bin is found by one subtraction and one multiplication in the values' own precision. That is off by at most a known
margin; so what lies within the margin of an edge is found by computing the bin twice, half a margin to either side, and
only where the two differ, the value itself is compared with the edges. The result is that of comparing every value.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.tally import Counts
from weightmap.types.fields import looked_up
from weightmap.types.workspace import Workspace

Edges = NDArray[np.float64]
Number = float | int

MOST_BINS = (1 << 16) - 2  # bins, below and above fit 16 bits
PIECE = 1 << 19  # values at a time: more would leave the cache, fewer make threads wait for each other more often
OFTEN = 4  # where slots differ in one of so many words of eight bytes, all values are compared with the next edge
WIDEST_MARGIN = 1 / 64  # of a bin: beyond it, too many values would have to be looked at twice


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts in equal bins. A bin holds its left edge, the last one both of its edges.

    edges   float64 (bins + 1,), rising from the lower limit to the upper one; None where no value is finite
    counts  int64 (bins,)
    below, above  finite values outside of the limits
    nan, inf      values that have no place
    """

    edges: NDArray[np.float64] | None
    counts: Counts
    below: int = 0
    above: int = 0
    nan: int = 0
    inf: int = 0

    def __repr__(self) -> str:
        reach = "" if self.edges is None else f" from {self.edges[0]:.6g} to {self.edges[-1]:.6g}"
        return f"<histogram of {len(self.counts):,} bins{reach}: {int(self.counts.sum()):,} values>"


def checked_bins(bins: int) -> int:
    """`bins` if it is a possible number of bins; ValueError if not, TypeError for what is no integer."""
    try:
        number = operator.index(bins)
    except TypeError:
        raise TypeError(f"bins must be a whole number from 1 to {MOST_BINS:,}; got {bins!r}") from None
    if not 1 <= number <= MOST_BINS:
        raise ValueError(f"bins must be from 1 to {MOST_BINS:,}; got {number:,}")
    return number


def equal_edges(low: Number, high: Number, bins: int) -> Edges:
    """The `bins` + 1 rising edges from low to high, both of them exact; also where high - low is beyond float64."""
    first, last = float(low), float(high)
    shrink = 1.0 if math.isfinite(last - first) else 0.25
    with np.errstate(over="ignore"):  # by a rounding, next to the largest float; the last edge is set below
        edges = np.linspace(first * shrink, last * shrink, bins + 1) / shrink
    edges[0], edges[-1] = first, last
    rising: Edges = np.maximum.accumulate(np.minimum(edges, last))
    return rising


class _Linear(NamedTuple):
    """(x - start) * factor is the slot of x, less a margin of error, and with `twice_margin` more; all numbers of dtype `work`."""

    work: np.dtype[Any]
    start: np.floating[Any]
    factor: np.floating[Any]
    twice_margin: np.floating[Any]


def _linear(edges: Edges, work: np.dtype[Any], outside: bool) -> _Linear | None:
    """How to compute slots in this precision, or None where that is too coarse or leaves its range."""
    low, high, bins = float(edges[0]), float(edges[-1]), len(edges) - 1
    limits = np.finfo(work)
    if not float(limits.tiny) <= high - low <= float(limits.max) / 4:
        return None
    factor = bins / (high - low)
    # a half unit each for start, factor, difference and product; doubled
    margin = 2 * float(limits.eps) * (bins + 2 + (abs(low) + abs(high)) * factor)
    if margin > WIDEST_MARGIN or not float(limits.tiny) <= factor <= float(limits.max) / 4:
        return None
    start = low + (margin - outside) / factor
    if abs(start) > float(limits.max):
        return None
    return _Linear(work, work.type(start), work.type(factor), work.type(2 * margin))


class Binning:
    """Puts values of one dtype between edges. Immutable; shared by threads.

    Without `outside`, every value lies between the first and the last edge, and a slot is the bin. With it, slot 0 is for
    what lies below, 1 to bins are the bins, bins + 1 is for what lies above. A bin holds its left edge, the last one both.
    """

    def __init__(self, edges: Edges, dtype: np.dtype[Any], *, outside: bool = False) -> None:
        self.edges, self.bins, self.outside = edges, len(edges) - 1, outside
        self.slots = self.bins + 2 if outside else self.bins
        # a value's slot is the number of thresholds that it reaches
        self._thresholds = _reached(edges[:-1] if outside else edges[1:-1], dtype)
        if outside:
            self._thresholds = np.append(self._thresholds, _passed(edges[-1:], dtype))
        # of floats no threshold is left out, so that the next one of a slot is found by its number
        self._next = np.append(self._thresholds, dtype.type(np.inf)) if dtype.kind == "f" else None
        double: np.dtype[Any] = np.dtype(np.float64)
        candidates = (dtype, double) if dtype == np.float32 else (double,)
        self._linear = next(filter(None, (_linear(edges, work, outside) for work in candidates)), None)

    def put(self, values: NDArray[Any], slots: NDArray[Any], work: Workspace) -> None:
        """Write the slot of each of the finite `values` into `slots`, of dtype uint8 or uint16."""
        if self._linear is None:
            np.copyto(slots, self._compared(values), casting="unsafe")
            return
        with np.errstate(invalid="ignore", over="ignore"):
            for start in range(0, len(values), PIECE):
                piece = values[start : start + PIECE], slots[start : start + PIECE]
                self._put_piece(*piece, self._linear, work)

    def _put_piece(self, values: NDArray[Any], slots: NDArray[Any], linear: _Linear, work: Workspace) -> None:
        at = work.array("at", values.shape, linear.work)
        other = work.array("other", values.shape, slots.dtype)
        np.subtract(values, linear.start, out=at, dtype=linear.work, casting="unsafe")
        np.multiply(at, linear.factor, out=at)
        if self.outside:
            np.clip(at, 0, self.bins + 1, out=at)
        np.copyto(slots, at, casting="unsafe")
        np.add(at, linear.twice_margin, out=at)
        np.copyto(other, at, casting="unsafe")
        unsure = _different(slots, other, work)
        if unsure is None and self._next is not None:
            # few different values, as codes with scales that are powers of two make: many lie on edges
            reached = work.array("next", values.shape, self._next.dtype)
            looked_up(self._next, slots, reached, work)
            higher = np.greater_equal(values, reached, out=work.array("higher", values.shape, np.bool_))
            np.add(slots, higher, out=slots, casting="unsafe")
        elif unsure is None:
            np.copyto(slots, self._compared(values), casting="unsafe")
        elif len(unsure):
            slots[unsure] = self._compared(values[unsure])

    def _compared(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.searchsorted(self._thresholds, values, side="right")


def _different(slots: NDArray[Any], others: NDArray[Any], work: Workspace) -> NDArray[np.intp] | None:
    """Where two contiguous arrays differ, compared eight bytes at a time, then one by one there; None where in many places."""
    together = 8 // slots.itemsize
    whole = len(slots) // together
    left, right = (array[: whole * together].view(np.uint64) for array in (slots, others))
    unequal = np.not_equal(left, right, out=work.array("differ", (whole,), np.bool_))
    if int(np.count_nonzero(unequal)) * OFTEN > whole:
        return None
    words = np.flatnonzero(unequal)
    apart = left[words].view(slots.dtype) != right[words].view(slots.dtype)
    near = np.flatnonzero(apart)
    found: NDArray[np.intp] = words[near // together] * together + near % together
    rest = np.arange(whole * together, len(slots))
    return np.append(found, rest[slots[rest] != others[rest]]) if len(rest) else found


def _reached(edges: Edges, dtype: np.dtype[Any]) -> NDArray[Any]:
    """For each edge the smallest number of `dtype` that is not less; left out where there is none."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            near = edges.astype(dtype)
        less = near.astype(np.float64) < edges
        near[less] = np.nextafter(near[less], dtype.type(np.inf))
        return near
    limits = np.iinfo(dtype)
    wanted = [max(math.ceil(edge), int(limits.min)) for edge in edges.tolist()]
    return np.array([number for number in wanted if number <= int(limits.max)], dtype)


def _passed(edges: Edges, dtype: np.dtype[Any]) -> NDArray[Any]:
    """For each edge the smallest number of `dtype` that is greater; left out where there is none."""
    if dtype.kind == "f":
        near = _reached(edges, dtype)
        equal = near.astype(np.float64) == edges
        with np.errstate(over="ignore"):  # nothing but Inf is greater than the largest
            near[equal] = np.nextafter(near[equal], dtype.type(np.inf))
        return near
    limits = np.iinfo(dtype)
    wanted = [max(math.floor(edge) + 1, int(limits.min)) for edge in edges.tolist()]
    return np.array([number for number in wanted if number <= int(limits.max)], dtype)
