"""Arithmetic group by group: codes are widened a block of rows at a time, and each step is then done to it in place.

numpy would widen codes in pieces of its own while it scales them, which takes longer; and it goes over rows of whole groups in
half the time that it takes for others, so a short group at the end of a row is filled up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.groups import Groups
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace

BLOCK = 1 << 18  # values that are computed at a time: they stay near, and what numpy takes to begin does not count

Step = tuple[np.ufunc, Floats]  # what is done with a number for each row and group


@dataclass(frozen=True, slots=True)
class Span:
    """Columns of a rectangle and which of the groups first:last they are in.

    parts   (columns, groups counted from `first` on, columns of a group) side by side
    filled  columns once the last group is filled up
    """

    first: int
    last: int
    parts: tuple[tuple[slice, slice, int], ...]
    filled: int


def span(groups: Groups, left: int, right: int) -> Span:
    """That of columns left:right."""
    size, width = groups.size, right - left
    first, last = left // size, -(-right // size)
    parts = tuple(groups.cuts(left, right))
    if left % size or len(parts) == 1:
        return Span(first, last, parts, width)
    filled = (last - first) * size
    return Span(first, last, ((slice(0, filled), slice(0, last - first), size),), filled)


def applied(
    codes: NDArray[Any], less: Bytes | None, steps: list[Step], over: Span, out: Floats, work: Workspace
) -> None:
    """Take each step to the codes (rows, columns) and write the values to `out`.

    less  None, or what is taken off before anything else, (rows, groups): codes are bytes, and differences fit a signed one
    """
    width = codes.shape[1]
    height = max(BLOCK // max(over.filled, 1), 1)
    for top in range(0, len(codes), height):
        rows = slice(top, top + height)
        source, target = codes[rows], out[rows]
        values = target
        if over.filled != width:
            values = work.array("whole groups", (len(target), over.filled), np.float32)
            values[:, width:] = 0
        if less is not None:
            centred = work.array("centred", values.shape, np.uint8)
            centred[:, :width] = source
            centred[:, width:] = 0
            _spread(np.subtract, centred, less[rows], over)
            source = centred[:, :width].view(np.int8)
        np.copyto(values[:, :width], source)
        for operation, numbers in steps:
            _spread(operation, values, numbers[rows], over)
        if over.filled != width:
            np.copyto(target, values[:, :width])


def _spread(operation: np.ufunc, values: NDArray[Any], numbers: NDArray[Any], over: Span) -> None:
    """`operation` with one number for each row and group, in place."""
    for part, one in _parts(values, numbers, over):
        operation(part, one, out=part)


def _parts(values: NDArray[Any], numbers: NDArray[Any], over: Span) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for columns, groups, size in over.parts:
        part = values[:, columns]
        if part.flags.c_contiguous:  # one axis for all groups is what numpy handles quickest
            yield part.reshape(-1, size), numbers[:, groups].reshape(-1, 1)
        else:
            yield part.reshape(len(part), -1, size), numbers[:, groups, None]
