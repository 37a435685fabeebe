"""The exact range of block types from a first cheap look: most blocks cannot hold an extreme value, as their scale shows.

A block's scale bounds its values. So only blocks whose bound goes beyond what was found so far are decoded, the most
promising first; after a few chunks next to none are left. That saves decoding everything twice.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.range import Range
from weightmap.measure.spans import spanned_range
from weightmap.reading.elements import Elements, StoredElements
from weightmap.reading.sweep import Meter, Work, sweep
from weightmap.types.base import Blocks
from weightmap.types.fields import half
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

PIECE_BYTES = 3 << 19  # of blocks looked at in one go: there is little to do for each
EACH = 8  # pieces: fewer are looked at before another thread has begun
PROMISING = 64  # blocks that are decoded first, for each end of the range
SLACK = 1e-5


class Bound(NamedTuple):
    """A block's values lie in d * (low to high) + m * (m_low to m_high), d and m being half floats at these byte offsets."""

    d: int
    low: int
    high: int
    m: int | None = None
    m_low: int = 0
    m_high: int = 0


# products of the extremes of codes, of the 4-, 6- or 8-bit scales of a group, and of the tables of values
BOUNDS = {
    "Q4_0": Bound(0, -8, 7),
    "Q4_1": Bound(0, 0, 15, 2, 1, 1),
    "Q5_0": Bound(0, -16, 15),
    "Q5_1": Bound(0, 0, 31, 2, 1, 1),
    "Q8_0": Bound(0, -128, 127),
    "Q2_K": Bound(80, 0, 15 * 3, 82, -15, 0),
    "Q3_K": Bound(108, 31 * -4, -32 * -4),
    "Q4_K": Bound(0, 0, 63 * 15, 2, -63, 0),
    "Q5_K": Bound(0, 0, 63 * 31, 2, -63, 0),
    "Q6_K": Bound(208, 127 * -32, -128 * -32),
    "IQ4_NL": Bound(0, -127, 113),
    "IQ4_XS": Bound(0, 31 * -127, -32 * -127),
}


def bounded_range(elements: Elements, *, threads: int | None, meter: Meter) -> Range | None:
    """The exact range of all values, or None where scales do not tell it: another type, or scales that are not finite."""
    if not isinstance(elements, StoredElements):
        return spanned_range(elements, elements.spans(), meter=meter)
    if by_name(elements.type.name) is not elements.type:
        return None  # a big-endian type has the same name, but is not the one in the registry
    bound = BOUNDS.get(elements.type.name)
    if bound is None:
        return None
    look = _Look(elements, bound)
    blocks = PIECE_BYTES // elements.type.bytes
    sweep(elements.count, blocks * elements.grain, look.worker, threads=threads, each=EACH, meter=meter)
    return look.found if look.telling else None


class _Look:
    """What the threads of one look share."""

    def __init__(self, elements: StoredElements, bound: Bound) -> None:
        self._elements, self._bound = elements, bound
        self._lock = threading.Lock()
        self.found = Range()
        self.telling = True  # no scale was NaN or Inf

    def worker(self, work: Workspace) -> Work:
        """What one thread does with a chunk."""
        size = self._elements.grain

        def look(start: int, stop: int) -> None:
            if self.telling:
                self._chunk(self._elements.read_blocks(start // size, stop // size, work), work)

        return look

    def _chunk(self, blocks: Blocks, work: Workspace) -> None:
        bound = self._bound
        d = half(blocks, bound.d, work, "d")[:, 0]
        # with a scale alone, what it bounds rises with it; else the bounds themselves are compared
        low, high = (d, d) if bound.m is None else _bounds(d, half(blocks, bound.m, work, "m")[:, 0], bound)
        if not (np.isfinite(low.min()) and np.isfinite(high.max())):
            self.telling = False
            return
        beyond = self._beyond(low, high)
        if len(beyond) > 2 * PROMISING:
            self._take_in(blocks, np.argpartition(high, -PROMISING)[-PROMISING:], work)
            self._take_in(blocks, np.argpartition(low, PROMISING)[:PROMISING], work)
            beyond = self._beyond(low, high)
        self._take_in(blocks, beyond, work)

    def _beyond(self, low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.intp]:
        """Which blocks may hold a value outside of the range so far."""
        if self.found.low is None or self.found.high is None:
            return np.arange(len(low))
        least, most = self.found.low, self.found.high
        if self._bound.m is None:
            least, most = _scales(self._bound, least, most)
        if low.min() >= least and high.max() <= most:
            return np.empty(0, np.intp)
        return np.flatnonzero((low < np.float32(least)) | (high > np.float32(most)))

    def _take_in(self, blocks: Blocks, picked: NDArray[np.intp], work: Workspace) -> None:
        """Decode these blocks and widen the range by their values."""
        elements = self._elements
        several = max(elements.chunk() // elements.grain, 1)
        for start in range(0, len(picked), several):
            chosen = blocks[picked[start : start + several]]
            values = work.array("values", (len(chosen), elements.grain), elements.value)
            elements.type.decode(chosen, values, work)
            low, high = float(values.min()), float(values.max())
            with self._lock:
                self.found.add(low, high)


def _scales(bound: Bound, least: float, most: float) -> tuple[float, float]:
    """Between which scales d * (low to high) stays within least to most; a little less than rounding can matter."""
    rising = [most / bound.high, least / bound.low] if bound.low else [most / bound.high]
    falling = [least / bound.high, most / bound.low] if bound.low else [least / bound.high]
    lower, upper = max(falling), min(rising)
    return lower + abs(lower) * SLACK, upper - abs(upper) * SLACK


def _bounds(
    d: NDArray[np.float32], m: NDArray[np.float32], bound: Bound
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lower and upper bounds of each block's values, a little wider than rounding can matter."""
    with np.errstate(invalid="ignore", over="ignore"):
        ends = [d * np.float32(bound.low), d * np.float32(bound.high)]
        more = [m * np.float32(bound.m_low), m * np.float32(bound.m_high)]
        slack = np.float32(SLACK) * (np.abs(ends[0]) + np.abs(ends[1]) + np.abs(more[0]) + np.abs(more[1]))
        low, high = np.minimum(*ends) + np.minimum(*more), np.maximum(*ends) + np.maximum(*more)
        return low - slack, high + slack
