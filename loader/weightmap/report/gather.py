"""Puts together what a report says: the identity of both files, the table, and the worst tensors with their pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from weightmap.comparison import Comparison, PairError
from weightmap.errors import WeightFileError
from weightmap.folding import folded
from weightmap.model import WeightFile
from weightmap.pairs import Pairs
from weightmap.reading.sweep import Progress
from weightmap.report.examine import examined
from weightmap.report.grid import arranged
from weightmap.report.record import Report, Side
from weightmap.report.sentences import headline, not_numbers, summary
from weightmap.version import __version__
from weightmap.wording import clipped

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
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC by weightmap {__version__}",
        status=status,
        headline=line,
        summary=summary(found, quantized, reference),
        quantized=quantized,
        reference=reference,
        comparison=found,
        ranked=ranked,
        grid=arranged(found.pairs),
        worst=examined(chosen(ranked, most), pairs, progress, threads),
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
        findings=tuple(folded(model.findings)),
    )
