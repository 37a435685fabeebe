"""The exact 99th percentile of a stream that is never held whole.

Only the largest hundredth of the values decides the percentile, so a pass keeps what lies above a threshold taken from a
sample, and forgets the rest. Where even that hundredth is too much to keep, one pass counts the values by their leading
bits, and a second one collects the few that share the bits of the percentile.
"""

from __future__ import annotations

import math
import threading
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements
from weightmap.reading.sweep import workspace
from weightmap.types.workspace import Workspace

Floats = NDArray[np.float64]
Values = NDArray[np.floating[Any]]

SHARE = 0.99
ENOUGH = 0.985  # quantile of the sample above which values are kept: low enough to be right nearly always
KEPT_AT_MOST = 1 << 21
_SPOTS, _SPOT = 16, 1024  # the sample that the threshold of the percentile is taken from
_SHIFT = 15  # float32 bits are counted by sign, exponent and 8 leading bits of the fraction


def position(count: int) -> tuple[int, float]:
    """(index, fraction) of the percentile among `count` ascending values, by linear interpolation as in numpy."""
    at = SHARE * (count - 1)
    below = int(at)
    return below, at - below


def top(count: int) -> int:
    """How many of the largest of `count` values can decide the percentile."""
    return count - position(count)[0] if count else 0


class Selection(Protocol):
    """What a pass tells its absolute errors to, chunk by chunk, from any thread."""

    def add(self, values: Values, work: Workspace) -> None: ...

    def result(self, count: int) -> tuple[float, float] | None:
        """(percentile, largest) of the `count` values told so far, or None where another pass is needed."""


class Tail:
    """Keeps the largest values: at most twice the `top` of `count`, above `threshold` (0: nothing is lost)."""

    def __init__(self, count: int, threshold: float = 0.0) -> None:
        self._needed, self._threshold = top(count), threshold
        self._kept: list[Values] = []
        self._size = 0
        self._lock = threading.Lock()

    def add(self, values: Values, work: Workspace) -> None:
        """Take in non-negative, finite `values`."""
        above: NDArray[np.bool_] = work.array("above", values.shape, np.bool_)
        np.greater(values, self._threshold, out=above)
        chosen = np.compress(above, values)
        if not chosen.size:
            return
        with self._lock:
            self._kept.append(chosen)
            self._size += chosen.size
            if self._size > 4 * self._needed + (1 << 16):
                self._shrink()

    def result(self, count: int) -> tuple[float, float] | None:
        """See Selection. None where the threshold was so high that too little was kept."""
        if not count:
            return 0.0, 0.0
        below, fraction = position(count)
        missing = count - below - self._size
        if missing > 0 and self._threshold > 0:
            return None
        kept = np.concatenate([*self._kept, *([np.zeros(missing)] if missing > 0 else [])])
        largest = float(kept.max())
        return _pick(kept, kept.size - (count - below), fraction), largest

    def _shrink(self) -> None:
        kept = np.concatenate(self._kept)
        kept.partition(kept.size - self._needed)
        kept = kept[kept.size - self._needed :].copy()
        self._kept, self._size, self._threshold = [kept], kept.size, float(kept[0])


class Counts:
    """First pass of two: how many values share their leading bits."""

    def __init__(self) -> None:
        self._counts = np.zeros(1 << (32 - _SHIFT), np.int64)
        self._largest = 0.0
        self._lock = threading.Lock()

    def add(self, values: Values, work: Workspace) -> None:
        """Take in non-negative, finite `values`."""
        counts = np.bincount(_keys(values), minlength=self._counts.size)
        with self._lock:
            self._counts += counts
            self._largest = max(self._largest, float(values.max(initial=0.0)))

    def result(self, count: int) -> tuple[float, float] | None:
        """Always None: the second pass, through `narrowed`, has the answer."""
        return None

    def narrowed(self, count: int) -> Bracket:
        """The second pass: collects what has the leading bits of the percentile of `count` values."""
        below = position(count)[0]
        ends = np.cumsum(self._counts)
        first, last = (int(np.searchsorted(ends, min(rank, count - 1), side="right")) for rank in (below, below + 1))
        return Bracket(first, last, below - int(ends[first] - self._counts[first]), self._largest)


class Bracket:
    """Second pass of two: the values whose leading bits are those of bin `first` or `last`."""

    def __init__(self, first: int, last: int, rank: int, largest: float) -> None:
        self._first, self._last, self._rank, self._largest = first, last, rank, largest
        self._kept: list[Values] = []
        self._lock = threading.Lock()

    def add(self, values: Values, work: Workspace) -> None:
        """Take in the same values as in the first pass."""
        keys = _keys(values)
        chosen = values[(keys == self._first) | (keys == self._last)]
        with self._lock:
            self._kept.append(chosen)

    def result(self, count: int) -> tuple[float, float] | None:
        """See Selection."""
        if not count:
            return 0.0, 0.0
        return _pick(np.concatenate([np.empty(0), *self._kept]), self._rank, position(count)[1]), self._largest


class Largest:
    """For who needs no percentile: only the largest value is kept."""

    def __init__(self) -> None:
        self._largest = 0.0
        self._lock = threading.Lock()

    def add(self, values: Values, work: Workspace) -> None:
        """Take in non-negative, finite `values`."""
        found = float(values.max(initial=0.0))
        with self._lock:
            self._largest = max(self._largest, found)

    def result(self, count: int) -> tuple[float, float]:
        """(NaN, largest)."""
        return math.nan, self._largest


def selection(count: int, sample: Floats) -> Tail | Counts:
    """The way for a stream of `count` values, given some of them (any order): almost always one pass."""
    if top(count) > KEPT_AT_MOST:
        return Counts()
    if sample.size <= 1000 or count <= 1 << 16:
        return Tail(count)
    rank = int(ENOUGH * sample.size)
    return Tail(count, float(np.partition(sample, rank)[rank]))


def _keys(values: Values) -> NDArray[np.uint32]:
    with np.errstate(over="ignore"):
        return values.astype(np.float32, copy=False).view(np.uint32) >> np.uint32(_SHIFT)


def _pick(values: Floats, rank: int, fraction: float) -> float:
    """The element of this ascending rank, moved by `fraction` towards the next. Changes the order of `values`."""
    values.partition(rank)
    low = float(values[rank])
    return low + fraction * (float(values[rank + 1 :].min()) - low) if fraction else low


def sample(quantized: Elements, reference: Elements) -> Floats:
    """Absolute errors of runs spread over the tensor; nothing of a small one."""
    grain = math.lcm(quantized.grain, reference.grain)
    length = max(_SPOT // grain, 1) * grain
    if quantized.count < 4 * _SPOTS * length or length > 1 << 16:
        return np.empty(0)
    starts = np.linspace(0, quantized.count - length, _SPOTS).astype(np.int64) // grain * grain
    both = []
    with workspace() as work, np.errstate(invalid="ignore", over="ignore"):
        for side in (quantized, reference):
            values = np.empty((_SPOTS, length), side.value)
            side.gather(starts, length, values, work)
            both.append(values.astype(np.float64))
        errors = np.abs(both[0] - both[1]).reshape(-1)
    return errors[np.isfinite(errors)]
