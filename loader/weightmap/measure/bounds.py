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
from weightmap.reading.elements import Elements, StoredElements
from weightmap.reading.sweep import Meter, Work, sweep
from weightmap.types.base import Blocks
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

SEVERAL = 4  # chunks at a time: there is little to do per block
PROMISING = 64  # blocks of a chunk that are decoded first


class Bound(NamedTuple):
    """A block's values lie in d * (low to high) + m * (m_low to m_high), d and m being halfs at these byte offsets."""

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
    if not isinstance(elements, StoredElements) or by_name(elements.type.name) is not elements.type:
        return None  # a big-endian type has the same name, but is not the one in the registry
    bound = BOUNDS.get(elements.type.name)
    if bound is None:
        return None
    look = _Look(elements, bound)
    sweep(elements.count, SEVERAL * elements.chunk(), look.worker, threads=threads, meter=meter)
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
        d = _half(blocks, bound.d)
        least, most = float(d.min()), float(d.max())
        if not (np.isfinite(least) and np.isfinite(most)):
            self.telling = False
            return
        if bound.m is None and self._within(np.array([least, most], np.float32)):
            return
        low, high = _bounds(blocks, d, bound)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            self.telling = False
            return
        beyond = _beyond(self.found, low, high)
        if len(beyond) > 2 * PROMISING:
            for extreme in (high[beyond], -low[beyond]):
                best = np.argpartition(extreme, -PROMISING)[-PROMISING:]
                self._take_in(blocks[beyond[best]], work)
            beyond = _beyond(self.found, low, high)
        if len(beyond):
            self._take_in(blocks[beyond], work)

    def _within(self, d: NDArray[np.float32]) -> bool:
        """Whether scales between these two cannot give a value outside of the range so far."""
        low, high = _spread(d, self._bound.low, self._bound.high)
        return not len(_beyond(self.found, low, high))

    def _take_in(self, blocks: Blocks, work: Workspace) -> None:
        """Decode these blocks and widen the range by their values."""
        values = work.array("values", (len(blocks), self._elements.grain), self._elements.value)
        self._elements.type.decode(blocks, values, work)
        with self._lock:
            self.found.add(float(values.min()), float(values.max()))


def _beyond(found: Range, low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.intp]:
    """Which blocks may hold a value outside of the range so far."""
    if found.low is None or found.high is None:
        return np.arange(len(low))
    return np.flatnonzero((low < np.float32(found.low)) | (high > np.float32(found.high)))


def _bounds(blocks: Blocks, d: NDArray[np.float32], bound: Bound) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lower and upper bounds of each block's values."""
    low, high = _spread(d, bound.low, bound.high)
    if bound.m is not None:
        with np.errstate(invalid="ignore", over="ignore"):
            m_low, m_high = _spread(_half(blocks, bound.m), bound.m_low, bound.m_high)
            low, high = low + m_low, high + m_high
    return low, high


def _spread(scale: NDArray[np.float32], low: int, high: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(least, most) of scale * (low to high), a little wider than rounding can matter."""
    with np.errstate(invalid="ignore", over="ignore"):
        one, other = scale * np.float32(low), scale * np.float32(high)
        slack = np.abs(scale) * np.float32(1e-5 * max(abs(low), abs(high)))
        return np.minimum(one, other) - slack, np.maximum(one, other) + slack


def _half(blocks: Blocks, offset: int) -> NDArray[np.float32]:
    return np.ascontiguousarray(blocks[:, offset : offset + 2]).view("<f2").reshape(-1).astype(np.float32)
