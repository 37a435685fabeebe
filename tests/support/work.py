"""Work as a number that is the same on every machine: lines of weightmap that ran, instead of seconds that they took."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import weightmap

HOME = str(Path(weightmap.__file__).parent)


def lines(work: Callable[[], object], most: int = 10_000_000) -> int:
    """How many lines of weightmap run, each turn of a loop counted; what C does in one of them counts as one.

    Work that is not over after `most` of them fails, so that what has no end is a failure too.
    """
    ran = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal ran
        if event == "call":
            return count if frame.f_code.co_filename.startswith(HOME) else None
        ran += event == "line"
        assert ran <= most, f"more than {most:,} lines"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return ran


def assert_linear(work: Callable[[int], Callable[[], object]], few: int) -> None:
    """Twice as much is at most a little more than twice the work. `work(number)` makes what is then run and counted."""
    once, twice = (lines(work(number)) for number in (few, 2 * few))
    assert twice <= 2.2 * once, f"{once:,} lines for {few:,}, {twice:,} for {2 * few:,}"
