"""Sums of values and of their squares, in float64 (integers: exactly), and what follows from them: mean and deviation.

Values are taken relative to `origin`, the number of the range that lies nearest to zero: then the deviation does not drown
where the values differ only in their last bits. Doubles are scaled by a power of two where squares would leave float64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

Number = float | int

ROW = 1024  # numbers per dot product: more could start threads of the BLAS library


class Moments:
    """Sums over one thread's share of values from low to high."""

    def __init__(self, low: Number, high: Number) -> None:
        self.origin = low if low > 0 else high if high < 0 else 0 * low
        largest = max(abs(low), abs(high))
        # only doubles reach these magnitudes with their squares
        extreme = isinstance(largest, float) and not 1e-140 < largest < 1e140 and largest > 0
        self._exponent = math.frexp(largest)[1] if extreme else 0
        self.count = 0
        self._sum: Number = 0
        self._squares = 0.0

    def add(self, values: NDArray[Any], work: Workspace) -> None:
        """Take in finite values: float32, float64 or an integer dtype."""
        wide = work.array("wide", values.shape, np.float64)
        if values.dtype.kind == "f":
            self._subtract(values, wide)
            self._sum += dot(wide, None)
        else:
            self._sum += _exact_sum(values) - int(self.origin) * len(values)
            if values.dtype.itemsize == 8 and self.origin:  # the difference may exceed the signed range
                np.copyto(wide, values.view(np.uint64) - np.uint64(int(self.origin) % (1 << 64)), casting="unsafe")
            else:
                np.subtract(values, self.origin, out=wide, dtype=np.float64, casting="unsafe")
        self.count += len(values)
        self._squares += dot(wide, wide)

    def _subtract(self, values: NDArray[Any], wide: NDArray[np.float64]) -> None:
        if self.origin:
            np.subtract(values, self.origin, out=wide, dtype=np.float64)
        else:
            np.copyto(wide, values)
        if self._exponent:
            np.ldexp(wide, -self._exponent, out=wide)

    def join(self, other: Moments) -> None:
        """Take in the sums of another thread."""
        self.count += other.count
        self._sum += other._sum
        self._squares += other._squares

    def mean(self) -> float:
        """Mean of everything that was added."""
        return float(self.origin + self._scaled(self._sum / self.count))

    def std(self) -> float:
        """The population's standard deviation."""
        offset = self._sum / self.count
        return self._scaled(math.sqrt(max(self._squares / self.count - offset * offset, 0.0)))

    def _scaled(self, number: float) -> float:
        return math.ldexp(number, self._exponent) if self._exponent else number


def dot(values: NDArray[np.float64], others: NDArray[np.float64] | None) -> float:
    """Sum of products, or of `values` alone where `others` is None; on this thread only."""
    rows = len(values) // ROW * ROW
    left, rest = values[:rows].reshape(-1, ROW), values[rows:]
    if others is None:
        return float(_dots(left, _ONES).sum()) + float(rest.sum())
    return float(_dots(left, others[:rows].reshape(-1, ROW)).sum()) + float((rest * others[rows:]).sum())


def _dots(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64]
    result = (
        np.vecdot(left, right)
        if hasattr(np, "vecdot")
        else np.einsum("ij,ij->i", left, np.broadcast_to(right, left.shape))
    )
    return result


_ONES = np.ones((1, ROW))


def _exact_sum(values: NDArray[Any]) -> int:
    if values.dtype.itemsize < 8:
        return int(values.sum(dtype=np.int64))
    # halves of 32 bits cannot overflow in a chunk
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())
