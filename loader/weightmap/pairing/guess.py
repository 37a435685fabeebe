"""Guesses for tensors that no table of names knows: pairs by shape, and by the values of sampled rows.

A guess is made only where two tensors are each other's nearest by far, with an error that their stored types explain. It
is marked as a guess, for a person to accept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from weightmap.errors import WeightFileError
from weightmap.pairing import proof
from weightmap.pairing.facts import Facts
from weightmap.pairing.head_chains import WIDTHS
from weightmap.pairing.lazy import Shape
from weightmap.pairing.match import Match, Pairing
from weightmap.pairing.side import Weight
from weightmap.pairing.sources import Candidate
from weightmap.pairing.steps import RopeRows, Shift, Step, Transpose
from weightmap.pairing.view import View
from weightmap.reading.sweep import Meter

FEWEST = 16  # elements: fewer agree by chance
MOST = 2048  # tensors of one shape on either side: beyond, a table of all distances grows too large
ROUNDING = 1e-6  # distances below this are none
CLEAR = 0.5  # the nearest must be nearer than this share of the second nearest


@dataclass(frozen=True, slots=True)
class Seen:
    """A source as one transform would show it, sampled like the targets of that shape."""

    source: Weight
    label: str
    view: View
    sample: proof.Sample


def guess(pairing: Pairing, facts: Facts, meter: Meter) -> None:
    """Move what can be guessed from the unpaired of both sides to the matches. Raises Cancelled."""
    for variants in (_plain, _turned, lambda weight: _rotated(weight, facts)):
        targets = [weight for weight, _ in pairing.targets]
        found = list(_nearest(targets, pairing.sources, variants, meter))
        pairing.matches += found
        paired = {id(match.target) for match in found} | {id(match.found.sources[0]) for match in found}
        pairing.targets = [entry for entry in pairing.targets if id(entry[0]) not in paired]
        pairing.sources = [weight for weight in pairing.sources if id(weight) not in paired]


def _plain(weight: Weight) -> Iterator[Step | None]:
    yield None


def _turned(weight: Weight) -> Iterator[Step | None]:
    if len(weight.shape) == 2:
        yield Transpose()
    if len(weight.shape) == 1:
        yield Shift(1.0, "+1")
        yield Shift(-1.0, "-1")


def _rotated(weight: Weight, facts: Facts) -> Iterator[Step | None]:
    rows = weight.shape[0] if len(weight.shape) in (1, 2) else 0
    told = [n for letter in ("H", "HK") for n in facts.numbers(letter)]
    for heads in dict.fromkeys(told or [rows // width for width in WIDTHS if rows % width == 0]):
        if heads and rows % (2 * heads) == 0:
            yield from (RopeRows(heads), RopeRows(heads, undo=True))


Variants = Callable[[Weight], Iterator[Step | None]]


def _nearest(targets: list[Weight], sources: list[Weight], variants: Variants, meter: Meter) -> Iterator[Match]:
    """Pairs of which each is the other's nearest, shape by shape."""
    by_shape: dict[Shape, list[Seen]] = defaultdict(list)
    wanted = {shape for weight in targets if prod(shape := _bare(weight.shape)) >= FEWEST}
    for source in sources:
        for step in variants(source):
            view = source.view if step is None else step.apply(source.view)
            if view is not None and (shape := _bare(view.shape)) in wanted and len(by_shape[shape]) < MOST:
                sample = sampled(view, shape)
                if sample is not None:
                    by_shape[shape].append(Seen(source, step.label if step else "=", view, sample))
        meter.show(0)
    alike: dict[Shape, list[Weight]] = defaultdict(list)
    for weight in targets:
        alike[_bare(weight.shape)].append(weight)
    for shape, seen in by_shape.items():
        samples = [
            (weight, sample) for weight in alike[shape][:MOST] if (sample := sampled(weight.view, shape)) is not None
        ]
        if samples and seen:
            yield from mutual(samples, seen)


def mutual(targets: list[tuple[Weight, proof.Sample]], seen: list[Seen]) -> Iterator[Match]:
    """Pairs of which each is the other's nearest, among samples of one shape."""
    distances = _distances(np.stack([sample for _, sample in targets]), np.stack([one.sample for one in seen]))
    owners = np.array([id(one.source) for one in seen])
    for row, (target, _) in enumerate(targets):
        column = int(np.argmin(distances[row]))
        best, error = seen[column], float(distances[row, column])
        near = proof.proven(proof.Difference(error, error), proof.usual(target.usual, best.source.usual))
        others = np.concatenate([distances[row, owners != owners[column]], np.delete(distances[:, column], row)])
        rival = float(np.min(others, initial=np.inf))
        if not near:
            continue
        if error >= CLEAR * rival:
            rivals = [seen[k] for k in np.flatnonzero(distances[row] <= error / CLEAR).tolist()]
            told = _by_block(target, rivals)
            if told is None:
                continue
            best = told
        note = f"The names do not say that these belong together; their shape and sampled values do (relative error {error:.2g})."
        found = Candidate((best.source,), best.label, View(best.view.elements, target.shape))
        yield Match(target, found, error, True, guessed=True, note=note)


def _by_block(target: Weight, rivals: list[Seen]) -> Seen | None:
    """Of equally near sources the one with the target's block number, if just one has it."""
    number = _block(target.name)
    same = [rival for rival in rivals if number is not None and _block(rival.source.name) == number]
    return same[0] if len(same) == 1 else None


def _block(name: str) -> int | None:
    found = re.search(r"(?:^|[^0-9A-Za-z])(\d{1,6})(?=[^0-9A-Za-z]|$)", name)
    return int(found[1]) if found else None


def _distances(targets: NDArray[np.float64], sources: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rmse between every target and every source, relative to how much the source's values spread."""
    with np.errstate(all="ignore"):
        spread = np.sum((sources - sources.mean(axis=1, keepdims=True)) ** 2, axis=1)
        square = np.sum(targets**2, axis=1)[:, None] + np.sum(sources**2, axis=1) - 2 * targets @ sources.T
        relative: NDArray[np.float64] = np.sqrt(np.maximum(square, 0) / spread)
    relative[~np.isfinite(relative)] = np.inf
    return np.maximum(relative, ROUNDING)


def sampled(view: View, shape: Shape) -> proof.Sample | None:
    """Values of a view at the places for a shape; None where they cannot be read, or are not all finite."""
    try:
        sample = proof.spots(shape).values(view.elements)
    except WeightFileError:
        return None
    return sample if np.isfinite(sample).all() else None


def _bare(shape: Shape) -> Shape:
    return tuple(n for n in shape if n != 1)
