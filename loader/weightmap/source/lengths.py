"""The lengths between the strings of an array, made such that all of it is text exactly where every string is.

A length below 128 is ASCII: no string can end, or begin, in the middle of a character without the ASCII beside it showing
it. Larger lengths are blanked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.source.byte_source import Bytes

Positions = NDArray[np.int64] | NDArray[np.uint32]

ASCII = 128  # bytes: a length below it is ASCII
AT_ONCE = 1 << 16  # strings whose lengths are compared at once


def long_ones(places: Positions, width: int) -> NDArray[np.int64]:
    """Which of the length fields at `places`, of `width` bytes, are not ASCII, in order; the last of the places is the end."""
    found = [np.empty(0, np.int64)]
    for first in range(0, len(places) - 1, AT_ONCE):
        near = places[first : first + AT_ONCE + 1]
        sizes = near[1:] - near[:-1]
        if np.maximum.reduce(sizes) >= ASCII + width:
            found.append(near[:-1][sizes >= ASCII + width].astype(np.int64))
    return np.concatenate(found)


def blank(places: NDArray[np.int64], width: int, at: int, out: Bytes) -> None:
    """Set to zero what lies in `out`, which begins at `at`, of the length fields at `places`, of `width` bytes."""
    low, high = places.searchsorted(at - width + 1), places.searchsorted(at + len(out))
    if low < high:
        inside = ((places[low:high] - at)[:, None] + np.arange(width)).ravel()
        out[inside[(inside >= 0) & (inside < len(out))]] = 0
