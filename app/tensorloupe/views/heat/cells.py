"""From a viewport to an image, in the background: decode what is in view, reduce it if need be, give it colours.

Where every value has a pixel the stored values themselves are kept, in their own dtype, for the read-out; else a cell
stands for many, and says by which rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

import weightmap
from tensorloupe.colormaps import value_map
from tensorloupe.plots.shade import colors_of, image_of
from tensorloupe.tasks import Progress
from tensorloupe.views.heat.viewport import Viewport

Rule = Literal["max_abs", "mean", "rms"]
RULES: dict[Rule, str] = {"max_abs": "the largest", "mean": "the mean", "rms": "the root mean square"}
SOON = 1 << 24  # values in view from which on a sample is shown first


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of a tensor seen as a matrix of its last two axes."""
    if not shape:
        return 1, 1
    return (1, shape[0]) if len(shape) == 1 else (shape[-2], shape[-1])


@dataclass(frozen=True, slots=True)
class Request:
    """What to show: a place in the leading axes, a viewport, a rule for cells, colours. `fast` asks for a sample."""

    tensor: weightmap.Tensor
    index: tuple[int, ...]
    viewport: Viewport
    rule: Rule
    limit: float | None
    dark: bool
    fast: bool = False

    @property
    def large(self) -> bool:
        """Whether a sample is worth showing first."""
        (r0, r1), (c0, c1) = self.viewport.rows.window, self.viewport.columns.window
        return (r1 - r0) * (c1 - c0) > SOON


@dataclass(frozen=True, slots=True)
class Picture:
    """A finished image of rows[0]:rows[1] × columns[0]:columns[1], and the numbers behind it.

    values       (h, w): what the cells show; where `elements` the values themselves (of complex ones the magnitude)
    stored       (h, w): the values as stored, None where a cell stands for many
    bad          (h, w) bool: NaN or Inf in it
    row_edges, column_edges  the rows and columns that each cell stands for
    sampled      None, or which part was read
    """

    request: Request
    values: NDArray[Any]
    stored: NDArray[Any] | None
    bad: NDArray[np.bool_]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    elements: bool
    sampled: str | None
    image: QImage
    limit: float

    @property
    def rows(self) -> tuple[int, int]:
        """The window of rows."""
        return int(self.row_edges[0]), int(self.row_edges[-1])

    @property
    def columns(self) -> tuple[int, int]:
        """The window of columns."""
        return int(self.column_edges[0]), int(self.column_edges[-1])

    def cell(self, row: int, column: int) -> tuple[int, int] | None:
        """The indices of the cell that a value belongs to, None where it is not in the picture."""
        (r0, r1), (c0, c1) = self.rows, self.columns
        if not (r0 <= row < r1 and c0 <= column < c1):
            return None
        i = int(np.searchsorted(self.row_edges, row, side="right")) - 1
        return i, int(np.searchsorted(self.column_edges, column, side="right")) - 1


def decode(request: Request, limit: float, progress: Progress) -> Picture:
    """Read what is in view and paint it. Raises what reading raises, and weightmap.Cancelled."""
    view = request.viewport
    if view.elements:
        stored, rows, columns = _values(request)
        values = np.abs(stored) if stored.dtype.kind == "c" else stored
        bad = np.zeros(values.shape, np.bool_) if values.dtype.kind in "iub" else ~np.isfinite(values)
        sampled = None
    else:
        cells = request.tensor.heatmap(
            view.rows.cells,
            view.columns.cells,
            rows=view.rows.window,
            columns=view.columns.window,
            index=request.index,
            reduction=request.rule,
            sample="fast" if request.fast else None,
            progress=progress,
        )
        stored, values, bad, sampled = None, cells.cells, cells.bad, cells.sampled
        rows, columns = cells.row_edges, cells.column_edges
    image = image_of(colors_of(values, limit, value_map(request.dark), bad))
    return Picture(request, values, stored, bad, rows, columns, view.elements, sampled, image, limit)


def _values(request: Request) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    tensor, view = request.tensor, request.viewport
    (r0, r1), (c0, c1) = view.rows.window, view.columns.window
    if len(tensor.shape) < 2:
        values = np.asarray(tensor[c0:c1] if tensor.shape else tensor.array()).reshape(1, -1)
    else:
        values = np.asarray(tensor[(*request.index, slice(r0, r1), slice(c0, c1))])
    return np.array(values), np.arange(r0, r1 + 1), np.arange(c0, c1 + 1)


def recolored(picture: Picture, limit: float, dark: bool) -> Picture:
    """The same cells in other colours."""
    image = image_of(colors_of(picture.values, limit, value_map(dark), picture.bad))
    return replace(picture, image=image, limit=limit, request=replace(picture.request, limit=limit, dark=dark))


def rule_words(picture: Picture) -> str:
    """What one pixel is, in words: "the largest of 4 × 3 values"; empty where it is a value."""
    if picture.elements:
        return ""
    sizes = [np.diff(edges) for edges in (picture.row_edges, picture.column_edges)]
    tall, wide = (int(size.max(initial=1)) for size in sizes)
    uneven = any(len(size) and size.min() != size.max() for size in sizes)
    return f"{RULES[picture.request.rule]} of {'up to ' if uneven else ''}{tall:,} × {wide:,} values"


def next_nonfinite(
    tensor: weightmap.Tensor, index: tuple[int, ...], after: tuple[int, int], progress: Progress
) -> tuple[int, int] | None:
    """The next NaN or Inf in reading order after a position, from the start again at the end; None where there is none."""
    rows, columns = matrix_shape(tensor.shape)
    step = max(1, (1 << 18) // max(columns, 1))
    start = after[0]
    for number, first in enumerate(range(start, start + rows + 1, step)):
        if progress(number * step, rows + 1) is False:
            raise weightmap.Cancelled
        for low, high in _wrapped(first, min(first + step, start + rows + 1), rows):
            if len(tensor.shape) < 2:
                part = np.asarray(tensor[:] if tensor.shape else tensor.array()).reshape(1, -1)
            else:
                part = np.asarray(tensor[(*index, slice(low, high))])
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
