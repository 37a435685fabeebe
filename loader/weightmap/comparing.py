"""What a quantization cost, tensor by tensor: two models paired, each pair measured and judged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from weightmap.api import Path
from weightmap.comparison import WEIGHTED, Comparison, PairError
from weightmap.importance import ImportanceMatrix, opened_importance
from weightmap.measure.error import ErrorMeasures, measure_errors
from weightmap.measure.error_sums import Watcher
from weightmap.measure.usual import usual_error, verdict
from weightmap.measure.weighted import Importance, WeightedSums
from weightmap.model import WeightFile
from weightmap.pairing.diagnosis import cause_of
from weightmap.pairing.experts import experts_of
from weightmap.pairing.lookalikes import Lookalikes
from weightmap.pairing.tensor_pair import TensorPair
from weightmap.pairs import Pairs, opened_pairs
from weightmap.reading.sweep import Meter, Progress

if TYPE_CHECKING:
    from weightmap.cache.errors import Errors


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
    for given, kind in ((pairs, Pairs), (pair, TensorPair)):
        if not isinstance(given, kind):
            text = f"measure_pair takes the pairs of two models and one of them, pairs[n]; got {type(given).__name__}"
            raise TypeError(text)
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
    return dict(zip(WEIGHTED, (found.rmse, found.relative_rmse, found.sqnr_db, note), strict=True))


def _result(pairs: Pairs, errors: tuple[PairError, ...], importance: ImportanceMatrix | None) -> Comparison:
    paths = os.fspath(pairs.quantized.path), os.fspath(pairs.reference.path)
    path = None if importance is None else importance.path
    return Comparison(*paths, errors, pairs.unpaired_quantized, pairs.unpaired_reference, path)
