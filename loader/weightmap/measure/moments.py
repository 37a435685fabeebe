"""Sums of values and of their squares, and what follows from them: mean and standard deviation.

Integers are added exactly, all else in float64; but of many float32 values of ordinary size and around zero, the values
themselves are added as they are in short rows, whose roundings even out below 1e-9 of the deviation. Those of squares do not:
weights lie on grids, of halves or of codes under a scale, and the ninth digit of the deviation would be another.
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

PIECE = 1 << 16  # values that are widened at a time, so that they stay in the cache
MANY = 3 << 16  # values: nearly a chunk
ROW = 256  # numbers per dot product: short enough for float32, and too few to start threads of the BLAS library


class Moments:
    """Sums over one thread's share of values from low to high."""

    def __init__(self, low: Number, high: Number) -> None:
        self.origin = low if low > 0 else high if high < 0 else 0 * low
        largest = max(abs(low), abs(high))
        # only doubles reach these magnitudes with their squares
        extreme = isinstance(largest, float) and not 1e-140 < largest < 1e140 and largest > 0
        self._exponent = math.frexp(largest)[1] if extreme else 0
        self._short = self.origin == 0 and isinstance(largest, float) and 1e-12 < largest < 1e12
        self.count = 0
        self._sum: Number = 0
        self._squares = 0.0

    def add(self, values: NDArray[Any], work: Workspace) -> None:
        """Take in finite values: float32, float64 or an integer dtype."""
        self.count += len(values)
        if values.dtype.kind == "f":
            self._add_floats(values, work)
            return
        self._sum += _exact_sum(values) - int(self.origin) * len(values)
        for start in range(0, len(values), PIECE):
            piece = values[start : start + PIECE]
            wide = work.array("wide", piece.shape, np.float64)
            if piece.dtype.itemsize == 8 and self.origin:
                # from a lower origin the difference may exceed the signed range, from an upper one it is negative
                difference = piece.view(np.uint64) - np.uint64(int(self.origin) % (1 << 64))
                np.copyto(wide, difference if self.origin > 0 else difference.view(np.int64), casting="unsafe")
            else:
                np.subtract(piece, self.origin, out=wide, dtype=np.float64, casting="unsafe")
            self._squares += dot(wide, wide)

    def _add_floats(self, values: NDArray[Any], work: Workspace) -> None:
        """Few calls of numpy, as threads hand the GIL over at each: rows are added up piece by piece, their sums at the end."""
        rows = len(values) // ROW
        sums = work.array("row sums", (2, rows), np.float64)
        short = self._short and len(values) >= MANY and values.dtype == np.float32
        if short:
            np.copyto(sums[0], _dots(values[: rows * ROW].reshape(-1, ROW), _ONES[4]))
        for start in range(0, rows * ROW, PIECE):
            piece = values[start : min(start + PIECE, rows * ROW)]
            wide = work.array("wide", piece.shape, np.float64)
            self._subtract(piece, wide)
            lines, at = wide.reshape(-1, ROW), start // ROW
            if not short:
                _dots(lines, _ONES[8], sums[0, at : at + len(lines)])
            _dots(lines, lines, sums[1, at : at + len(lines)])
        rest = np.empty(len(values) - rows * ROW)
        self._subtract(values[rows * ROW :], rest)
        total, squares = np.add.reduce(sums, axis=1).tolist()
        self._sum += total + float(np.add.reduce(rest))
        self._squares += squares + float(np.add.reduce(rest * rest))

    def add_counted(self, values: NDArray[np.float32], counts: NDArray[np.int64], work: Workspace) -> None:
        """Take in finite values that occur so often each."""
        self.count += int(counts.sum())
        wide = work.array("wide", values.shape, np.float64)
        self._subtract(values, wide)
        often = work.array("often", values.shape, np.float64)
        np.copyto(often, counts)
        self._sum += dot(wide, often)
        self._squares += dot(np.square(wide, out=wide), often)

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


def dot(values: NDArray[Any], others: NDArray[Any] | None) -> float:
    """Sum of products, or of `values` alone where `others` is None: rows in their own dtype, then in float64."""
    rows = len(values) // ROW * ROW
    left, rest = values[:rows].reshape(-1, ROW), values[rows:]
    right = _ONES[values.dtype.itemsize] if others is None else others[:rows].reshape(-1, ROW)
    total = float(np.add.reduce(_dots(left, right), dtype=np.float64))
    if len(rest):
        total += float(np.add.reduce(rest if others is None else rest * others[rows:], dtype=np.float64))
    return total


_ONES: dict[int, NDArray[Any]] = {4: np.ones((1, ROW), np.float32), 8: np.ones((1, ROW), np.float64)}


def _dots(left: NDArray[Any], right: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
    if hasattr(np, "vecdot"):
        return np.asarray(np.vecdot(left, right) if out is None else np.vecdot(left, right, out=out))
    return np.asarray(np.einsum("ij,ij->i", left, np.broadcast_to(right, left.shape), out=out))


def _exact_sum(values: NDArray[Any]) -> int:
    if values.dtype.itemsize < 8:
        return int(values.sum(dtype=np.int64))
    # halves of 32 bits cannot overflow in a chunk
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())
