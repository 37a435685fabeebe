"""From a viewport to an image, in the background: decode what is in view, reduce it if need be, give it colours.

Where every value has a pixel the stored values themselves are kept, in their own dtype, for the read-out; else a cell
stands for many, and says by which rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from tensorloupe.plots.shade import color_of, colors_of, image_of, largest_of
from tensorloupe.readable import group_of
from tensorloupe.style.colormaps import size_map, value_map
from tensorloupe.task import Progress
from tensorloupe.views.heat.viewport import Viewport

if TYPE_CHECKING:
    from tensorloupe.readable import Readable

Rule = Literal["max_abs", "mean", "rms"]
RULES: dict[Rule, str] = {"max_abs": "the largest", "mean": "the mean", "rms": "the root mean square"}
SHARES = 0.99, 0.999, 1.0  # of the values that limits can be made to hold
FIRST = 1 << 22  # values that a first picture is made of, about
SOON = 1 << 24  # values in view from which on a sample is shown first
SMALL = 170, 250  # cells of the small map of the whole at most


@dataclass(frozen=True, slots=True)
class Request:
    """What to show: a place in the leading axes, a viewport, a rule for cells, colours.

    limit  colours run from minus this to this; 0 where it is not known yet
    share  of the whole matrix, where cells stand for many values, colours run up to what holds this share of the cells
    fast   asks for a sample
    sizes  colours run from 0 to limit, of what is below zero as of what is above; None where that is not known yet
    """

    tensor: Readable
    index: tuple[int, ...]
    viewport: Viewport
    rule: Rule
    limit: float
    share: float | None
    dark: bool
    fast: bool = False
    sizes: bool | None = False

    @property
    def count(self) -> int:
        """How many values are in view."""
        return self.viewport.count

    @property
    def large(self) -> bool:
        """Whether a sample is worth showing first."""
        return self.count > SOON


@dataclass(frozen=True, slots=True)
class Picture:
    """A finished image of rows[0]:rows[1] × columns[0]:columns[1], and the numbers behind it.

    values       (h, w): what the cells show; where `elements` the values themselves (of complex ones the magnitude)
    stored       (h, w): the values as stored, None where a cell stands for many
    bad          (h, w) bool: NaN or Inf in it
    row_edges, column_edges  the rows and columns that each cell stands for
    sampled      None, or which part was read
    small        the same in fewer cells, each the largest of those it stands for; where cells stand for many values, within
                 limits of its own: those of single values, as they are closer up, hold few of them
    cell_limits  where cells stand for many values: the limits that hold a share of the cells
    group        rows and columns of a block, or of what shares a scale; 0, 0 where there are none
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
    small: QImage
    limit: float
    cell_limits: dict[float, float]
    group: tuple[int, int]

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


def decode(request: Request, progress: Progress) -> Picture:
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
            sample=-(-request.count // FIRST) if request.fast else None,
            progress=progress,
        )
        stored, values, bad, sampled = None, cells.cells, cells.bad, cells.sampled
        rows, columns = cells.row_edges, cells.column_edges
    limits = {} if view.elements else _cell_limits(values)
    known = limits.get(request.share) if view.is_fitted and request.share is not None else None
    limit = known or request.limit or 1.0
    images = _images(values, bad, limit, request.dark, bool(request.sizes), view.elements)
    group = group_of(request.tensor)
    return Picture(request, values, stored, bad, rows, columns, view.elements, sampled, *images, limit, limits, group)


def _cell_limits(cells: NDArray[Any]) -> dict[float, float]:
    """Limits that hold a share of the cells. Cells that stand for many values all lie near the limits of single values."""
    sizes = np.abs(cells[np.isfinite(cells)])
    sizes.sort()
    limits = {share: float(sizes[round(share * (len(sizes) - 1))]) if len(sizes) else 0.0 for share in SHARES}
    return {share: limit for share, limit in limits.items() if limit > 0}


def _images(
    values: NDArray[Any], bad: NDArray[np.bool_], limit: float, dark: bool, sizes: bool, elements: bool
) -> tuple[QImage, QImage]:
    """The image of all cells, and one of fewer for the map of the whole."""
    whole = image_of(_shaded(values, bad, limit, dark, sizes))
    if elements and values.shape[0] <= SMALL[0] and values.shape[1] <= SMALL[1]:
        return whole, whole
    few, spoilt = largest_of(np.asarray(values, np.float64), *SMALL), largest_of(bad, *SMALL)
    own = limit if elements else _cell_limits(few).get(SHARES[0], limit)
    return whole, image_of(_shaded(few, spoilt, own, dark, sizes))


def _shaded(values: NDArray[Any], bad: NDArray[np.bool_], limit: float, dark: bool, sizes: bool) -> NDArray[np.uint8]:
    if sizes:
        return colors_of(np.abs(values) * 2.0 - limit, limit, size_map(dark), bad)
    return colors_of(values, limit, value_map(dark), bad)


def _values(request: Request) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    tensor, view = request.tensor, request.viewport
    (r0, r1), (c0, c1) = view.rows.window, view.columns.window
    if len(tensor.shape) < 2:
        values = np.asarray(tensor.read(slice(c0, c1) if tensor.shape else ...)).reshape(1, -1)
    else:
        values = tensor.read((*request.index, slice(r0, r1), slice(c0, c1)))
    return np.array(values), np.arange(r0, r1 + 1), np.arange(c0, c1 + 1)


def recolored(picture: Picture, limit: float, dark: bool, sizes: bool) -> Picture:
    """The same cells in other colours."""
    image, small = _images(picture.values, picture.bad, limit, dark, sizes, picture.elements)
    request = replace(picture.request, limit=limit, dark=dark, sizes=sizes)
    return replace(picture, image=image, small=small, limit=limit, request=request)


def all_recolored(pictures: Sequence[Picture], limit: float, dark: bool, sizes: bool) -> list[tuple[Picture, Picture]]:
    """Several pictures before and after."""
    return [(picture, recolored(picture, limit, dark, sizes)) for picture in pictures]


def color_in(picture: Picture, value: float) -> tuple[int, int, int]:
    """The colour that a value has in a picture."""
    limit, dark = picture.limit, picture.request.dark
    if picture.request.sizes:
        return color_of(abs(value) * 2.0 - limit, limit, size_map(dark))
    return color_of(value, limit, value_map(dark))


def rule_words(picture: Picture) -> str:
    """What one pixel is, in words: "the largest of 4 × 3 values"; empty where it is a value."""
    if picture.elements:
        return ""
    sizes = [np.diff(edges) for edges in (picture.row_edges, picture.column_edges)]
    tall, wide = (int(size.max(initial=1)) for size in sizes)
    uneven = any(len(size) and size.min() != size.max() for size in sizes)
    return f"{RULES[picture.request.rule]} of {'up to ' if uneven else ''}{tall:,} × {wide:,} values"
