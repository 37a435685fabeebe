"""A tensor of any rank seen as matrices: one of them, and the part of it that is looked at."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from weightmap.reading.slices import flat_index


@dataclass(frozen=True, slots=True)
class Window:
    """Rows and columns (first, one past the last) of one matrix that begins at flat element `start`, `stride` wide."""

    start: int
    stride: int
    rows: tuple[int, int]
    columns: tuple[int, int]

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.columns[1] - self.columns[0]


def window(
    shape: tuple[int, ...],
    rows: tuple[int, int] | None = None,
    columns: tuple[int, int] | None = None,
    index: Sequence[int] = (),
) -> Window:
    """The last two axes of `shape` at `index` of the leading ones. One axis is a row, none a single element.

    IndexError for an index outside of its axis, ValueError for another number of indices or a window outside of the matrix.
    """
    leading, matrix = shape[:-2], (1, 1, *shape)[-2:]
    if not hasattr(index, "__len__"):
        raise TypeError(f"index has a whole number for each leading axis, such as (0,); got {index!r}")
    if len(index) != len(leading):
        raise ValueError(
            f"a tensor of {len(shape)} axes needs {len(leading)} indices to show a matrix; got {len(index)}"
        )
    flat = flat_index(index, leading)
    seen = [
        (0, size) if part is None else _inside(part, size) for part, size in zip((rows, columns), matrix, strict=True)
    ]
    return Window(flat * matrix[0] * matrix[1], matrix[1], seen[0], seen[1])


def _inside(part: tuple[int, int], size: int) -> tuple[int, int]:
    try:
        first, last = map(operator.index, part)
    except (TypeError, ValueError):
        raise TypeError(f"a window is two whole numbers, the first and one past the last; got {part!r}") from None
    if not 0 <= first <= last <= size:
        raise ValueError(f"a window from {first} to {last} does not lie within 0 to {size}")
    return first, last
