"""The close look at the worst tensors of a comparison: how their errors spread, where they are, and what they are held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from weightmap.comparison import PairError
from weightmap.measure.error import measure_errors
from weightmap.pairing.lazy import Part
from weightmap.pairing.tensor_pair import TensorPair
from weightmap.pairs import Pairs
from weightmap.reading.sweep import Progress
from weightmap.report.fresh import fresh
from weightmap.report.record import Worst
from weightmap.report.sentences import EXACT, judged

BINS = 121  # an odd number: one bin is centred on zero
HEIGHT, WIDTH = 160, 400  # cells of a heatmap at most
ROWS = 5
PASSES = 8  # over each tensor that is looked at closely; a fresh quantization takes as long as four
EXPERTS, MOST_EXPERTS = 3, 1024


def examined(
    picked: Sequence[PairError], pairs: Pairs, progress: Progress | None, threads: int | None
) -> tuple[Worst, ...]:
    """Each pair with its pictures. Progress counts elements, for so many passes over each."""
    by_name = {pair.tensor: pair for pair in pairs}
    total, before = PASSES * sum(pair.count for pair in picked), 0
    found = []
    for error in picked:
        pair = by_name.get(error.tensor)
        if pair is None:
            found.append(Worst(error, judged(error), problem="The pair is not among those that were compared."))
            continue
        found.append(_looked_at(error, pair, partial(_shown, progress, before, total), threads))
        before += PASSES * error.count
        _shown(progress, before, total, 0, total)
    return tuple(found)


def _shown(progress: Progress | None, before: int, total: int, done: int, _: int) -> object:
    return None if progress is None else progress(min(before + done, total), total)


def _looked_at(error: PairError, pair: TensorPair, progress: Progress, threads: int | None) -> Worst:
    count = error.count
    rows = pair.worst_rows(ROWS, progress=progress, threads=threads)
    spread = _spread(error)
    limit = _limit(error, spread)
    histogram = anew = None
    if limit is not None:
        step = partial(_after, progress, count)
        histogram = pair.histogram(BINS, (-limit, limit), progress=step, threads=threads)
    leading = pair.shape[:-2]
    index: tuple[int, ...] = ()
    if leading:
        first = rows[0].row // max(pair.shape[-2], 1) if rows else 0
        index = tuple(int(at) for at in np.unravel_index(first, leading))
    step = partial(_after, progress, 2 * count)
    heatmap = pair.heatmap(HEIGHT, WIDTH, index=index, reduction="rms", progress=step, threads=threads)
    experts = _experts(pair, partial(_after, progress, 3 * count), threads)
    if histogram is not None and histogram.edges is not None:
        step = partial(_slower, progress, 4 * count)
        anew = fresh(error, pair, histogram.edges, progress=step, threads=threads)
    return Worst(error, judged(error), pair.shape, histogram, spread, anew, heatmap, index, tuple(rows), experts)


def _experts(pair: TensorPair, progress: Progress, threads: int | None) -> tuple[tuple[int, float], ...]:
    """Of stacked matrices those with the largest relative errors."""
    if len(pair.shape) != 3 or not 1 < pair.shape[0] <= MOST_EXPERTS:
        return ()
    sides, shape, found = (pair.elements("quantized"), pair.elements("reference")), pair.shape[1:], []
    size = shape[0] * shape[1]
    for at in range(pair.shape[0]):
        step = partial(_after, progress, at * size)
        parts = (Part(side, shape, at * size) for side in sides)
        measured = measure_errors(*parts, progress=step, threads=threads, percentile=False)
        found.append((at, measured.relative_rmse or 0.0))
    return tuple(sorted(found, key=lambda one: -one[1])[:EXPERTS])


def _after(progress: Progress, before: int, done: int, total: int) -> object:
    return progress(before + done, total)


def _slower(progress: Progress, before: int, done: int, total: int) -> object:
    return progress(before + 4 * done, total)


def _spread(error: PairError) -> float | None:
    """The standard deviation that errors usually have: the usual relative error times the size of the weights."""
    if error.usual is None or error.usual < EXACT or not error.rmse or not error.relative_rmse:
        return None
    return error.usual * error.rmse / error.relative_rmse


def _limit(error: PairError, spread: float | None) -> float | None:
    """How far a histogram of the errors reaches to either side: where nearly all of them and the yardstick have room."""
    largest, p99 = error.max_abs_error, error.p99
    if not largest or not math.isfinite(largest):
        return None
    wanted = max(2 * (p99 or largest), 4 * (spread or 0.0))
    return float(max(min(wanted, 1.02 * largest), np.finfo(np.float64).tiny * 1e10))
