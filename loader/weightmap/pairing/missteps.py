"""Conversion steps that were left out, or done once too often, in single tensors.

The values prove which steps lie between a tensor and its source. Where these are not the steps that tensors of the same
kind in other blocks have, or that the architecture always has, the model computes with other weights: the tensor is paired
by the usual steps, so that its error is what it costs, and what happened is said.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from weightmap.errors import WeightFileError
from weightmap.naming.names import names
from weightmap.naming.rules import BLOCK
from weightmap.pairing import proof
from weightmap.pairing.match import Match
from weightmap.pairing.sources import Candidate

Ways = Callable[[Match], Iterable[Candidate]]

LEFT_OUT = "Its rows are not reordered for the rotary embedding"
TWICE = "Its rows are reordered for the rotary embedding once too often"
TURNED = "It is transposed"
WHAT = {
    ("P()", "="): LEFT_OUT,
    ("=", "P()"): TWICE,
    ("P()", "P(),P()"): TWICE,
    ("=", "T"): TURNED,
    ("T", "="): "It is not transposed",
    ("=", "undo P()"): "Its rows are in the order from before the rotary embedding was made",
    ("+1", "="): "One was not added to its values",
    ("=", "+1"): "One was added to its values",
}
"""(the usual step, the one found) to what is said; heads are left out of the labels."""


def settled(matches: list[Match], architecture: str, ways: Ways) -> list[Match]:
    """The matches, those that a misstep explains paired by the usual step. `ways` gives the candidates of a match."""
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for match in matches:
        if match.proven and not match.guessed:
            kinds[_kind(match.target.name)][_bare(match.found.label)] += 1
    told = _told(architecture)
    return [
        _settled(match, kinds[_kind(match.target.name)], told.get(_kind(match.target.name)), ways) for match in matches
    ]


def _settled(match: Match, labels: Counter[str], told: str | None, ways: Ways) -> Match:
    if not match.proven or match.guessed or match.note is not None:
        return match
    own = _bare(match.found.label)
    usual, why = _usual(own, labels, told)
    if usual is None or (usual, own) not in WHAT:
        return match
    sources = [source.name for source in match.found.sources]
    for found in ways(match):
        if _bare(found.label) == usual and [source.name for source in found.sources] == sources:
            error = _error(match, found)
            if error is None or error <= proof.UNKNOWN * 1e-3:
                return match  # the step changes nothing
            note = f"{WHAT[usual, own]}, {why}: read with {match.found.label} and not with {found.label}, the values agree."
            return replace(match, found=found, error=error, proven=False, exact=False, note=note, misstep=True)
    return match


def _usual(own: str, labels: Counter[str], told: str | None) -> tuple[str | None, str]:
    """The step that is usual, where that is not the tensor's own, and who has it."""
    label, count = labels.most_common(1)[0]
    if label != own and count >= 2 * labels[own]:
        return label, "unlike in the other blocks"
    if told is not None and told != own and (told == "+1" or labels[told]):
        return told, "as the converter of this architecture does" if told == "=" else "which the converter always does"
    return None, ""


def _told(architecture: str) -> dict[str, str]:
    """Kinds of tensors for which the architecture has one step, by its bare label."""
    steps: dict[str, set[str]] = defaultdict(set)
    for name in names(architecture):
        steps[_kind(name.target.replace(BLOCK, "0"))].add("P()" if name.transform.startswith("P(") else name.transform)
    return {
        kind: one
        for kind, found in steps.items()
        if len(found) == 1 and (one := next(iter(found))) in ("P()", "=", "+1")
    }


def _kind(name: str) -> str:
    """A tensor's name without its block; towers are built of blocks of their own, which have steps of their own."""
    return re.sub(r"\bblk\.\d+\.", "blk.", name)


def _bare(label: str) -> str:
    return re.sub(r"\([^)]*\)", "()", label)


def _error(match: Match, found: Candidate) -> float | None:
    """How far the values are from what the usual step gives, on samples; None where that cannot be read."""
    places = proof.spots(found.view.shape)
    try:
        return proof.difference(places.values(match.target.elements), places.values(found.view.elements)).relative
    except WeightFileError:
        return None
