"""What a fresh quantization of the reference would leave: the best yardstick for an error, where it can be had quickly."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.comparison import PairError
from weightmap.measure.binning import Binning, Edges, Histogram
from weightmap.measure.error import measure_errors
from weightmap.measure.requantized import Requantized
from weightmap.pair_values import can_be_fresh
from weightmap.pairing.tensor_pair import TensorPair
from weightmap.quantize.registry import ENCODERS
from weightmap.reading.sweep import Progress
from weightmap.types import registry
from weightmap.types.workspace import Workspace

MOST = 1 << 23  # values: the K-quants of more take seconds, ...
MOST_SLOW = 1 << 20  # ... and so do the types whose encoders are slow


class Fresh(NamedTuple):
    """The errors of the reference written in the quantized tensor's type: how large, and how they spread."""

    relative_rmse: float
    histogram: Histogram


def fresh(
    error: PairError, pair: TensorPair, edges: Edges, *, progress: Progress | None = None, threads: int | None = None
) -> Fresh | None:
    """Encode and decode the reference; None where there is no quantizer, too much to do, or NaN or Inf among the values."""
    reference, kind = pair.elements("reference"), registry.by_name(pair.type)
    possible = can_be_fresh(pair) and not error.nonfinite and reference.value == np.float32
    if not possible or kind is None or reference.count > (MOST_SLOW if ENCODERS[kind].slow else MOST):
        return None
    spread = _Spread(edges)
    changed = Requantized(reference, kind)
    found = measure_errors(changed, reference, also=spread.add, percentile=False, progress=progress, threads=threads)
    return None if found.relative_rmse is None else Fresh(found.relative_rmse, spread.histogram())


class _Spread:
    """Counts errors between edges, from any thread."""

    def __init__(self, edges: Edges) -> None:
        self._binning = Binning(edges, np.dtype(np.float32), outside=True)
        self._counts = np.zeros(self._binning.slots, np.int64)
        self._lock = threading.Lock()

    def add(self, start: int, quantized: NDArray[Any], reference: NDArray[Any], work: Workspace) -> None:
        """Take in a chunk of both sides."""
        errors = work.array("fresh errors", quantized.shape, np.float32)
        slots = work.array("fresh slots", quantized.shape, np.uint16)
        np.subtract(quantized, reference, out=errors)
        self._binning.put(errors, slots, work)
        counts = np.bincount(slots, minlength=self._binning.slots)
        with self._lock:
            self._counts += counts

    def histogram(self) -> Histogram:
        """What was counted."""
        return Histogram(self._binning.edges, self._counts[1:-1], int(self._counts[0]), int(self._counts[-1]))
