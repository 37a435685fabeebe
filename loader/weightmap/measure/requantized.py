"""Values as they would be read after writing them in another type: encoded and decoded again while they are read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.weighted import Importance, steering
from weightmap.quantize.registry import ENCODERS, WEIGHTED
from weightmap.reading.elements import Elements
from weightmap.types.base import StoredType
from weightmap.types.workspace import Workspace


class NotFiniteError(Exception):
    """NaN or Inf among values that are to go into blocks."""


class Requantized(Elements):
    """The elements of a tensor as they would be read after writing them in another type.

    `importance` is for the types that are made with it alone.
    """

    def __init__(self, source: Elements, kind: StoredType, importance: Importance | None = None) -> None:
        self.source, self.type = source, kind
        self._steering = None if importance is None else steering(importance)
        encoder = ENCODERS[kind] if importance is None else WEIGHTED[kind]
        self.finite, self.costly = encoder.finite, encoder.slow
        self.shape, self.count = source.shape, source.count
        self.value, self.integers = kind.value, False
        self.grain = math.lcm(source.grain, kind.elements)

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read, encode, decode. Raises NotFiniteError."""
        self._read_source(start, stop, out, work)
        if self.finite and not np.isfinite(out).all():
            raise NotFiniteError
        rows = out.reshape(-1, self.type.elements)
        blocks = work.array("encoded", (len(rows), self.type.bytes), np.uint8)
        if self._steering is None:
            ENCODERS[self.type].encode(rows, blocks, work)
        else:
            weights = work.array("steering", out.shape, np.float32)
            self._steering.fill(start, weights)
            WEIGHTED[self.type].encode(rows, weights.reshape(rows.shape), blocks, work)
        self.type.decode(blocks, rows, work)

    def _read_source(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        if self.source.value == out.dtype:
            self.source.read(start, stop, out, work)
            return
        values = work.array("source values", out.shape, self.source.value)
        self.source.read(start, stop, values, work)
        with np.errstate(over="ignore"):  # what is too large for a float32 becomes Inf
            np.copyto(out, values, casting="same_kind")
