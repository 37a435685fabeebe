"""Tells the C library to give freed memory back: left alone, it keeps ever larger holes that the next picture does not fit.

glibc asks the system for a large piece by itself, and gives it back when it is freed, only as long as none of that size was
freed before; from then on such pieces lie between what stays, in memory of each thread's own. Images and arrays of a few
megabytes come and go with each selection: after some hundreds the program would hold much more than it uses.
"""

from __future__ import annotations

import sys
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as glibc's malloc.h numbers them
_LARGE = 1 << 19  # bytes from which on a piece is always the system's own, and goes back at once
_SPARE = 1 << 22  # bytes that each thread may keep free behind what is in use


@cache
def hold_less() -> bool:
    """Say so, once; False where the C library has no such option. Loads ctypes: call it in the background."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(option(_MMAP_THRESHOLD, _LARGE)) and bool(option(_TRIM_THRESHOLD, _SPARE))
