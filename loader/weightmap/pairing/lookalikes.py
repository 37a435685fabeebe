"""Which tensor of the other file holds what a tensor of another name holds: for saying what was exchanged with what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weightmap.pairing import proof
from weightmap.pairing.guess import FEWEST, MOST, Seen, mutual, sampled
from weightmap.pairing.lazy import Shape
from weightmap.pairing.side import Weight
from weightmap.pairing.steps import Chain, RopeRows, RowRange, Rows, Shift, Step, Transpose

SHAPES = 64  # shapes, and steps for each, of which samples are kept
_ROPE = re.compile(r"P\((\d{1,6})\)")
_PART = re.compile(r"rows (\d)/(\d)")
_RANGE = re.compile(r"rows (\d{1,9}):(\d{1,9})")
_FIXED: dict[str, Step] = {"T": Transpose(), "T2": Transpose("T2"), "+1": Shift(1.0, "+1")}


class Alike(NamedTuple):
    """A tensor of the other file, and by which steps it holds the values: "=" for as it is."""

    weight: Weight
    label: str


class Lookalikes:
    """Finds which tensor of a model holds given values, whatever its name; each is sampled once, when first needed."""

    def __init__(self, weights: Sequence[Weight]) -> None:
        self._weights = [weight for weight in weights if weight.elements.count >= FEWEST]
        self._seen: dict[tuple[Shape, str], list[Seen]] = {}

    def of(self, target: Weight, transform: str = "=") -> Alike | None:
        """The one tensor that is nearer than all others, and near enough for the types: by the steps of `transform`, the
        label of the target's own pair, or of which it is another part; else as it is.
        """
        sample = sampled(target.view, target.shape)
        if sample is None:
            return None
        for label in dict.fromkeys((transform, "=")):
            if (found := self._nearest(target, sample, label)) is not None:
                return found
        return None

    def _nearest(self, target: Weight, sample: proof.Sample, label: str) -> Alike | None:
        key = target.shape, label
        if key not in self._seen:
            if len(self._seen) >= SHAPES:
                return None
            self._seen[key] = list(self._samples(target.shape, label))
        if not self._seen[key]:
            return None
        found = next(mutual([(target, sample)], self._seen[key]), None)
        return None if found is None else Alike(found.found.sources[0], found.found.label)

    def _samples(self, shape: Shape, label: str) -> Iterator[Seen]:
        chains, count = _chains(label), 0
        for weight in self._weights:
            for chain in chains:
                view = chain.apply(weight.view)
                if view is None or view.shape != shape or (sample := sampled(view, shape)) is None:
                    continue
                yield Seen(weight, chain.label, view, sample)
                count += 1
                if count >= MOST:
                    return


def _chains(label: str) -> list[Chain]:
    """The steps of a label, once for every part that it could take of a source; [] where it is none of the plain ones."""
    if label == "=":
        return [Chain(())]
    chains: list[tuple[Step, ...]] = [()]
    for word in label.split(","):
        if found := _PART.fullmatch(word):
            options: list[Step] = [Rows(part, int(found[2])) for part in range(int(found[2]))]
        elif found := _ROPE.fullmatch(word):
            options = [RopeRows(int(found[1]))]
        elif found := _RANGE.fullmatch(word):
            options = [RowRange(int(found[1]), int(found[2]) - int(found[1]))]
        elif word in _FIXED:
            options = [_FIXED[word]]
        else:
            return []
        chains = [(*chain, option) for chain in chains for option in options]
    return [Chain(chain) for chain in chains]
