"""What of the map of bytes is too narrow for a name, as one row of pixels to be stretched over the bar.

A model may have twenty thousand tensors, and each stretch that is painted by itself is a handful of calls to Qt, which
wait for Python while anything else runs. So all colours of the bar are worked out at once, and painted in one call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from tensorloupe.items.bytemap import MISSING, TENSOR, Stretches
from tensorloupe.items.outline import RANKS, Outline
from tensorloupe.panels.axis import shade
from tensorloupe.style.colors import Colors

_NOTHING, _HEADER, _SERIES, _SHADE, _GAP, _GONE = range(6)


class Strip:
    """The colours of a bar of so many device pixels that shows the line from `first` to `last`.

    alternate  numbers whose parity tells neighbours apart, one for each tensor
    missing    whether what is promised and not there is coloured too
    unreadable  of each stretch, whether its bytes are there and its values cannot be given all the same
    """

    def __init__(
        self,
        map_: Stretches,
        outline: Outline,
        ends: tuple[float, float],
        pixels: int,
        alternate: NDArray[np.int64],
        missing: bool,
    ) -> None:
        self._scale = pixels / (ends[1] - ends[0])
        self._first, self._pixels = ends[0], pixels
        kind, number = map_.kind, np.maximum(map_.number, 0)
        owned = kind == TENSOR
        broken = (outline.share >= 1) & (outline.rank == RANKS["error"])
        self.unreadable = owned & broken[number] if broken.size else np.zeros(kind.size, np.bool_)
        codes = np.array([_HEADER, _SERIES, _GAP, _GONE if missing else _NOTHING, _NOTHING])[kind]
        if outline.tensors:
            codes[owned] = np.where(alternate[number[owned]] % 2, _SERIES, _SHADE)
        codes[self.unreadable] = _GONE
        self.colors = self._spread(map_, codes, np.flatnonzero(self.unreadable | ((kind == MISSING) & missing)))
        warned = np.zeros(kind.size, np.int64)
        if outline.tensors:
            warned[owned & (outline.rank[number] == RANKS["warning"])] = 1
        self.warned = self._spread(map_, warned, np.flatnonzero(warned))

    def _spread(self, map_: Stretches, codes: NDArray[np.int64], shown: NDArray[np.int64]) -> NDArray[np.int64]:
        """The code under the middle of each pixel, (pixels,); those of `shown` have a pixel however narrow they are."""
        middles = self._first + (np.arange(self._pixels) + 0.5) / self._scale
        under = np.searchsorted(map_.start, middles, side="right") - 1
        there = (under >= 0) & (middles < map_.end[np.maximum(under, 0)]) if map_.start.size else np.zeros(0, np.bool_)
        spread = np.zeros(self._pixels, np.int64)
        if there.any():
            spread[there] = codes[under[there]]
        pixel = np.floor((map_.start[shown] - self._first) * self._scale).astype(np.int64)
        inside = (pixel >= 0) & (pixel < self._pixels)
        spread[pixel[inside]] = codes[shown[inside]]
        return spread

    def paint(self, painter: QPainter, colors: Colors, width: int, height: int, edge: int) -> None:
        """Fill the bar; what has a warning gets its edge at the bottom."""
        base = (colors.header_bytes, colors.series, shade(colors.series, colors.base), colors.strong, colors.error)
        _paint(painter, self.colors, base, QRectF(0, 0, width, height))
        if self.warned.any():
            _paint(painter, self.warned, (colors.warning,), QRectF(0, height - edge, width, edge))


def _paint(painter: QPainter, codes: NDArray[np.int64], colors: tuple[str, ...], place: QRectF) -> None:
    """Stretch a row of pixels over a place; code 0 is none, the others are colours in this order."""
    table = np.array([0, *(QColor(color).rgba() for color in colors)], dtype=np.uint32)
    row = table[codes]
    painter.drawImage(place, QImage(row.data, row.size, 1, row.nbytes, QImage.Format.Format_ARGB32))
