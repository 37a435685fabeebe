"""Puts together what a report says: the identity of both files, the table, and the worst tensors with their pictures."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

import numpy as np

import weightmap
from weightmap.comparison import Comparison, PairError
from weightmap.errors import WeightFileError
from weightmap.measure.binning import Histogram
from weightmap.measure.error import measure_errors
from weightmap.model import WeightFile
from weightmap.pairing.lazy import Part
from weightmap.pairing.tensor_pair import TensorPair
from weightmap.pairs import Pairs
from weightmap.reading.sweep import Progress
from weightmap.report.grid import arranged
from weightmap.report.record import Report, Side, Worst
from weightmap.report.sentences import EXACT, headline, judged, not_numbers, summary
from weightmap.wording import clipped

BINS = 121  # an odd number: one bin is centred on zero
HEIGHT, WIDTH = 160, 400  # cells of a heatmap at most
ROWS = 5
PASSES = 4  # over each tensor that is looked at closely
EXPERTS, MOST_EXPERTS = 3, 1024
SOUND = 3  # tensors that are looked at closely where nothing is wrong with any


def gathered(
    found: Comparison, pairs: Pairs, *, most: int, progress: Progress | None = None, threads: int | None = None
) -> Report:
    """The report of a comparison, with a close look at its `most` worst tensors.

    `progress(done, total)` counts elements of those; returning False raises Cancelled.
    """
    ranked = tuple(found.ranked())
    for pair in filter(not_numbers, ranked):
        _look_for_places(pairs, pair)
    quantized, reference = _side(pairs.quantized), _side(pairs.reference)
    status, line = headline(found)
    return Report(
        title=f"What the quantization cost: {quantized.name}",
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC by weightmap {weightmap.__version__}",
        status=status,
        headline=line,
        summary=summary(found, quantized, reference),
        quantized=quantized,
        reference=reference,
        comparison=found,
        ranked=ranked,
        grid=arranged(found.pairs),
        worst=_worst(chosen(ranked, most), pairs, progress, threads),
    )


def _look_for_places(pairs: Pairs, error: PairError) -> None:
    """Have the models find out where NaN and Inf lie, so that their findings say so."""
    for model, names in ((pairs.quantized, (error.tensor,)), (pairs.reference, error.reference)):
        for name in names:
            if (tensor := model.tensors.get(name)) is not None:
                with suppress(WeightFileError):
                    tensor.check_values()


def chosen(ranked: Sequence[PairError], most: int) -> list[PairError]:
    """The pairs to look at closely: what is wrong or worse first, then some of the largest damage; never identical ones."""
    differing = [pair for pair in ranked if not pair.identical]
    loud = sum(pair.verdict in ("wrong", "worse") for pair in differing)
    return differing[: min(most, max(loud, SOUND))]


def _side(model: WeightFile) -> Side:
    sums: dict[str, list[int]] = {}
    for tensor in model.records:
        both = sums.setdefault(tensor.type.name, [0, 0])
        both[0], both[1] = both[0] + 1, both[1] + tensor.nbytes
    elements, data = sum(tensor.count for tensor in model.records), sum(nbytes for _, nbytes in sums.values())
    architecture = model.metadata.get("general.architecture")
    path = os.fspath(model.path)
    return Side(
        path=path,
        name=os.path.basename(os.path.normpath(path)) or path,
        size=sum(part.size or 0 for part in model.parts),
        files=len(model.parts),
        format=model.format if model.version is None else f"{model.format} version {model.version}",
        architecture=clipped(architecture, 80) if isinstance(architecture, str) else None,
        tensors=len(model.records),
        elements=elements,
        bits_per_weight=data * 8 / elements if elements else 0.0,
        types=tuple((name, *both) for name, both in sorted(sums.items(), key=lambda entry: -entry[1][1])),  # type: ignore[misc]
        status=model.status,
        findings=model.findings,
    )


def _worst(
    picked: Sequence[PairError], pairs: Pairs, progress: Progress | None, threads: int | None
) -> tuple[Worst, ...]:
    """Each with pictures; progress counts four passes over each."""
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
    histogram: Histogram | None = None
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
    return Worst(error, judged(error), pair.shape, histogram, spread, heatmap, index, tuple(rows), experts)


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
