"""The exact range of elements that know bounds of their runs: only runs that may hold an extreme value are decoded.

Scales are made to fit the largest value of what they scale, so the bound of a run is nearly always reached in it, and a
few of them are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.range import Range
from weightmap.reading.elements import Elements, Spans
from weightmap.reading.sweep import Meter, workspace

WORTH = 4  # where a quarter of all elements had to be decoded, reading them all is no worse


def spanned_range(elements: Elements, *, meter: Meter) -> Range | None:
    """The exact range of all values, or None where no bounds are known or they do not help."""
    spans = elements.spans()
    if spans is None:
        return None
    found, left = Range(), elements.count // WORTH
    seen = np.zeros(len(spans.low), np.bool_)
    ends: tuple[tuple[NDArray[np.float32], Callable[[], float | int | None]], ...] = (
        (-spans.high, lambda: found.high),
        (spans.low, lambda: None if found.low is None else found.low),
    )
    for sign, (bounds, reached) in zip((-1, 1), ends, strict=True):
        for run in np.argsort(bounds, kind="stable").tolist():
            at = reached()
            if at is not None and sign * float(at) <= float(bounds[run]):
                break
            if not seen[run]:
                seen[run] = True
                left -= int(spans.edges[run + 1] - spans.edges[run])
                if left < 0:
                    return None
                _take_in(elements, spans, run, found, meter)
    meter.finish(elements.count)
    return found


def _take_in(elements: Elements, spans: Spans, run: int, found: Range, meter: Meter) -> None:
    """Widen the range by the values of one run."""
    start, stop, chunk = int(spans.edges[run]), int(spans.edges[run + 1]), elements.chunk()
    with workspace() as work:
        for at in range(start, stop, chunk):
            values: NDArray[Any] = work.array("values", (min(chunk, stop - at),), elements.value)
            elements.read(at, at + len(values), values, work)
            found.add(values.min().item(), values.max().item())
            meter.show(0)
