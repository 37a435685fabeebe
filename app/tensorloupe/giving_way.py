"""Background work that gives way to all other: between two pieces it waits until nothing else runs."""

from __future__ import annotations

import time
from collections.abc import Callable

import weightmap
from tensorloupe.task import Progress

_LOOK = 0.01  # seconds between two looks whether other work is done


def give_way(progress: Progress, done: int, total: int, busy: Callable[[], bool]) -> bool:
    """Report progress, then wait as long as others are busy. True, to be a progress callback's answer; raises Cancelled."""
    wanted = progress(done, total)
    while wanted and busy():
        time.sleep(_LOOK)
        wanted = progress(done, total)
    if not wanted:
        raise weightmap.Cancelled
    return True
