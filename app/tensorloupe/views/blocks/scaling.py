"""The scales of a tensor as a picture: worked out in the background, coloured by size, read back under the pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

import weightmap
from tensorloupe.plots.shade import image_of
from tensorloupe.style.colormaps import NAN, size_map
from tensorloupe.task import Progress

Which = Literal["scale", "minimum"]
MOST = 640, 512  # cells of the picture at most, down and across
WITHIN = 0.995  # of the cells lie below the end of the colours


@dataclass(frozen=True, slots=True)
class ScalePicture:
    """The scales at one place of the leading axes.

    cells, bad  (h, w): the scale of largest magnitude in each cell, and whether one is NaN or Inf
    row_edges, column_edges  the rows and the sub-blocks that each cell stands for
    top         the magnitude at which the colours end; `largest` the largest there is
    """

    tensor: weightmap.Tensor
    index: tuple[int, ...]
    which: Which
    cells: NDArray[Any]
    bad: NDArray[np.bool_]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    top: float
    largest: float

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return int(self.row_edges[-1])

    @property
    def subs(self) -> int:
        """Sub-blocks in a row."""
        return int(self.column_edges[-1])

    def image(self, dark: bool) -> QImage:
        """The cells in the colours of sizes."""
        with np.errstate(invalid="ignore"):
            sizes = np.abs(np.nan_to_num(self.cells, nan=0.0, posinf=0.0, neginf=0.0)) / (self.top or 1.0)
        rgb = size_map(dark)[np.rint(np.clip(sizes, 0, 1) * 255).astype(np.uint8)]
        rgb[self.bad] = NAN
        return image_of(rgb)


def scale_picture(tensor: weightmap.Tensor, index: tuple[int, ...], which: Which, progress: Progress) -> ScalePicture:
    """Read all scales at one place of the leading axes. Raises what reading raises, and weightmap.Cancelled."""
    found = tensor.scale_heatmap(*MOST, index=index, which=which, progress=progress)
    sizes = np.abs(found.cells[np.isfinite(found.cells)])
    largest = float(sizes.max(initial=0.0))
    top = float(np.quantile(sizes, WITHIN)) if len(sizes) else 0.0
    return ScalePicture(
        tensor, index, which, found.cells, found.bad, found.row_edges, found.column_edges, top or largest, largest
    )


@dataclass(frozen=True, slots=True)
class Survey:
    """What stands out among the blocks of a tensor: their numbers. `broken` are those with a scale that is NaN or Inf."""

    largest: int | None
    smallest: int | None
    broken: tuple[int, ...]


MOST_BROKEN = 1000
AT_ONCE = 1 << 20  # scales read at a time


def survey(tensor: weightmap.Tensor, progress: Progress) -> Survey:
    """Look at every scale and minimum for the blocks that stand out. Raises what reading raises, and Cancelled."""
    kind, shape = tensor.type, tensor.shape
    subs = shape[-1] // kind.sub_elements
    rows = shape[-2] if len(shape) > 1 else 1
    leading = shape[:-2] if len(shape) > 2 else ()
    step = max(1, AT_ONCE // max(subs, 1))
    most: tuple[float, int | None] = (-1.0, None)
    least: tuple[float, int | None] = (float("inf"), None)
    broken: set[int] = set()
    total = int(np.prod(leading, dtype=np.int64)) * rows
    for number, index in enumerate(np.ndindex(*leading)):
        for first in range(0, rows, step):
            if progress(number * rows + first, total) is False:
                raise weightmap.Cancelled
            last = min(first + step, rows)
            base = (number * rows + first) * subs
            for which in ("scale", "minimum") if _has_minima(tensor) else ("scale",):
                found = tensor.scale_heatmap(last - first, subs, rows=(first, last), index=index, which=which)
                broken.update((base + np.flatnonzero(found.bad)[:MOST_BROKEN]) // kind.groups)
                if which == "scale":
                    sizes = np.abs(found.cells).reshape(-1)
                    sizes[found.bad.reshape(-1)] = np.nan
                    if np.isnan(sizes).all():
                        continue
                    high, low = int(np.nanargmax(sizes)), int(np.nanargmin(sizes))
                    most = max(most, (float(sizes[high]), (base + high) // kind.groups), key=lambda pair: pair[0])
                    least = min(least, (float(sizes[low]), (base + low) // kind.groups), key=lambda pair: pair[0])
    return Survey(most[1], least[1], tuple(sorted(int(n) for n in broken)[:MOST_BROKEN]))


def _has_minima(tensor: weightmap.Tensor) -> bool:
    return any(field.role == "minimum" for field in tensor.type.anatomy)
