"""A tensor seen as a matrix of its last two axes, at one place of the leading ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import weightmap
from tensorloupe.task import Progress

if TYPE_CHECKING:
    from tensorloupe.readable import Readable


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of a tensor seen as a matrix of its last two axes."""
    if not shape:
        return 1, 1
    return (1, shape[0]) if len(shape) == 1 else (shape[-2], shape[-1])


def first_index(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The first place in the leading axes."""
    return (0,) * max(0, len(shape) - 2)


def index_of(shape: tuple[int, ...], leading: tuple[int, ...], row: int, column: int) -> tuple[int, ...]:
    """One number for each axis of the tensor, from a place of its matrix."""
    return (*leading, row, column)[-len(shape) :] if shape else ()


def empty(shape: tuple[int, ...]) -> bool:
    """Whether there is nothing to see."""
    return 0 in (*matrix_shape(shape), *shape)


def next_nonfinite(
    tensor: Readable, index: tuple[int, ...], after: tuple[int, int], progress: Progress
) -> tuple[int, int] | None:
    """The next NaN or Inf in reading order after a position, from the start again at the end; None where there is none."""
    rows, columns = matrix_shape(tensor.shape)
    step = max(1, (1 << 18) // max(columns, 1))
    start = after[0]
    for number, first in enumerate(range(start, start + rows + 1, step)):
        if progress(number * step, rows + 1) is False:
            raise weightmap.Cancelled
        for low, high in _wrapped(first, min(first + step, start + rows + 1), rows):
            part = tensor.read((*index, slice(low, high)) if len(tensor.shape) > 1 else ...)
            part = np.asarray(part).reshape(-1, columns)
            bad = ~np.isfinite(part)
            if low <= after[0] < high and first == start and low == start:
                bad[after[0] - low, : after[1] + 1] = False
            found = np.argwhere(bad)
            if len(found):
                return low + int(found[0][0]), int(found[0][1])
    return None


def _wrapped(first: int, last: int, rows: int) -> list[tuple[int, int]]:
    """first:last modulo the number of rows, as slices that do not wrap."""
    if first >= rows:
        return [(first - rows, last - rows)]
    return [(first, min(last, rows))] + ([(0, last - rows)] if last > rows else [])
