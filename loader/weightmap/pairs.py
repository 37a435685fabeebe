"""Two models paired tensor by tensor: what belongs together, ready to be measured, drawn and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from weightmap.api import Path
from weightmap.api import open as open_model
from weightmap.measure.differences import Differences, RowError, worst_rows
from weightmap.measure.heatmap import Heatmap, heatmap
from weightmap.measure.histogram import Histogram, histogram
from weightmap.model import WeightFile
from weightmap.pairing.diagnosis import unexpected_order
from weightmap.pairing.facts import facts_of
from weightmap.pairing.guess import guess
from weightmap.pairing.lazy import Part, Shape
from weightmap.pairing.pair import Match, Pairing, pair
from weightmap.pairing.reasons import source_reason, target_reason
from weightmap.pairing.side import Side, Weight, side_of
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Meter, Progress

Shown = Literal["error", "quantized", "reference"]


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A tensor without a counterpart, and the likely reason."""

    tensor: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class TensorPair:
    """A tensor and its counterpart, in one order: that of the GGUF where one of both is one, else of the quantized.

    tensor, reference  names: several in the reference where the tensor holds several
    transform          what lies between both, "=" for nothing; it is undone wherever values are shown or measured
    proven             whether sampled values bear the transform out; else the pair rests on the names
    guessed            the names did not say that these belong together, the values did
    note               a sentence where there is more to say, else None
    nbytes             bytes that the tensor takes in the quantized model
    """

    tensor: str
    reference: tuple[str, ...]
    transform: str
    proven: bool
    guessed: bool
    note: str | None
    type: str
    reference_type: str
    nbytes: int
    shape: Shape
    target: Weight
    sides: tuple[Elements, Elements]

    def elements(self, shown: Shown = "error") -> Elements:
        """The errors (quantized - reference), or the values of one of both sides, to be read in ranges."""
        if shown == "error":
            return Differences(*self.sides, self.shape)
        side = self.sides[shown == "reference"]
        return side if side.shape == self.shape else Part(side, self.shape)

    def heatmap(self, height: int, width: int, shown: Shown = "error", **options: Any) -> Heatmap:
        """A picture of the errors, or of one of both sides; options as of `Tensor.heatmap`."""
        return heatmap(self.elements(shown), height, width, **options)

    def histogram(
        self,
        bins: int = 256,
        limits: tuple[float, float] | None = None,
        shown: Shown = "error",
        *,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Histogram:
        """Counts of the errors, or of the values of one of both sides; as `Tensor.histogram`."""
        return histogram(self.elements(shown), bins, limits, progress=progress, threads=threads)

    def worst_rows(
        self, count: int = 20, *, progress: Progress | None = None, threads: int | None = None
    ) -> list[RowError]:
        """The rows with the largest errors, largest first."""
        sides = self.elements("quantized"), self.elements("reference")
        return worst_rows(*sides, count, progress=progress, threads=threads)


class Pairs(Sequence[TensorPair]):
    """The pairs of two models in the file order of the quantized one, and what has none, with the reason."""

    def __init__(self, models: tuple[WeightFile, WeightFile], opened: Iterable[WeightFile]) -> None:
        self.quantized, self.reference = models
        self._opened = tuple(opened)
        self._pairs: tuple[TensorPair, ...] = ()
        self.others: tuple[Weight, ...] = ()
        self.unpaired_quantized: tuple[Unpaired, ...] = ()
        self.unpaired_reference: tuple[Unpaired, ...] = ()

    def __getitem__(self, index: Any) -> Any:
        return self._pairs[index]

    def __len__(self) -> int:
        return len(self._pairs)

    def __enter__(self) -> Pairs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the models that were opened for this; those that were given open stay open."""
        for model in self._opened:
            model.close()

    def find(self, meter: Meter, share: int, guesses: bool) -> None:
        """Pair the tensors, counting each target as `share` of the meter."""
        sides = side_of(self.quantized), side_of(self.reference)
        flipped = sides[1].format == "gguf" != sides[0].format
        targets, others = (sides[1], sides[0]) if flipped else sides
        facts = facts_of((side.path, side.metadata) for side in (targets, others))
        pairing = pair(targets, others, facts, _Steps(meter, share))
        if targets.format != others.format:
            pairing.matches = [_with_order(match, facts.architecture) for match in pairing.matches]
        if guesses:
            guess(pairing, facts, meter)
        found = [pair for match in pairing.matches for pair in (_turned(match) if flipped else [_straight(match)])]
        order = {name: at for at, name in enumerate(sides[0].by_name)}
        self._pairs = tuple(sorted(found, key=lambda pair: order.get(pair.tensor.partition(" + ")[0], 0)))
        self.others = tuple(others)
        left = _left(pairing, targets, others)
        self.unpaired_quantized, self.unpaired_reference = left[flipped], left[not flipped]


def pair_models(
    quantized: Path | WeightFile,
    reference: Path | WeightFile,
    *,
    guesses: bool = True,
    progress: Progress | None = None,
) -> Pairs:
    """Which tensor of `reference` answers which of `quantized`: paths, or open models.

    Formats may differ: names are mapped and the converter's transforms undone; a pair counts only when its values bear that
    out. A config.json beside a checkpoint is used where there is one. `guesses=False` leaves out pairs that names do not
    tell. `progress(done, total)` counts tensors; returning False raises Cancelled. Close the result, or use it in a `with`.
    """
    pairs = opened_pairs(quantized, reference)
    try:
        pairs.find(Meter(progress, max(len(pairs.quantized.tensors), len(pairs.reference.tensors))), 1, guesses)
    except BaseException:
        pairs.close()
        raise
    return pairs


def opened_pairs(quantized: Path | WeightFile, reference: Path | WeightFile) -> Pairs:
    """Both models open, nothing paired yet."""
    opened: list[WeightFile] = []
    models = []
    try:
        for given in (quantized, reference):
            if isinstance(given, WeightFile):
                models.append(given)
            else:
                opened.append(open_model(given))
                models.append(opened[-1])
    except BaseException:
        for model in opened:
            model.close()
        raise
    return Pairs((models[0], models[1]), opened)


class _Steps(Meter):
    """A meter that counts each step as so many of another one."""

    def __init__(self, meter: Meter, share: int) -> None:
        super().__init__(None, 0)
        self._meter, self._share = meter, share

    def finish(self, done: int) -> None:
        self._meter.finish(done * self._share)


def _with_order(match: Match, architecture: str) -> Match:
    note = unexpected_order(architecture, match.target.name, match.found.label) if match.proven else None
    return match if note is None or match.note is not None else replace(match, note=note)


def _straight(match: Match) -> TensorPair:
    target, found = match.target, match.found
    shown = found.part(target.view)
    names = tuple(source.name for source in found.sources)
    types = target.type, _types(found.sources)
    return _pair(match, target.name, names, types, target.nbytes, shown.shape, (shown.elements, found.view.elements))


def _turned(match: Match) -> list[TensorPair]:
    """The GGUF is the reference: every source is a quantized tensor, and has its own part of the target where it can."""
    target, found = match.target, match.found
    if not found.parts:
        shown = found.part(target.view)
        name = " + ".join(source.name for source in found.sources)
        types, nbytes = (_types(found.sources), target.type), sum(source.nbytes for source in found.sources)
        return [_pair(match, name, (target.name,), types, nbytes, shown.shape, (found.view.elements, shown.elements))]
    pairs, at = [], 0
    for source, part in zip(found.sources, found.parts, strict=True):
        sides = part.elements, Part(target.elements, part.shape, at)
        at += part.elements.count
        pairs.append(
            _pair(match, source.name, (target.name,), (source.type, target.type), source.nbytes, part.shape, sides)
        )
    return pairs


def _pair(
    match: Match,
    tensor: str,
    reference: tuple[str, ...],
    types: tuple[str, str],
    nbytes: int,
    shape: Shape,
    sides: tuple[Elements, Elements],
) -> TensorPair:
    known = (match.found.label, match.proven, match.guessed, match.note)
    return TensorPair(tensor, reference, *known, *types, nbytes, shape, match.target, sides)


def _types(weights: Sequence[Weight]) -> str:
    return "+".join(dict.fromkeys(weight.type for weight in weights))


def _left(pairing: Pairing, targets: Side, others: Side) -> tuple[tuple[Unpaired, ...], tuple[Unpaired, ...]]:
    """What has no pair: (of the targets' side, of the other side)."""
    first = [Unpaired(weight.name, target_reason(weight, closest, others)) for weight, closest in pairing.targets]
    second = [Unpaired(weight.name, source_reason(weight, targets, others)) for weight in pairing.sources]
    first += [Unpaired(name, reason) for name, reason in targets.left_out.items()]
    second += [Unpaired(name, reason) for name, reason in others.left_out.items()]
    return tuple(first), tuple(second)
