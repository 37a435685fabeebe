"""The arithmetic of dragging limits: what is under the pointer, and where a limit goes when it is moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tensorloupe.plots.bins import Bins

NEAR = 7  # px around a limit where the pointer takes hold of it
Part = Literal["low", "high", "band"]
Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Grip:
    """What the pointer holds: a limit, or the band between them; in the strip or in the picture."""

    part: Part
    strip: bool


def part_at(x: float, low: float, high: float, *, band: bool) -> Part | None:
    """Which limit (at px `low`, `high`) is at `x`; the band between them where `band` says that there is one."""
    if low == high and abs(x - low) <= NEAR:  # both at one place: the one that can be moved to this side
        return "low" if x < low else "high"
    nearest: Part = "low" if abs(x - low) <= abs(x - high) else "high"
    if abs(x - (low if nearest == "low" else high)) <= NEAR:
        return nearest
    return "band" if band and low < x < high else None


def moved(part: Part, limits: Limits, by: float, bins: Bins) -> Limits:
    """The limits after moving a part of them by a fraction of the bins' span. They snap to edges, a bin apart at least."""
    span = bins.span
    low, high = (span.fraction(limit) for limit in limits)
    if part == "band":
        by = min(max(by, -low), 1 - high)
        return bins.nearest_edge(span.value(low + by)), bins.nearest_edge(span.value(high + by))
    least = 1 / bins.count
    if part == "low":
        return min(bins.nearest_edge(span.value(low + by)), span.value(high - least)), limits[1]
    return limits[0], max(bins.nearest_edge(span.value(high + by)), span.value(low + least))
