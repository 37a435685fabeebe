"""The limits of the colours: by a sample while the statistics are not known, and how many values lie beyond them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorloupe.task import Progress
from tensorloupe.views.heat.cells import Picture, Request, decode
from tensorloupe.views.heat.frame import Beyond
from tensorloupe.views.summary import Summary, sampled_values

if TYPE_CHECKING:
    from tensorloupe.readable import Readable


def decode_within(request: Request, progress: Progress) -> Picture:
    """Decode what is asked for; where no limit is known and the cells do not give one, by the limit of a sample."""
    if not request.limit and request.share is not None and not request.viewport.is_fitted:
        request = replace(request, limit=_limit_of_sample(request.tensor, request.share))
    return decode(request, progress)


def count_beyond(tensor: Readable, summary: Summary, limit: float, progress: Progress) -> Beyond:
    """How many values lie beyond ±limit, exactly."""
    s = summary.statistics
    below = above = 0
    if summary.finite and max(abs(edge) for edge in summary.range) > limit:
        outside = tensor.histogram(1, (-limit, limit), progress=progress)
        below, above = int(outside.below), int(outside.above)
    return Beyond(limit, below, above, s.count, s.nan, s.inf)


def _limit_of_sample(tensor: Readable, share: float) -> float:
    values = abs(sampled_values(tensor))
    values.sort()
    return float(values[round(share * (len(values) - 1))]) or 1.0 if len(values) else 1.0
