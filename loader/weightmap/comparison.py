"""What a quantization cost, tensor by tensor: two models paired, each pair measured and judged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weightmap.api import Path
from weightmap.api import open as open_model
from weightmap.measure.error import ErrorMeasures, Pieces, measure_errors
from weightmap.measure.usual import Verdict, usual_error, verdict
from weightmap.model import WeightFile
from weightmap.pairing.facts import facts_of
from weightmap.pairing.guess import guess, lookalike
from weightmap.pairing.lazy import Part
from weightmap.pairing.pair import Match, Pairing, pair
from weightmap.pairing.reasons import source_reason, target_reason
from weightmap.pairing.side import Side, Weight, side_of
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Meter, Progress

ORDER = "Rows or columns are in another order than in the reference: a conversion step is not undone."


@dataclass(frozen=True, slots=True)
class PairError:
    """One tensor against its counterpart. The measures are those of `weightmap.measure.error`.

    tensor          name in the quantized model
    reference       names in the reference: several where the tensor holds several
    transform       what lies between both, "=" for nothing; it was undone before measuring
    guessed         the names did not say that these belong together, the values did
    nbytes          bytes that the tensor takes in the quantized model
    usual           the relative rmse that the types usually leave on Gaussian weights; None where it was not measured
    verdict         normal, worse (than the type should be) or wrong; None where there is nothing to judge by
    note            a sentence where there is more to say, else None
    """

    tensor: str
    reference: tuple[str, ...]
    transform: str
    guessed: bool
    type: str
    reference_type: str
    nbytes: int
    count: int
    nonfinite: int
    rmse: float | None
    relative_rmse: float | None
    sqnr_db: float | None
    identical: bool
    max_abs_error: float | None
    p99: float | None
    cosine: float | None
    bias: float | None
    usual: float | None
    verdict: Verdict | None
    note: str | None

    @property
    def weight(self) -> float:
        """Bytes times relative error: how much of the damage of the whole file lies here."""
        error = self.relative_rmse
        if error is None:
            error = 0.0 if self.identical or self.verdict != "wrong" else 1.0
        return self.nbytes * error


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A tensor without a counterpart, and the likely reason."""

    tensor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """All pairs in the file order of the quantized model, and what was left on both sides."""

    quantized: str
    reference: str
    pairs: tuple[PairError, ...]
    unpaired_quantized: tuple[Unpaired, ...]
    unpaired_reference: tuple[Unpaired, ...]

    def ranked(self) -> list[PairError]:
        """The pairs by bytes times error, what is wrong before all others."""
        return sorted(self.pairs, key=lambda p: (p.verdict != "wrong", -p.weight))

    def to_json(self) -> dict[str, Any]:
        """The document of `weightmap compare --json`, in plain Python values."""
        names = [name for name in PairError.__dataclass_fields__ if name != "reference"]
        left = {"quantized": self.unpaired_quantized, "reference": self.unpaired_reference}
        return {
            "pairs": [
                {"tensor": p.tensor, "reference": list(p.reference)} | {name: getattr(p, name) for name in names}
                for p in self.pairs
            ],
            "unpaired": {side: [{"tensor": u.tensor, "reason": u.reason} for u in left[side]] for side in left},
        }


@dataclass(frozen=True, slots=True)
class _Planned:
    """A pair to be measured: names and types of both sides, and their elements in the same order."""

    tensor: str
    reference: tuple[str, ...]
    match: Match
    type: str
    reference_type: str
    nbytes: int
    pieces: Pieces


def compare(
    quantized: Path | WeightFile,
    reference: Path | WeightFile,
    *,
    guesses: bool = True,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Comparison:
    """The error of every tensor of `quantized` against its counterpart in `reference`: paths, or open models.

    Formats may differ: names are mapped and the converter's transforms undone; a pair counts only when its values bear that
    out. A config.json beside a checkpoint is used where there is one. `guesses=False` leaves out pairs that names do not
    tell. `progress(done, total)` is called from the calling thread; returning False raises Cancelled. Raises
    WeightFileError where a file cannot be opened; a tensor that cannot be read is listed as unpaired, with the reason.
    """
    opened: list[WeightFile] = []
    try:
        models = []
        for given in (quantized, reference):
            if not isinstance(given, WeightFile):
                given = open_model(given)
                opened.append(given)
            models.append(given)
        return _compared(models[0], models[1], guesses, progress, threads)
    finally:
        for model in opened:
            model.close()


def _compared(
    quantized: WeightFile, reference: WeightFile, guesses: bool, progress: Progress | None, threads: int | None
) -> Comparison:
    sides = side_of(quantized), side_of(reference)
    flipped = sides[1].format == "gguf" != sides[0].format
    targets, others = (sides[1], sides[0]) if flipped else sides
    facts = facts_of((side.path, side.metadata) for side in (targets, others))
    elements = sum(weight.elements.count for weight in targets)
    share = max(elements // 10 // max(len(targets.by_name), 1), 1)  # pairing counts as a tenth of the work
    total = elements + share * len(targets.by_name)
    meter = Meter(None if progress is None else progress, total)
    pairing = pair(targets, others, facts, _Steps(meter, share))
    if guesses:
        guess(pairing, facts, meter)
    pairs = []
    for planned in _planned(pairing, flipped):
        pairs.append(_measured(planned, others, meter, threads))
    order = {name: at for at, name in enumerate(sides[0].by_name)}
    pairs.sort(key=lambda p: order.get(p.tensor, 0))
    left = _left(pairing, targets, others)
    return Comparison(
        os.fspath(quantized.path), os.fspath(reference.path), tuple(pairs), left[flipped], left[not flipped]
    )


class _Steps(Meter):
    """A meter that counts each step as so many elements of another one."""

    def __init__(self, meter: Meter, share: int) -> None:
        super().__init__(None, 0)
        self._meter, self._share = meter, share

    def finish(self, done: int) -> None:
        self._meter.finish(done * self._share)


def _planned(pairing: Pairing, flipped: bool) -> list[_Planned]:
    """What is to be measured, from the side of the quantized model."""
    if not flipped:
        return [_straight(match) for match in pairing.matches]
    return [planned for match in pairing.matches for planned in _turned(match)]


def _straight(match: Match) -> _Planned:
    target, found = match.target, match.found
    pieces = [(found.part(target.view).elements, found.view.elements)]
    names = tuple(source.name for source in found.sources)
    return _Planned(target.name, names, match, target.type, _types(found.sources), target.nbytes, pieces)


def _turned(match: Match) -> list[_Planned]:
    """The GGUF is the reference: every source is a quantized tensor, and has its own part of the target where it can."""
    target, found = match.target, match.found
    if not found.parts:
        name = " + ".join(source.name for source in found.sources)
        nbytes = sum(source.nbytes for source in found.sources)
        pieces = [(found.view.elements, found.part(target.view).elements)]
        return [_Planned(name, (target.name,), match, _types(found.sources), target.type, nbytes, pieces)]
    plans, at = [], 0
    for source, part in zip(found.sources, found.parts, strict=True):
        piece: Elements = Part(target.elements, part.shape, at)
        at += part.elements.count
        pieces = [(part.elements, piece)]
        plans.append(_Planned(source.name, (target.name,), match, source.type, target.type, source.nbytes, pieces))
    return plans


def _types(weights: Sequence[Weight]) -> str:
    return "+".join(dict.fromkeys(weight.type for weight in weights))


def _measured(planned: _Planned, others: Side, meter: Meter, threads: int | None) -> PairError:
    errors = measure_errors(planned.pieces, meter=meter, threads=threads)
    match, first = planned.match, planned.reference_type.partition("+")[0]
    judged = verdict(
        planned.type,
        first,
        errors.relative_rmse,
        disagreeing=errors.disagreeing,
        differs=not errors.identical,
    )
    measures = {name: getattr(errors, name) for name in ErrorMeasures.__dataclass_fields__ if name != "disagreeing"}
    return PairError(
        planned.tensor,
        planned.reference,
        match.found.label,
        match.guessed,
        planned.type,
        planned.reference_type,
        planned.nbytes,
        usual=usual_error(planned.type, first),
        verdict=judged,
        note=_note(match, errors, others),
        **measures,
    )


def _note(match: Match, errors: ErrorMeasures, others: Side) -> str | None:
    """What there is to say about a pair beyond its numbers."""
    if errors.disagreeing:
        return f"{errors.disagreeing:,} values are NaN or Inf in one of both only."
    if match.proven:
        return match.note
    if (alike := lookalike(match.target, list(others))) is not None and alike not in match.found.sources:
        return f"The values are those of {alike.name} in the other file: two tensors are exchanged."
    if match.note is None and errors.cosine is not None and abs(errors.cosine) < 0.5 and (errors.relative_rmse or 0) > 0.9:
        return f"{ORDER} Which one is not known here."
    return match.note


def _left(pairing: Pairing, targets: Side, others: Side) -> tuple[tuple[Unpaired, ...], tuple[Unpaired, ...]]:
    """What has no pair: (of the targets' side, of the other side)."""
    first = [Unpaired(weight.name, target_reason(weight, closest, others)) for weight, closest in pairing.targets]
    second = [Unpaired(weight.name, source_reason(weight, targets, others)) for weight in pairing.sources]
    first += [Unpaired(name, reason) for name, reason in targets.left_out.items()]
    second += [Unpaired(name, reason) for name, reason in others.left_out.items()]
    return tuple(first), tuple(second)
