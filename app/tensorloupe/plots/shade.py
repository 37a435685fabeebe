"""From values to colours: cells become pixels of the diverging map, what is not finite becomes the loud colour.

Done in the background, like all work on whole arrays; the window's thread only paints the finished image.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from tensorloupe.style.colormaps import NAN

Table = NDArray[np.uint8]


def indices(values: NDArray[Any], limit: float) -> NDArray[np.uint8]:
    """Places in a table of 256 colours, (…) uint8: -limit and below is 0, +limit and above 255; NaN gives 0."""
    scaled = np.asarray(values, np.float64) / limit
    np.nan_to_num(scaled, copy=False, nan=-1.0, posinf=1.0, neginf=-1.0)
    np.clip(scaled, -1.0, 1.0, out=scaled)
    scaled *= 127.5
    scaled += 127.5
    return np.rint(scaled, out=scaled).astype(np.uint8)


def colors_of(values: NDArray[Any], limit: float, table: Table, bad: NDArray[np.bool_] | None = None) -> Table:
    """RGB of each value, (h, w, 3) uint8, centred on zero. `bad` marks the cells to paint as not finite."""
    if bad is None:
        bad = ~np.isfinite(values) if values.dtype.kind in "fc" else np.zeros(values.shape, np.bool_)
    with np.errstate(invalid="ignore"):
        rgb: Table = table[indices(values, limit)]
    rgb[bad] = NAN
    return rgb


def color_of(value: float, limit: float, table: Table) -> tuple[int, int, int]:
    """RGB of one value: the swatch of the read-out."""
    r, g, b = colors_of(np.array([[value]]), limit, table)[0, 0]
    return int(r), int(g), int(b)


def image_of(rgb: Table) -> QImage:
    """An image that owns its pixels, (h, w, 3) uint8 in, 32 bits a pixel out (what Qt paints fastest)."""
    height, width = rgb.shape[:2]
    argb = np.empty((height, width, 4), np.uint8)
    argb[..., :3] = rgb[..., ::-1]
    argb[..., 3] = 255
    return QImage(argb.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def largest_of(cells: NDArray[Any], height: int, width: int) -> NDArray[Any]:
    """Fewer cells of a matrix, each the value of largest magnitude of those it stands for; NaN counts as none.

    Of truth values: whether any of them is true.
    """
    h, w = cells.shape
    if not h or not w:
        return cells
    rows = np.linspace(0, h, min(height, h) + 1).astype(np.intp)[:-1]
    columns = np.linspace(0, w, min(width, w) + 1).astype(np.intp)[:-1]
    finite = cells if cells.dtype.kind == "b" else np.nan_to_num(cells, nan=0.0)
    highest = np.maximum.reduceat(np.maximum.reduceat(finite, rows, axis=0), columns, axis=1)
    if cells.dtype.kind == "b":
        return highest
    lowest = np.minimum.reduceat(np.minimum.reduceat(finite, rows, axis=0), columns, axis=1)
    return np.where(highest >= -lowest, highest, lowest)
