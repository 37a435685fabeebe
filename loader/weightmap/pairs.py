"""Two models paired tensor by tensor: what belongs together, ready to be measured, drawn and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import overload

from weightmap.api import Path
from weightmap.api import open as open_model
from weightmap.errors import SeveralModelsError
from weightmap.model import WeightFile
from weightmap.pairing.beside import meant_beside
from weightmap.pairing.facts import facts_of
from weightmap.pairing.guess import guess
from weightmap.pairing.lookalikes import Lookalikes
from weightmap.pairing.missteps import settled
from weightmap.pairing.pair import pair
from weightmap.pairing.plan import left, straight, turned, with_order
from weightmap.pairing.side import Weight, side_of
from weightmap.pairing.sources import sources_of
from weightmap.pairing.tensor_pair import TensorPair, Unpaired
from weightmap.reading.sweep import Meter, Progress
from weightmap.wording import plural


class Pairs(Sequence[TensorPair]):
    """The pairs of two models in the file order of the quantized one, and what has none, with the reason."""

    def __init__(self, models: tuple[WeightFile, WeightFile], opened: Iterable[WeightFile]) -> None:
        self.quantized, self.reference = models
        self._opened = tuple(opened)
        self._pairs: tuple[TensorPair, ...] = ()
        self.others: tuple[Weight, ...] = ()
        self.unpaired_quantized: tuple[Unpaired, ...] = ()
        self.unpaired_reference: tuple[Unpaired, ...] = ()

    @overload
    def __getitem__(self, index: int) -> TensorPair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TensorPair, ...]: ...
    def __getitem__(self, index: int | slice) -> TensorPair | tuple[TensorPair, ...]:
        return self._pairs[index]

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"<{plural(len(self), 'pair')} of {self.quantized.path!r} with {self.reference.path!r}>"

    def __enter__(self) -> Pairs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the models that were opened for this; those that were given open stay open."""
        for model in self._opened:
            model.close()

    @cached_property
    def lookalikes(self) -> Lookalikes:
        """Finds which tensor of the other side holds given values; it keeps the samples that it takes."""
        return Lookalikes(self.others)

    def find(self, meter: Meter, share: int, guesses: bool) -> None:
        """Pair the tensors, counting each target as `share` of the meter."""
        sides = side_of(self.quantized), side_of(self.reference)
        flipped = sides[1].format == "gguf" != sides[0].format
        targets, others = (sides[1], sides[0]) if flipped else sides
        facts = facts_of((side.path, side.metadata) for side in (targets, others))
        pairing = pair(targets, others, facts, _Steps(meter, share))
        if targets.format != others.format:
            pairing.matches = settled(
                pairing.matches, facts.architecture, lambda match: sources_of(match.target, others, facts)
            )
            pairing.matches = [with_order(match, facts.architecture) for match in pairing.matches]
        if guesses:
            guess(pairing, facts, meter)
        found = [pair for match in pairing.matches for pair in (turned(match) if flipped else [straight(match)])]
        order = {name: at for at, name in enumerate(sides[0].by_name)}
        self._pairs = tuple(sorted(found, key=lambda pair: order.get(pair.tensor.partition(" + ")[0], 0)))
        self.others = tuple(others)
        rest = left(pairing, targets, others)
        self.unpaired_quantized, self.unpaired_reference = rest[flipped], rest[not flipped]


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
    tell. Of a folder with several models the one is taken that can be meant beside the other: the checkpoint beside a GGUF.
    `progress(done, total)` counts tensors; returning False raises Cancelled. Raises WeightFileError where a model cannot be
    opened or read. Close the result, or use it in a `with`.
    """
    pairs = opened_pairs(quantized, reference)
    try:
        pairs.find(Meter(progress, max(len(pairs.quantized.tensors), len(pairs.reference.tensors))), 1, guesses)
    except BaseException:
        pairs.close()
        raise
    return pairs


def opened_pairs(quantized: Path | WeightFile, reference: Path | WeightFile) -> Pairs:
    """Both models open, nothing paired yet. Of a folder with several models the one that can be meant beside the other side
    is opened, where that is one alone.
    """
    given = quantized, reference
    opened: list[WeightFile] = []
    models = [one if isinstance(one, WeightFile) else None for one in given]
    unclear: list[tuple[int, SeveralModelsError]] = []
    try:
        for side, one in enumerate(given):
            if not isinstance(one, WeightFile):
                try:
                    opened.append(open_model(one))
                    models[side] = opened[-1]
                except SeveralModelsError as problem:
                    unclear.append((side, problem))
        for side, several in unclear:
            other = models[1 - side]
            meant = None if other is None else meant_beside(other, several.choices)
            if meant is None:
                raise several
            opened.append(open_model(meant))
            models[side] = opened[-1]
    except BaseException:
        for model in opened:
            model.close()
        raise
    first, second = models
    assert first is not None and second is not None
    return Pairs((first, second), opened)


class _Steps(Meter):
    """A meter that counts each step as so many of another one."""

    def __init__(self, meter: Meter, share: int) -> None:
        super().__init__(None, 0)
        self._meter, self._share = meter, share

    def finish(self, done: int) -> None:
        self._meter.finish(done * self._share)
