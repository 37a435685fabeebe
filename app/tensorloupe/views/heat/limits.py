"""The limits of the colours: by a sample while the statistics are not known, and how many values lie beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.readable import count_of, is_complex, is_layer, is_unsigned
from tensorloupe.task import Progress
from tensorloupe.views.heat.cells import Picture, Request, decode
from tensorloupe.views.heat.frame import Beyond
from tensorloupe.views.summary import Summary, sampled_values

if TYPE_CHECKING:
    from tensorloupe.readable import Readable

QUICK = 1 << 22  # values that are summarized before the first picture, and decoded while others wait
_PIECE = 1 << 20  # complex values that are looked at in one go


def from_zero(tensor: Readable, summary: Summary | None) -> bool | None:
    """Whether colours run from zero to the limit: no value of the type, or of a layer of a weight, lies below zero; of complex
    values the magnitudes are shown.

    Of other tensors they do not, whatever their values are, so that layers of a model look alike. None while not known.
    """
    if not is_layer(tensor):
        return is_unsigned(tensor) or is_complex(tensor)
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


def counting(
    tensor: Readable | None, summary: Summary | None, limit: float | None, known: Beyond | None
) -> Callable[[Progress], Beyond] | None:
    """The work that counts what lies beyond ±limit: of a sample as long as there is no summary, which of few values is soon
    there. None where no more is to be known by now.
    """
    if tensor is None or limit is None or (known is not None and (summary is None or not known.sampled)):
        return None
    if summary is None:
        return (lambda _: sample_beyond(tensor, limit)) if count_of(tensor) > QUICK else None
    return lambda progress: count_beyond(tensor, summary, limit, progress)


def count_beyond(tensor: Readable, summary: Summary, limit: float, progress: Progress) -> Beyond:
    """How many values lie beyond ±limit, exactly; of complex ones, how many magnitudes."""
    if is_complex(tensor):
        return _count_magnitudes(tensor, limit, progress)
    s = summary.statistics
    below = above = 0
    if summary.finite and max(abs(edge) for edge in summary.range) > limit:
        outside = tensor.histogram(1, (-limit, limit), progress=progress)
        below, above = int(outside.below), int(outside.above)
    return Beyond(limit, below, above, s.count, s.nan, s.inf)


def sample_beyond(tensor: Readable, limit: float) -> Beyond:
    """How many values of a sample lie beyond ±limit: soon there, while all values are being read."""
    values = sampled_values(tensor)
    if is_complex(tensor):
        values = abs(values)
    return Beyond(limit, int((values < -limit).sum()), int((values > limit).sum()), len(values), 0, 0, sampled=True)


def _count_magnitudes(tensor: Readable, limit: float, progress: Progress) -> Beyond:
    above = nan = inf = done = 0
    total = count_of(tensor)
    for values in _pieces(tensor):
        odd, endless = np.isnan(values), np.isinf(values)  # which one of two parts may be each
        above += int(np.count_nonzero(np.abs(values) > limit) - np.count_nonzero(endless))
        nan += int(np.count_nonzero(odd))
        inf += int(np.count_nonzero(endless & ~odd))
        done += values.size
        if not progress(done, total):
            raise weightmap.Cancelled
    return Beyond(limit, 0, above, total, nan, inf)


def _pieces(tensor: Readable) -> Iterator[NDArray[Any]]:
    """All values, a bounded number of them at a time."""
    if len(tensor.shape) < 2:
        for first in range(0, count_of(tensor), _PIECE):
            yield np.asarray(tensor.read(slice(first, first + _PIECE) if tensor.shape else ...)).reshape(-1)
        return
    *leading, rows, columns = tensor.shape
    wide = max(min(columns, _PIECE), 1)
    tall = _PIECE // wide
    for index in np.ndindex(*leading):
        for row in range(0, rows, tall):
            for column in range(0, columns, wide):
                yield tensor.read((*index, slice(row, row + tall), slice(column, column + wide)))


def _limit_of_sample(tensor: Readable, share: float) -> float:
    values = abs(sampled_values(tensor))
    values.sort()
    return float(values[round(share * (len(values) - 1))]) or 1.0 if len(values) else 1.0
