"""Pairs the tensors of two models. A pair counts only when its transform was proved on the values.

Both files are looked at from the side of the target: the GGUF where one of both is one, else the quantized model. For each
target the candidates of `sources` are tried until one is as close as the stored type allows; the closest one is kept.
Where none is close, the tensor is still paired if its name leaves no doubt: the same name in the same format, or a
transform that was proved in other blocks. Its error then is that of the tensor, and no mistake of the pairing.
"""

from __future__ import annotations

from dataclasses import replace
from math import isnan

from weightmap.errors import WeightFileError
from weightmap.pairing import proof
from weightmap.pairing.aliases import aliases
from weightmap.pairing.facts import Facts
from weightmap.pairing.match import Match, Pairing, closest_of, sampled_error
from weightmap.pairing.proved import Proved
from weightmap.pairing.side import Side, Weight
from weightmap.pairing.sources import Candidate, sources_of
from weightmap.reading.sweep import Meter

CERTAIN = 0.8  # share of proved tensors above which a plain pair by name is believed without proof
PLAIN = ("=", "S", "T")  # what a converter does to a tensor whose kind was proved nowhere, ...
LEADING = "rows 0:"  # ... or to a vocabulary whose padding it leaves out or adds


def pair(targets: Side, others: Side, facts: Facts, meter: Meter) -> Pairing:
    """Pair what the names let expect. The meter counts targets. Raises Cancelled."""
    same_format = targets.format == others.format
    others.aliases.update(aliases(targets.by_name, others.by_name))
    tried: dict[str, list[Match]] = {}
    for weight in targets:
        tried[weight.name] = _tried(weight, others, facts)
        meter.finish(1)
    proved = Proved(tried.values())
    result = Pairing()
    for weight in targets:
        matches = tried[weight.name]
        chosen = _namesake(matches, others) if same_format else None
        chosen = chosen or proved.expected(closest_of(matches), matches) or _believed(weight, matches, proved)
        if chosen is None:
            result.targets.append((weight, min(matches, key=sampled_error, default=None)))
        else:
            result.matches.append(chosen)
    unpaired(result, others)
    return result


def unpaired(result: Pairing, others: Side) -> None:
    """Note which sources no match uses."""
    used = {source.name for match in result.matches for source in match.found.sources}
    result.sources = [weight for weight in others if weight.name not in used]


def _tried(target: Weight, others: Side, facts: Facts) -> list[Match]:
    """The candidates as they were tried, until one was exact: first by a quick look at each, then by a thorough one."""
    matches: list[Match] = []
    for windows in (1, proof.WINDOWS):
        matches = []
        samples: dict[int | None, proof.Sample] = {}
        whole = True
        for found in sources_of(target, others, facts):
            places = proof.spots(target.shape if found.rows is None else found.view.shape, windows)
            whole = whole and not places.windows
            match = _looked_at(target, found, places, samples)
            if match is not None:
                matches.append(match)
                if match.exact:
                    return matches
        if whole:
            break
    return matches


def _looked_at(
    target: Weight, found: Candidate, places: proof.Spots, samples: dict[int | None, proof.Sample]
) -> Match | None:
    """What the sampled values say of a candidate; None where they cannot be read."""
    try:
        if found.rows not in samples:
            samples[found.rows] = places.values(found.part(target.view).elements)
        seen = proof.difference(samples[found.rows], places.values(found.view.elements))
    except WeightFileError:
        return None
    expected = proof.usual(target.usual, found.sources[0].usual)
    error = None if isnan(seen.relative) else seen.relative
    return Match(target, found, error, proof.proven(seen, expected), exact=proof.exact(seen, expected))


def _namesake(matches: list[Match], others: Side) -> Match | None:
    """In files of one format the tensor of the same name is the one to compare with, whatever its values are."""
    if not matches or matches[0].found.label != "=":
        return None
    if matches[0].found.sources[0] is not others.named(matches[0].target.name):
        return None
    if matches[0].target.turned != matches[0].found.sources[0].turned:
        return None  # the other file may hold it as runtimes do
    first, closest = matches[0], closest_of(matches)
    if first.proven or closest is None:
        return first
    other = closest.found.sources[0].name
    where = f"with {closest.found.label}" if other == first.target.name else f"against {other}"
    note = (
        "Rows or columns are in another order than in the reference: a conversion step is not undone, or was done twice. "
        f"The sampled error is {first.error or 0:.2g}; {where} it is {closest.error or 0:.2g}."
    )
    return replace(first, note=note, misstep=True)


def _believed(target: Weight, matches: list[Match], proved: Proved) -> Match | None:
    """A match without proof that still is the tensor which the name says: damaged, or of other values."""
    label = proved.label(target)
    plain = label is None and proved.share >= CERTAIN
    for match in matches:
        own = match.found.label
        expected = own == label or (plain and (own in PLAIN or own.startswith(LEADING)))
        if (expected or (label is None and proved.is_rest(match.found))) and not proved.uses(match.found):
            return match
    return None
