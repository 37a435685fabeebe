"""The two colour maps as tables of 256 colours: one for values around zero, one for sizes.

Values run from blue over the background's own shade at zero to orange, with lightness monotonic on both sides, so that a
grey print still shows size and every kind of colour sight tells +x from -x. Sizes run along one hue, violet.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

_VALUES = {
    False: ("0A3169", "2A66AE", "8DB5DC", "F7F7F5", "F1B27A", "C65A12", "6E2B05"),
    True: ("A9D2FF", "4C93DD", "1F4A78", "1B1D21", "73401B", "DA7B2C", "FFCE9A"),
}
_SIZES = {
    False: ("F3F1F7", "C9BFE0", "8F79BF", "54379B", "2B1266"),
    True: ("22202B", "443566", "73589F", "AC90D2", "EADFFB"),
}
NAN = (0x60, 0xFF, 0x00)
_MIDDLE = (1.05 * 0.05) ** 0.5 - 0.05  # the luminance on which black and white are read alike


def _table(stops: tuple[str, ...]) -> NDArray[np.uint8]:
    """256 colours through the stops, evenly spaced and linear between them: (256, 3) uint8, read-only."""
    colors = np.array([[int(stop[i : i + 2], 16) for i in (0, 2, 4)] for stop in stops], dtype=np.float64)
    at = np.linspace(0, len(stops) - 1, 256)
    table = np.stack([np.interp(at, np.arange(len(stops)), colors[:, channel]) for channel in range(3)], axis=1)
    rounded: NDArray[np.uint8] = np.rint(table).astype(np.uint8)
    rounded.setflags(write=False)
    return rounded


@cache
def value_map(dark: bool) -> NDArray[np.uint8]:
    """Colours for values and signed errors, (256, 3) uint8: index 0 is the lower limit, 127 and 128 straddle zero."""
    return _table(_VALUES[dark])


@cache
def size_map(dark: bool) -> NDArray[np.uint8]:
    """Colours for sizes from 0 (index 0) to the upper limit (255), (256, 3) uint8."""
    return _table(_SIZES[dark])


def black_reads(colors: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether black (else white) is read better on each colour, (..., 3) -> (...): either way at least 4.58:1.

    By the relative luminance of WCAG 2.2; both contrasts are equal where it is 0.179.
    """
    share = colors / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]) > _MIDDLE)


def ink_on(color: QColor) -> QColor:
    """Black or white, whichever is read better on a colour."""
    return QColor(
        Qt.GlobalColor.black if _black_reads(color.red(), color.green(), color.blue()) else Qt.GlobalColor.white
    )


@lru_cache(4096)
def _black_reads(red: int, green: int, blue: int) -> bool:  # asked at each label that is painted
    return bool(black_reads(np.array([red, green, blue], dtype=np.uint8)))
