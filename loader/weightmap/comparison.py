"""What a quantization cost, tensor by tensor: two models paired, each pair measured and judged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weightmap.api import Path
from weightmap.importance import ImportanceMatrix, opened_importance
from weightmap.measure.error import ErrorMeasures, Watcher, measure_errors
from weightmap.measure.usual import Verdict, usual_error, verdict
from weightmap.measure.weighted import Importance, WeightedSums
from weightmap.model import WeightFile
from weightmap.pairing.diagnosis import cause_of
from weightmap.pairing.experts import experts_of
from weightmap.pairing.lookalikes import Lookalikes
from weightmap.pairing.tensor_pair import TensorPair, Unpaired
from weightmap.pairs import Pairs, opened_pairs
from weightmap.reading.sweep import Meter, Progress

if TYPE_CHECKING:
    from weightmap.cache.errors import Errors

_WEIGHTED = ("weighted_rmse", "weighted_relative_rmse", "weighted_sqnr_db", "weighted_note")


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
    weighted_rmse, weighted_relative_rmse, weighted_sqnr_db  those of `weightmap.measure.weighted`, with an importance matrix
    weighted_note   with one: why there are no weights for this tensor, or which of its experts have none; else None
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
    scale: float | None
    usual: float | None
    verdict: Verdict | None
    note: str | None
    weighted_rmse: float | None = None
    weighted_relative_rmse: float | None = None
    weighted_sqnr_db: float | None = None
    weighted_note: str | None = None

    @property
    def damage(self) -> float:
        """Bytes times relative error: how much of the damage of the whole file lies here."""
        error = self.relative_rmse
        if error is None:
            error = 1.0 if self.verdict == "wrong" else 0.0
        return self.nbytes * error


@dataclass(frozen=True, slots=True)
class Comparison:
    """All pairs in the file order of the quantized model, and what was left on both sides. `imatrix` is its path, if given."""

    quantized: str
    reference: str
    pairs: tuple[PairError, ...]
    unpaired_quantized: tuple[Unpaired, ...]
    unpaired_reference: tuple[Unpaired, ...]
    imatrix: str | None = None

    @property
    def left_over(self) -> tuple[tuple[Unpaired, ...], tuple[Unpaired, ...]]:
        """What is without a counterpart in the quantized model and in the reference, parts of weights that have one left out."""
        own, other = {pair.tensor for pair in self.pairs}, {name for pair in self.pairs for name in pair.reference}
        first = tuple(entry for entry in self.unpaired_quantized if entry.part_of not in own)
        return first, tuple(entry for entry in self.unpaired_reference if entry.part_of not in other)

    def ranked(self) -> list[PairError]:
        """The pairs by bytes times error; what is wrong goes before what is worse than it should be, and that before the rest."""
        loud = {"wrong": 0, "worse": 1}
        return sorted(self.pairs, key=lambda pair: (loud.get(pair.verdict or "", 2), -pair.damage))

    def to_json(self) -> dict[str, Any]:
        """The document of `weightmap compare --json`, in plain Python values; weighted measures only with an importance matrix."""
        left_out = ("reference",) if self.imatrix is not None else ("reference", *_WEIGHTED)
        names = [name for name in PairError.__dataclass_fields__ if name not in left_out]
        left = {"quantized": self.unpaired_quantized, "reference": self.unpaired_reference}
        attached = {} if self.imatrix is None else {"imatrix": self.imatrix}
        return {
            "pairs": [
                {"tensor": pair.tensor, "reference": list(pair.reference)}
                | {name: getattr(pair, name) for name in names}
                for pair in self.pairs
            ],
            "unpaired": {
                side: [{"tensor": entry.tensor, "reason": entry.reason} for entry in entries]
                for side, entries in left.items()
            },
        } | attached


def compare(
    quantized: Path | WeightFile,
    reference: Path | WeightFile,
    *,
    guesses: bool = True,
    imatrix: Path | WeightFile | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Comparison:
    """The error of every tensor of `quantized` against its counterpart in `reference`: paths, or open models.

    Pairs are those of `pair_models`. `imatrix`, a path or an open importance matrix, adds errors weighted by what inputs matter
    (see `weightmap.measure.weighted`), and where a pair has none the reason. `progress(done, total)` is called from the calling
    thread; returning False raises Cancelled. Raises WeightFileError where a file cannot be opened or changes meanwhile; a
    tensor that cannot be read is listed as unpaired, with the reason.
    """
    with opened_pairs(quantized, reference) as pairs, opened_importance(imatrix) as importance:
        tensors = [*pairs.quantized.weights.values()], [*pairs.reference.weights.values()]
        elements = sum(tensor.count for tensor in tensors[0])
        share = elements // 10 // max(*map(len, tensors), 1) + 1  # pairing counts as a tenth of the work
        meter = Meter(progress, elements + share * max(map(len, tensors)))
        pairs.find(meter, share, guesses)
        memory = _memory(pairs)
        options = {"meter": meter, "threads": threads, "importance": importance, "memory": memory}
        errors = tuple(measured(pair, pairs.lookalikes, **options) for pair in pairs)  # type: ignore[arg-type]
        return _result(pairs, errors, importance)


def measure_pair(
    pairs: Pairs,
    pair: TensorPair,
    *,
    imatrix: WeightFile | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> PairError:
    """The row of `compare` for one of the pairs, weighted too by an open importance matrix. `progress(done, total)` counts
    elements; returning False raises Cancelled.

    Raises WeightFileError where a file cannot be read or changed meanwhile.
    """
    importance = None if imatrix is None else ImportanceMatrix(imatrix)
    options = {"importance": importance, "progress": progress, "threads": threads, "memory": _memory(pairs)}
    return measured(pair, pairs.lookalikes, **options)  # type: ignore[arg-type]


def measured(
    pair: TensorPair,
    others: Lookalikes | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    meter: Meter | None = None,
    importance: ImportanceMatrix | None = None,
    memory: Errors | None = None,
) -> PairError:
    """Measure and judge one pair. `others` lets it say with which tensor of the other file it was exchanged."""
    weights = None if importance is None else importance.weights(pair.target.name, pair.shape)
    sums = WeightedSums(weights) if isinstance(weights, Importance) else None
    also = None if sums is None else sums.add
    meter = meter or Meter(progress, pair.sides[0].count)
    errors = _errors(pair, meter, threads, also, memory)
    types = pair.usual_types
    differs = not errors.identical
    judged = verdict(*types, errors.relative_rmse, disagreeing=errors.disagreeing, differs=differs)
    cause = cause_of(pair, errors, judged, others or Lookalikes(()))
    note = None if cause is None else cause.note
    if cause is not None and cause.wrong:
        judged = "wrong"
    if differs and (experts := experts_of(pair, meter, threads)) is not None:
        judged = "wrong" if "wrong" in (judged, experts.verdict) else experts.verdict
        note = experts.note if pair.note is None else f"{pair.note} {experts.note}"
    measures = {name: getattr(errors, name) for name in ErrorMeasures.__dataclass_fields__ if name != "disagreeing"}
    return PairError(
        tensor=pair.tensor,
        reference=pair.reference,
        transform=pair.transform,
        guessed=pair.guessed,
        type=pair.type,
        reference_type=pair.reference_type,
        nbytes=pair.nbytes,
        usual=usual_error(*types),
        verdict=judged,
        note=note,
        **measures,
        **_weighted(weights, sums),
    )


def _errors(
    pair: TensorPair, meter: Meter, threads: int | None, also: Watcher | None, memory: Errors | None
) -> ErrorMeasures:
    """The errors, measured or remembered; what is to be weighted has to be read."""
    told = pair.tensor, pair.reference, pair.transform, pair.guessed, pair.type, pair.reference_type, pair.shape
    if memory is not None and also is None and (known := memory.recall(*told)) is not None:
        meter.finish(known.count)
        return known
    errors = measure_errors(*pair.sides, threads=threads, meter=meter, also=also)
    if memory is not None:
        memory.keep(errors, *told)
    return errors


def _memory(pairs: Pairs) -> Errors | None:
    quantized, reference = pairs.quantized.opened, pairs.reference.opened
    if quantized.store is None:
        return None
    from weightmap.cache.errors import errors_of  # not for who has no cache

    return errors_of(quantized.store, quantized.sources, reference.sources)


def _weighted(weights: Importance | str | None, sums: WeightedSums | None) -> dict[str, Any]:
    """The weighted fields of a PairError."""
    if sums is None or not isinstance(weights, Importance):
        return {"weighted_note": weights}
    found, note = sums.result(), None
    if weights.unused:
        note = (
            f"{weights.unused:,} of {len(weights.weights):,} experts got no text, and their errors count for nothing."
        )
    return dict(zip(_WEIGHTED, (found.rmse, found.relative_rmse, found.sqnr_db, note), strict=True))


def _result(pairs: Pairs, errors: tuple[PairError, ...], importance: ImportanceMatrix | None) -> Comparison:
    paths = os.fspath(pairs.quantized.path), os.fspath(pairs.reference.path)
    path = None if importance is None else importance.path
    return Comparison(*paths, errors, pairs.unpaired_quantized, pairs.unpaired_reference, path)
