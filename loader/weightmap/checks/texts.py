"""Which strings of an array are not UTF-8: all bytes are judged at once, and only where that fails string by string.

The strings are judged with the lengths between them. A length below 128 is ASCII, so the whole is UTF-8 just where every
string is: none can end, or begin, in the middle of a character without the ASCII beside it showing it. Larger lengths are
blanked first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.checks.utf8 import Utf8
from weightmap.formats.gguf_values import StringArray
from weightmap.source.byte_source import Bytes
from weightmap.source.strings import ASCII, Lying, Positions

AT_ONCE = 1 << 16  # strings whose lengths are compared at once


def not_utf8(strings: StringArray, judge: Utf8) -> list[int]:
    """Indexes of the strings that are not UTF-8. Reads the array once, and again what is unsound."""
    starts, source = strings.starts, strings.source
    long = None if starts.short else _long(starts)

    def read(at: int, out: Bytes) -> None:
        source.read_into(starts.base + at, out)
        if long is not None:
            _blank(long, starts.width, at, out)

    bad: list[int] = []
    judged = 0
    for begin, end in judge.unsound(starts.end - starts.base, read):
        first = max(judged, _behind(starts.places, begin) - 1)
        judged = max(judged, min(_behind(starts.places, end - 1), starts.count))
        words = enumerate(strings.raw(first, judged), first)
        # what is ignored is gone: no exception for each of a million words that a hostile file may have
        bad += [n for n, word in words if len(word.decode("utf-8", "ignore").encode()) < len(word)]
    return bad


def _long(starts: Lying) -> NDArray[np.int64]:
    """Where the lengths lie that are not ASCII, counted from where `starts` counts, in order."""
    found = [np.empty(0, np.int64)]
    for first in range(0, starts.count, AT_ONCE):
        places = starts.places[first : first + AT_ONCE + 1]
        sizes = places[1:] - places[:-1]
        if np.maximum.reduce(sizes) >= ASCII + starts.width:
            found.append(places[:-1][sizes >= ASCII + starts.width].astype(np.int64))
    return np.concatenate(found)


def _blank(places: NDArray[np.int64], width: int, at: int, out: Bytes) -> None:
    """Set to zero what lies in `out`, which begins at `at`, of the lengths at `places`."""
    low, high = places.searchsorted(at - width + 1), places.searchsorted(at + len(out))
    if low < high:
        inside = ((places[low:high] - at)[:, None] + np.arange(width)).ravel()
        out[inside[(inside >= 0) & (inside < len(out))]] = 0


def _behind(places: Positions, at: int) -> int:
    """Index of the first string that begins behind `at`."""
    return int(np.searchsorted(places, places.dtype.type(at), "right"))
