"""The exact range of elements that know bounds of their runs: only runs that may hold an extreme value are decoded.

Scales are made to fit the largest value of what they scale, so the bound of a run is nearly always reached in it, and a
few of them are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.range import Range, without_nonfinite
from weightmap.reading.elements import Elements, Spans
from weightmap.reading.sweep import Meter, workspace
from weightmap.types.workspace import Workspace

WORTH = 4  # where a quarter of all elements had to be decoded, reading them all is no worse
TRIED = 3  # runs after which what else may hold an extreme is seen: the most promising ones nearly always hold it


def spanned_range(elements: Elements, spans: Spans | None, *, meter: Meter) -> Range | None:
    """The exact range of all finite values, or None where no bounds are known or they do not help."""
    if spans is None:
        return None
    found, left = Range(), elements.count // WORTH
    seen, sizes = np.zeros(len(spans.low), np.bool_), np.diff(spans.edges)
    ends: tuple[tuple[NDArray[np.float32], Callable[[], float | int | None]], ...] = (
        (-spans.high, lambda: found.high),
        (spans.low, lambda: None if found.low is None else found.low),
    )
    for sign, (bounds, reached) in zip((-1, 1), ends, strict=True):
        for tried, run in enumerate(np.argsort(bounds).tolist()):
            at = reached()
            if at is not None and sign * float(at) <= float(bounds[run]):
                break
            if tried == TRIED and at is not None and int(sizes[(bounds < sign * float(at)) & ~seen].sum()) > left:
                return None
            if not seen[run]:
                seen[run] = True
                left -= int(sizes[run])
                if left < 0:
                    return None
                _take_in(elements, spans, run, found, meter)
    meter.finish(elements.count)
    return found


def _take_in(elements: Elements, spans: Spans, run: int, found: Range, meter: Meter) -> None:
    """Widen the range by the values of one run."""
    with workspace() as work:
        for values in _values(elements, spans, run, work):
            numbers = without_nonfinite(values)[0]
            if numbers.size:
                found.add(numbers.min().item(), numbers.max().item())
            meter.show(0)


def _values(elements: Elements, spans: Spans, run: int, work: Workspace) -> Iterator[NDArray[Any]]:
    """Those of one run, a chunk at a time."""
    chunk = elements.chunk()
    if spans.rows is None:
        start, stop = int(spans.edges[run]), int(spans.edges[run + 1])
        for at in range(start, stop, chunk):
            values = work.array("values", (min(chunk, stop - at),), elements.value)
            elements.read(at, at + len(values), values, work)
            yield values
        return
    starts, length = spans.rows(run)
    tall = max(chunk // length, 1)
    for top in range(0, len(starts), tall):
        some = starts[top : top + tall]
        values = work.array("values", (len(some), length), elements.value)
        elements.gather(some, length, values, work)
        yield values
