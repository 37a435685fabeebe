"""The smallest and the largest finite value, exactly: what a histogram has to know before it counts."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Meter, Work, sweep
from weightmap.types.workspace import Workspace

Number = float | int


class Range:
    """Smallest and largest of many numbers, None before there is one; Python's own float or int, so exact for every dtype."""

    __slots__ = ("high", "inf", "low", "nan")

    def __init__(self) -> None:
        self.low: Number | None = None
        self.high: Number | None = None
        self.nan = self.inf = 0  # what was met beside numbers

    def add(self, low: Number, high: Number) -> None:
        """Take in numbers from low to high."""
        if self.low is None or low < self.low:
            self.low = low
        if self.high is None or high > self.high:
            self.high = high


def value_range(elements: Elements, *, threads: int | None, meter: Meter) -> Range:
    """The range of all finite values, by reading every one."""
    found, lock = Range(), threading.Lock()

    def worker(work: Workspace) -> Work:
        def look(start: int, stop: int) -> None:
            values = work.array("values", (stop - start,), elements.value)
            elements.read(start, stop, values, work)
            low, high = values.min(), values.max()
            nan = inf = 0
            if not (np.isfinite(low) and np.isfinite(high)):
                values, nan, inf = without_nonfinite(values)
                low, high = (values.min(), values.max()) if values.size else (None, None)
            with lock:
                found.nan, found.inf = found.nan + nan, found.inf + inf
                if values.size:
                    found.add(low.item(), high.item())

        return look

    sweep(elements.count, elements.chunk(), worker, threads=threads, meter=meter)
    return found


def without_nonfinite(values: NDArray[Any]) -> tuple[NDArray[Any], int, int]:
    """(the finite values, how many are NaN, how many are infinite); the array itself where all are finite."""
    if values.dtype.kind != "f" or (np.isfinite(values.min()) and np.isfinite(values.max())):
        return values, 0, 0
    nan, inf = int(np.count_nonzero(np.isnan(values))), int(np.count_nonzero(np.isinf(values)))
    return values[np.isfinite(values)], nan, inf
