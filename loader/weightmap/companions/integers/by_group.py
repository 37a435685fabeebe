"""Arithmetic group by group: codes are widened a block of rows at a time, and each step is then done to it in place.

numpy would widen codes in pieces of its own while it scales them, which takes longer. And it is quick at rows of whole groups that
lie together; where a row ends within a group, the numbers of groups are rather written once for every column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.grids.factors import by_rows
from weightmap.companions.integers.groups import Groups
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace

BLOCK = 1 << 18  # values that are computed at a time: they stay near, and what numpy takes to begin does not count

Step = tuple[np.ufunc, Floats]  # what is done with a number for each row and group


@dataclass(frozen=True, slots=True)
class Span:
    """Columns of a rectangle and which of the groups first:last they are in.

    parts  (columns, groups counted from `first` on, columns of a group) side by side
    wide   None, or which columns they are once each number is written for all columns of a group, and how many these are
    """

    first: int
    last: int
    parts: tuple[tuple[slice, slice, int], ...]
    wide: tuple[slice, int] | None = None


def span(groups: Groups, left: int, right: int) -> Span:
    """That of columns left:right."""
    size, width = groups.size, right - left
    first, last = left // size, -(-right // size)
    parts = tuple(groups.cuts(left, right))
    begin = left - first * size
    spread = len(parts) > 1 and (last - first) * size <= 2 * width
    return Span(first, last, parts, (slice(begin, begin + width), size) if spread else None)


def applied(
    codes: NDArray[Any], less: Bytes | None, steps: list[Step], over: Span, out: Floats, work: Workspace
) -> None:
    """Take each step to the codes (rows, columns) and write the values to `out`.

    less  None, or what is taken off before anything else, (rows, groups): codes are bytes, and differences fit a signed one;
          they are left in their place
    """
    height = max(BLOCK // max(codes.shape[1], 1), 1)
    for top in range(0, len(codes), height):
        rows = slice(top, top + height)
        source, values = codes[rows], out[rows]
        if less is not None:
            if over.wide is None and not source.flags.c_contiguous:
                centred = work.array("centred", values.shape, np.uint8)
                np.copyto(centred, source)
                source = centred
            _spread(np.subtract, source, less[rows], over)
            source = source.view(np.int8)
        np.copyto(values, source)
        for operation, numbers in steps:
            _spread(operation, values, numbers[rows], over)


def _spread(operation: np.ufunc, values: NDArray[Any], numbers: NDArray[Any], over: Span) -> None:
    """`operation` with one number for each row and group, in place."""
    if over.wide is not None:
        columns, size = over.wide
        by_rows(operation, values, np.repeat(numbers, size, axis=1)[:, columns])
        return
    for part, one in _parts(values, numbers, over):
        operation(part, one, out=part)


def _parts(values: NDArray[Any], numbers: NDArray[Any], over: Span) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for columns, groups, size in over.parts:
        part = values[:, columns]
        if part.flags.c_contiguous:  # one axis for all groups is what numpy handles quickest
            yield part.reshape(-1, size), numbers[:, groups].reshape(-1, 1)
        else:
            yield part.reshape(len(part), -1, size), numbers[:, groups, None]
