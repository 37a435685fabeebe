"""The limits of the colours: by a sample while the statistics are not known, and how many values lie beyond them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorloupe.readable import is_layer, is_unsigned
from tensorloupe.task import Progress
from tensorloupe.views.heat.cells import Picture, Request, decode
from tensorloupe.views.heat.frame import Beyond
from tensorloupe.views.summary import Summary, sampled_values

if TYPE_CHECKING:
    from tensorloupe.readable import Readable


def from_zero(tensor: Readable, summary: Summary | None) -> bool | None:
    """Whether colours run from zero to the limit: no value of the type, or of a layer of a weight, lies below zero.

    Of other tensors they do not, whatever their values are, so that layers of a model look alike. None while not known.
    """
    if not is_layer(tensor):
        return is_unsigned(tensor)
    return None if summary is None else summary.range[0] >= 0


def decode_within(request: Request, progress: Progress) -> Picture:
    """Decode what is asked for. What is not known is taken from a sample: the limit, where the cells do not give one, and
    whether colours run from zero.
    """
    if request.sizes is None:
        request = replace(request, sizes=bool((sampled_values(request.tensor) >= 0).all()))
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
