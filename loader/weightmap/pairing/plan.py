"""From matches to pairs, seen from the quantized model, whichever side was looked at from while pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from weightmap.pairing.diagnosis import unexpected_order
from weightmap.pairing.lazy import Part, Shape
from weightmap.pairing.match import Match, Pairing
from weightmap.pairing.reasons import source_reason, target_reason
from weightmap.pairing.side import Side, Weight
from weightmap.pairing.tensor_pair import TensorPair, Unpaired
from weightmap.reading.elements import Elements


class Types(NamedTuple):
    """Types of both sides as they are shown, and as their usual errors are known."""

    quantized: str
    reference: str
    usual: str
    reference_usual: str


def with_order(match: Match, architecture: str) -> Match:
    """The match, with a note where the order of its rows is not the one that its architecture has."""
    note = unexpected_order(architecture, match.target.name, match.found.label) if match.proven else None
    return match if note is None or match.note is not None else replace(match, note=note)


def straight(match: Match) -> TensorPair:
    """The target is the quantized tensor."""
    target, found = match.target, match.found
    shown = found.part(target.view)
    names = tuple(source.name for source in found.sources)
    types = Types(target.type, _types(found.sources), target.usual, found.sources[0].usual)
    return _pair(match, target.name, names, types, target.nbytes, shown.shape, (shown.elements, found.view.elements))


def turned(match: Match) -> list[TensorPair]:
    """The GGUF is the reference: every source is a quantized tensor, and has its own part of the target where it can."""
    target, found = match.target, match.found
    if not found.parts:
        shown = found.part(target.view)
        name = " + ".join(source.name for source in found.sources)
        types = Types(_types(found.sources), target.type, found.sources[0].usual, target.usual)
        nbytes = sum(source.nbytes for source in found.sources)
        return [_pair(match, name, (target.name,), types, nbytes, shown.shape, (found.view.elements, shown.elements))]
    pairs, at = [], 0
    for source, part in zip(found.sources, found.parts, strict=True):
        sides = part.elements, Part(target.elements, part.shape, at)
        at += part.elements.count
        types = Types(source.type, target.type, source.usual, target.usual)
        pairs.append(_pair(match, source.name, (target.name,), types, source.nbytes, part.shape, sides))
    return pairs


def _pair(
    match: Match,
    tensor: str,
    reference: tuple[str, ...],
    types: Types,
    nbytes: int,
    shape: Shape,
    sides: tuple[Elements, Elements],
) -> TensorPair:
    known = (match.found.label, match.proven, match.guessed, match.note)
    shown, usual = (types.quantized, types.reference), (types.usual, types.reference_usual)
    return TensorPair(tensor, reference, *known, *shown, nbytes, shape, match.target, sides, usual, match.misstep)


def _types(weights: Sequence[Weight]) -> str:
    return "+".join(dict.fromkeys(weight.type for weight in weights))


def left(pairing: Pairing, targets: Side, others: Side) -> tuple[tuple[Unpaired, ...], tuple[Unpaired, ...]]:
    """What has no pair: (of the targets' side, of the other side)."""
    first = [Unpaired(weight.name, target_reason(weight, closest, others)) for weight, closest in pairing.targets]
    second = [Unpaired(weight.name, source_reason(weight, targets, others)) for weight in pairing.sources]
    first += [Unpaired(name, reason, targets.part_of.get(name)) for name, reason in targets.left_out.items()]
    second += [Unpaired(name, reason, others.part_of.get(name)) for name, reason in others.left_out.items()]
    return tuple(first), tuple(second)
