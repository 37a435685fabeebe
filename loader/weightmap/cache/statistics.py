"""Statistics of stored tensors, remembered with what was said about the values: worked out once for each number of bins."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from weightmap.cache import findings
from weightmap.cache.findings import Unkeepable
from weightmap.cache.store import Store
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.measure.binning import Histogram, checked_bins, equal_edges
from weightmap.measure.statistics import Statistics
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.source.fingerprint import key, settled
from weightmap.types.registry import BUILT_IN

LEAST = 1 << 16  # elements that are worth it
NUMBERS = ("count", "min", "max", "mean", "std", "nan", "inf", "zeros", "exact")
Result = tuple[Statistics, tuple[Finding, ...]]


class Asked:
    """One question: a tensor of an open file, and a number of bins. It looks at the file, which raises if that changed."""

    def __init__(self, store: Store, source: FileSource, record: TensorRecord, bins: int) -> None:
        self._store, self._source, self._bins = store, source, bins
        self._key, self._kind = key(source), f"statistics-{record.entry:x}-{bins}"
        self._about = [record.name, list(record.shape), record.type.name, record.offset, record.nbytes]

    def recall(self) -> Result | None:
        """The answer that was kept, or None."""
        kept = self._store.load(self._key, self._kind)
        if kept is None:
            return None
        try:
            body = kept.body
            packed = kept.segment("counts")
            if body["about"] != self._about or packed is None:
                return None
            counts = np.frombuffer(_unpacked(packed, self._bins), np.int64)
            numbers = dict(zip(NUMBERS, body["numbers"], strict=True))
            histogram = Histogram(_edges(body["edges"], numbers, self._bins), counts.copy(), *body["outside"])
            said = tuple(findings.restored(one, self._source.path) for one in body["findings"])
            return Statistics(**numbers, histogram=histogram), said
        except (KeyError, TypeError, ValueError, zlib.error):
            return None

    def keep(self, statistics: Statistics, said: tuple[Finding, ...]) -> None:
        """Remember an answer."""
        histogram = statistics.histogram
        numbers = [getattr(statistics, name) for name in NUMBERS]
        edges = _described(histogram, statistics, self._bins)
        plain = all(type(number) in (int, float, bool, type(None)) for number in numbers)
        if edges is None or not plain or not settled(self._source) or histogram.counts.shape != (self._bins,):
            return
        try:
            said_of = [findings.described(one, self._source.path) for one in said]
        except Unkeepable:
            return
        outside = [int(n) for n in (histogram.below, histogram.above, histogram.nan, histogram.inf)]
        body = {"about": self._about, "numbers": numbers, "edges": edges, "outside": outside, "findings": said_of}
        counts = zlib.compress(np.ascontiguousarray(histogram.counts, np.int64).tobytes(), 1)
        self._store.save(self._key, self._kind, body, {"counts": counts})


def asked(store: Store | None, source: ByteSource, record: TensorRecord, bins: int) -> Asked | None:
    """The question, where there is a cache, a file, and a tensor that is worth it and of a type that comes with weightmap."""
    if store is None or not isinstance(source, FileSource) or record.count < LEAST:
        return None
    bins = checked_bins(bins)
    ours = any(record.type.name == one.name for one in BUILT_IN)
    return Asked(store, source, record, bins) if ours else None


def _described(histogram: Histogram, statistics: Statistics, bins: int) -> str | None:
    """How the edges come about; None for edges that come about in another way."""
    if histogram.edges is None:
        return "none"
    for how in ("equal", "constant"):
        edges = _edges(how, {"min": statistics.min, "max": statistics.max}, bins)
        if edges is not None and np.array_equal(edges, histogram.edges):
            return how
    return None


def _edges(how: str, numbers: dict[str, Any], bins: int) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    low, high = numbers["min"], numbers["max"]
    if how == "none":
        return None
    if how == "constant":
        return np.full(bins + 1, low, np.float64)
    return equal_edges(low, high, bins)


def _unpacked(packed: bytes, bins: int) -> bytes:
    """The counts as they were. Raises ValueError for another number of them."""
    inflating = zlib.decompressobj()
    data = inflating.decompress(packed, bins * 8)
    if len(data) != bins * 8 or not (inflating.eof or not inflating.decompress(inflating.unconsumed_tail, 1)):
        raise ValueError("another number of bins")
    return data
