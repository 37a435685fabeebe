"""Scales applied to values: each to those that it is for, and scales that are scaled themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONG = 512  # values of a row: with as many, a call for each row is quicker than what numpy does to have fewer

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Second:
    """A scale of the scales: one for all, or one for each matrix of a stack.

    divides  whether scales are divided by it instead of multiplied with it
    """

    name: str
    values: Floats
    divides: bool = False

    def apply(self, scales: Floats, lines: Indices, down: int) -> None:
        """Scale rows of scales (n, scales of a row) that are these rows of all, `down` of them in each matrix."""
        factor = self.values.reshape(-1, 1)
        factor = factor if len(factor) == 1 else factor[lines // down]
        (np.divide if self.divides else np.multiply)(scales, factor, out=scales)


def by_rows(operation: np.ufunc, values: NDArray[Any], scales: NDArray[Any]) -> None:
    """Apply scales (n, 1), one row of them, or one for each value, to values (n, width) in place.

    Where rows are shorter than its buffer, numpy writes each scale as often as it is needed there, which takes three times as
    long as to multiply, and pays for short rows only.
    """
    if not LONG <= values.shape[1] < np.getbufsize():
        operation(values, scales, out=values)
        return
    usual = np.setbufsize(LONG)
    try:
        operation(values, scales, out=values)
    finally:
        np.setbufsize(usual)


def spread(operation: np.ufunc, values: Floats, scales: Floats, wide: int, skip: int) -> None:
    """Apply each scale to the `wide` values that it is for, in place; of the first group `skip` values are not there."""
    height, width = values.shape
    if scales.shape[1] == 1 or wide == 1:
        by_rows(operation, values, scales)
        return
    left = min(wide - skip, width) if skip else 0
    if left:
        operation(values[:, :left], scales[:, :1], out=values[:, :left])
        scales = scales[:, 1:]
    groups = (width - left) // wide
    if groups:
        middle = values[:, left : left + groups * wide].reshape(height, groups, wide)
        if groups * wide == width and scales.flags.c_contiguous and values.flags.c_contiguous:
            flat = values.reshape(-1, wide)
            operation(flat, scales.reshape(-1, 1), out=flat)
        else:
            operation(middle, scales[:, :groups, None], out=middle)
    if left + groups * wide < width:
        rest = values[:, left + groups * wide :]
        operation(rest, scales[:, groups : groups + 1], out=rest)
