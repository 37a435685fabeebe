"""A heatmap as the bytes of a PNG, by way of zlib alone, in the colours for light and for dark pages."""

from __future__ import annotations

import base64
import struct
import zlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.heatmap import Heatmap

SIZES = {
    False: ("F3F1F7", "C9BFE0", "8F79BF", "54379B", "2B1266"),
    True: ("22202B", "443566", "73589F", "AC90D2", "EADFFB"),
}  # stops of the colours for sizes from 0 to the upper limit, on light and on dark pages
NOT_FINITE = "60FF00"
_BAD = 255


def colour(share: float, dark: bool) -> str:
    """The colour of a size between 0 and 1, as six hexadecimal digits."""
    stops = np.array([list(bytes.fromhex(stop)) for stop in SIZES[dark]], np.float64)
    at = np.linspace(0, 1, len(stops))
    return "".join(f"{round(float(np.interp(share, at, stops[:, channel]))):02X}" for channel in range(3))


@cache
def _palette(dark: bool) -> bytes:
    """255 colours of sizes, and one for what is not finite."""
    return bytes.fromhex("".join(colour(step / 254, dark) for step in range(255)) + NOT_FINITE)


def picture(heatmap: Heatmap, limit: float, dark: bool) -> str:
    """The cells, which are sizes, as a data URI: from 0 to `limit`, those with NaN or Inf in a loud colour."""
    with np.errstate(invalid="ignore"):
        shares = np.clip(heatmap.cells / limit if limit > 0 else heatmap.cells * 0, 0, 1)
    steps = np.where(np.isfinite(shares), np.rint(shares * 254), 0).astype(np.uint8)
    steps[heatmap.bad | ~np.isfinite(heatmap.cells)] = _BAD
    return "data:image/png;base64," + base64.b64encode(encoded(steps, _palette(dark))).decode("ascii")


def encoded(steps: NDArray[np.uint8], palette: bytes) -> bytes:
    """An indexed PNG: steps (height, width) into a palette of three bytes each."""
    height, width = steps.shape
    lines = np.zeros((height, width + 1), np.uint8)  # each line begins with the number of its filter: none
    lines[:, 1:] = steps
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
