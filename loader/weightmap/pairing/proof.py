"""Proof by value: whether a candidate holds what the target holds, seen on sampled rows.

A few thousand values tell a right transform from a wrong one: the right one leaves the error of the stored type, a wrong one
leaves values that have little or nothing to do with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.usual import usual_error
from weightmap.pairing.lazy import Shape, read_range
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import workspace

Sample = NDArray[np.float64]

WHOLE = 1 << 13  # elements: smaller tensors are read whole
WINDOWS, LENGTH, VALUES = 4, 64, 1024  # windows of so many columns, each over as many rows as give so many values
LOOSE = 0.25  # below this no transform is wrong: a finetuned or damaged tensor is still itself
EXACT = 1.3  # times the usual error: no other transform could be closer
UNKNOWN = 0.1  # taken for the usual error of a type that was not measured


@dataclass(frozen=True, slots=True)
class Spots:
    """Where a tensor of some shape is sampled: the same places in all tensors of that shape, by chance but always the same."""

    count: int
    width: int
    windows: tuple[NDArray[np.int64], ...]

    def values(self, elements: Elements) -> Sample:
        """The sampled values, float64. Raises WeightFileError where they cannot be read."""
        with workspace() as work:
            if not self.windows:
                out = np.empty(self.count, elements.value)
                read_range(elements, 0, self.count, out, work, "sample")
                return out.astype(np.float64)
            parts = []
            for starts in self.windows:
                out = np.empty((len(starts), self.width), elements.value)
                elements.gather(starts, self.width, out, work)
                parts.append(out.reshape(-1).astype(np.float64))
            return np.concatenate(parts)


def spots(shape: Shape, windows: int = WINDOWS) -> Spots:
    """The places for a shape. Rows are drawn at random, so that no regular transform hides between them."""
    count = prod(shape)
    if count <= WHOLE:
        return Spots(count, count, ())
    width = shape[-1] if len(shape) > 1 else 1
    length = min(width, LENGTH)
    rows, wanted = count // width, VALUES // length
    starts = []
    for window in range(windows):
        numbers = _scattered(wanted + 1, count + window)
        column = int(numbers[0] % np.uint64(width - length + 1))
        chosen = np.unique(numbers[1:] % np.uint64(rows)).astype(np.int64)
        starts.append(chosen * width + column)
    return Spots(count, length, tuple(starts))


def _scattered(count: int, seed: int) -> NDArray[np.uint64]:
    """Numbers without a pattern, the same for the same seed: multiplied and folded bits, since numpy.random imports slowly."""
    first = seed % (1 << 40) * 1000 + 1
    numbers = np.arange(first, first + count, dtype=np.uint64)
    for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        numbers *= np.uint64(factor)
        numbers ^= numbers >> np.uint64(29)
    return numbers


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a candidate's samples are from the target's.

    relative  rmse over the candidate's rms; infinity against zeros, NaN where nothing is finite on both sides
    spread    what no factor and no constant explains, over how much the candidate's values spread: 0 for the same values,
              also scaled or shifted ones, 1 for values that have nothing to do with each other. It tells apart what the
              first measure does not, values that all lie near one number as those of norms do
    """

    relative: float
    spread: float


def difference(target: Sample, candidate: Sample) -> Difference:
    """Over what is finite on both sides."""
    both = np.isfinite(target) & np.isfinite(candidate)
    if not both.any() and both.size:
        return Difference(np.nan, np.nan)
    found = candidate[both]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        error = np.sum((target[both] - found) ** 2)
        if not error:
            return Difference(0.0, 0.0)
        relative = float(np.sqrt(error / np.sum(found**2)))
        a, b = target[both] - target[both].mean(), found - found.mean()
        cosine = np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b))
    return Difference(relative, float(np.sqrt(max(1 - cosine * cosine, 0.0))) if cosine > 0 else 1.0)


def usual(target_type: str, source_type: str) -> float:
    """What a right pair of these types usually differs by."""
    known = usual_error(target_type, source_type)
    return UNKNOWN if known is None else known


def exact(found: Difference, expected: float) -> bool:
    """Whether a candidate is so close that no other one needs to be tried."""
    return found.relative <= min(EXACT * expected + 1e-6, 0.5)


def proven(found: Difference, expected: float) -> bool:
    """Whether a difference is that of the right tensor in the right order, and not by chance."""
    return found.relative <= min(0.95, 1.6 * expected) or found.spread <= LOOSE
