"""Which strings of an array are not UTF-8: all bytes are judged at once, and only where that fails string by string.

The strings are judged with the lengths between them (`source.lengths`), from where the walk over them stopped judging on.
"""

from __future__ import annotations

import numpy as np

from weightmap.formats.gguf_values import StringArray
from weightmap.source.byte_source import Bytes
from weightmap.source.lengths import Positions, blank, long_ones
from weightmap.source.utf8 import Utf8


def not_utf8(strings: StringArray, judge: Utf8) -> list[int]:
    """Indexes of the strings that are not UTF-8. Reads what is not proven of the array once, and again what is unsound."""
    starts, source = strings.starts, strings.source
    judged = starts.proven
    if judged == starts.count:
        return []
    long = None if starts.short else long_ones(starts.places[judged:], starts.width)
    start = int(starts.places[judged])

    def read(at: int, out: Bytes) -> None:
        source.read_into(starts.base + start + at, out)
        if long is not None:
            blank(long, starts.width, start + at, out)

    bad: list[int] = []
    for begin, end in judge.unsound(starts.end - starts.base - start, read):
        first = max(judged, _behind(starts.places, start + begin) - 1)
        judged = max(judged, min(_behind(starts.places, start + end - 1), starts.count))
        words = enumerate(strings.raw(first, judged), first)
        # what is ignored is gone: no exception for each of a million words that a hostile file may have
        bad += [n for n, word in words if len(word.decode("utf-8", "ignore").encode()) < len(word)]
    return bad


def _behind(places: Positions, at: int) -> int:
    """Index of the first string that begins behind `at`."""
    return int(np.searchsorted(places, places.dtype.type(at), "right"))
