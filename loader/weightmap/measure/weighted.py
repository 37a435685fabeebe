"""Errors weighted by how much each input of a matrix matters, as an importance matrix tells.

A column of a matrix is multiplied with one input. An error in a column whose input is large moves the result more than the
same error elsewhere; so with w, the mean square of an input over the calibration text, over the elements where both sides
are finite, and e = q - r:

    rmse = sqrt(sum w e^2 / sum w)    relative_rmse = sqrt(sum w e^2 / sum w r^2)    sqnr_db = 10 log10(sum w r^2 / sum w e^2)

relative_rmse is then the expected error of the products themselves, where inputs are independent. Equal weights give the
measures of `weightmap.measure.error`. Stacked experts have weights of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

_STEP = 1 << 17  # elements worked on at a time, so that the float64 arrays stay in the cache

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Importance:
    """Weights of the columns of one tensor.

    weights  float64 (experts, columns), finite and not negative; (1, columns) where one row of weights is for all rows
    rows     rows of each expert
    unused   experts whose weights are zero because no text came to them: their errors count for nothing
    """

    weights: Floats
    rows: int
    unused: int = 0

    def runs(self, start: int, count: int) -> Iterator[tuple[slice, Floats]]:
        """Cut elements start:start + count: whole rows of one expert, or a part of a row; with the weights of its columns."""
        width, at = self.weights.shape[1], 0
        while at < count:
            row, column = divmod(start + at, width)
            expert = min(row // self.rows, len(self.weights) - 1)
            left = count - at
            if column or left < width:
                many = min(width - column, left)
            else:
                many = min(left // width, (expert + 1) * self.rows - row) * width
            yield slice(at, at + many), self.weights[expert, column : column + many]
            at += many

    def fill(self, start: int, out: NDArray[np.float32]) -> None:
        """Write the weights of the elements from `start` on, one for each: (n,)."""
        for run, weights in self.runs(start, len(out)):
            out[run].reshape(-1, max(len(weights), 1))[...] = weights


def steering(importance: Importance) -> Importance:
    """The weights as quantizers are steered by them: an expert that no text came to counts all columns alike."""
    weights = importance.weights.copy()
    weights[~weights.any(axis=1)] = 1
    return Importance(weights, importance.rows)


@dataclass(frozen=True, slots=True)
class WeightedError:
    """The measures of this module; a quotient by zero is None."""

    rmse: float | None
    relative_rmse: float | None
    sqnr_db: float | None


class WeightedSums:
    """Sums up chunks of one pair, from any thread: hand `add` to a pass, then ask for the `result`."""

    def __init__(self, importance: Importance) -> None:
        self._importance = importance
        self._rows: list[tuple[float, float, float]] = []  # added up exactly, so that threads change no result

    def add(self, start: int, quantized: NDArray[Any], reference: NDArray[Any], work: Workspace) -> None:
        """Take in the elements from `start` on: both sides as stored, (n,)."""
        for at in range(0, len(quantized), _STEP):
            self._step(start + at, quantized[at : at + _STEP], reference[at : at + _STEP], work)

    def _step(self, start: int, q: NDArray[Any], r: NDArray[Any], work: Workspace) -> None:
        e, wide, kept = (work.array(f"weighted {name}", (len(q),), np.float64) for name in "erk")
        with np.errstate(invalid="ignore", over="ignore"):
            np.copyto(wide, r)
            np.subtract(q, wide, out=e)
            finite = np.isfinite(e) & np.isfinite(wide)
            np.copyto(kept, finite)
            for squared in (e, wide):
                np.multiply(squared, squared, out=squared)
                squared[~finite] = 0
            sums = [
                [_dot(array[run], weights) for array in (e, wide, kept)]
                for run, weights in self._importance.runs(start, len(q))
            ]
        ee, rr, total = (math.fsum(column) for column in zip(*sums, strict=True))
        self._rows.append((ee, rr, total))

    def result(self) -> WeightedError:
        """The measures of everything that was added."""
        ee, rr, total = (math.fsum(row[column] for row in self._rows) for column in range(3))
        numbers = (
            math.sqrt(ee / total) if total else None,
            math.sqrt(ee / rr) if rr else None,
            10 * math.log10(rr / ee) if ee and rr else None,
        )
        return WeightedError(*(None if n is None or not math.isfinite(n) else n for n in numbers))


def _dot(values: Floats, weights: Floats) -> float:
    """The sum of weights times values, which hold one row of them or several."""
    if not len(weights):
        return 0.0
    return float(np.einsum("ij,j->", values.reshape(-1, len(weights)), weights))
