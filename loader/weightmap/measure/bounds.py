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
    found, lock = Range(), threading.Lock()
    size = elements.grain

    def worker(work: Workspace) -> Work:
        def look(start: int, stop: int) -> None:
            if not found.finite:
                return
            blocks = elements.read_blocks(start // size, stop // size, work)
            low, high = _bounds(blocks, bound)
            if not (np.isfinite(low).all() and np.isfinite(high).all()):
                found.finite = False
                return
            beyond = _beyond(found, low, high)
            if len(beyond) > 2 * PROMISING:
                for extreme in (high[beyond], -low[beyond]):
                    best = np.argpartition(extreme, -PROMISING)[-PROMISING:]
                    _take_in(elements, blocks[beyond[best]], found, lock, work)
                beyond = _beyond(found, low, high)
            if len(beyond):
                _take_in(elements, blocks[beyond], found, lock, work)

        return look

    sweep(elements.count, SEVERAL * elements.chunk(), worker, threads=threads, meter=meter)
    return found if found.finite else None


def _beyond(found: Range, low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.intp]:
    """Which blocks may hold a value outside of the range so far."""
    if found.low is None or found.high is None:
        return np.arange(len(low))
    return np.flatnonzero((low < np.float32(found.low)) | (high > np.float32(found.high)))


def _bounds(blocks: Blocks, bound: Bound) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lower and upper bounds of each block's values, a little wider than rounding can matter."""
    with np.errstate(invalid="ignore", over="ignore"):
        d = _half(blocks, bound.d)
        one, other = d * bound.low, d * bound.high
        low, high = np.minimum(one, other), np.maximum(one, other)
        slack = high - low
        if bound.m is not None:
            m = _half(blocks, bound.m)
            one, other = m * bound.m_low, m * bound.m_high
            low, high = low + np.minimum(one, other), high + np.maximum(one, other)
            slack += np.abs(m) * max(abs(bound.m_low), abs(bound.m_high))
        slack *= 1e-5
        return low - slack, high + slack


def _half(blocks: Blocks, offset: int) -> NDArray[np.float32]:
    return np.ascontiguousarray(blocks[:, offset : offset + 2]).view("<f2").reshape(-1).astype(np.float32)


def _take_in(elements: StoredElements, blocks: Blocks, found: Range, lock: threading.Lock, work: Workspace) -> None:
    """Decode these blocks and widen the range by their values."""
    values = work.array("values", (len(blocks), elements.grain), elements.value)
    elements.type.decode(blocks, values, work)
    with lock:
        found.add(float(values.min()), float(values.max()))
