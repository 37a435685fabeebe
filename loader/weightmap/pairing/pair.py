"""Pairs the tensors of two models. A pair counts only when its transform was proved on the values.

Both files are looked at from the side of the target: the GGUF where one of both is one, else the quantized model. For each
target the candidates of `sources` are tried until one is as close as the stored type allows; the closest one is kept.
Where none is close, the tensor is still paired if its name leaves no doubt: the same name in the same format, or a
transform that was proved in other blocks. Its error then is that of the tensor, and no mistake of the pairing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import isnan

from weightmap.errors import WeightFileError
from weightmap.pairing import proof
from weightmap.pairing.aliases import aliases
from weightmap.pairing.chains import place
from weightmap.pairing.facts import Facts
from weightmap.pairing.side import Side, Weight
from weightmap.pairing.sources import Candidate, sources_of
from weightmap.reading.sweep import Meter

CERTAIN = 0.8  # share of proved tensors above which a plain pair by name is believed without proof
PLAIN = ("=", "S", "T")  # what a converter does to a tensor whose kind was proved nowhere, ...
LEADING = "rows 0:"  # ... or to a vocabulary whose padding it leaves out or adds
HALVES = ("rows 1/2", "rows 2/2")


@dataclass(frozen=True, slots=True)
class Match:
    """A target, what holds the same in the other file, and how sure that is.

    error   relative rmse of the sampled values, None where there are none to compare
    proven  whether the values bear the transform out
    exact   whether the error is so small that nothing could be closer
    guessed whether the names said nothing and the values alone made the pair
    note    a sentence where there is something to say
    misstep whether values and names disagree on a conversion step, or on which part this is: no error of a type
    """

    target: Weight
    found: Candidate
    error: float | None
    proven: bool
    exact: bool = False
    guessed: bool = False
    note: str | None = None
    misstep: bool = False


@dataclass(slots=True)
class Pairing:
    """Matches in the order of the targets; targets without one, with the closest candidate if any; sources of none."""

    matches: list[Match] = field(default_factory=list)
    targets: list[tuple[Weight, Match | None]] = field(default_factory=list)
    sources: list[Weight] = field(default_factory=list)


def pair(targets: Side, others: Side, facts: Facts, meter: Meter) -> Pairing:
    """Pair what the names let expect. The meter counts targets. Raises Cancelled."""
    same_format = targets.format == others.format
    others.aliases.update(aliases(targets.by_name, others.by_name))
    tried: dict[str, list[Match]] = {}
    for weight in targets:
        tried[weight.name] = _tried(weight, others, facts)
        meter.finish(1)
    proved = _Proved(tried.values())
    result = Pairing()
    for weight in targets:
        matches = tried[weight.name]
        chosen = _namesake(matches, others) if same_format else None
        chosen = chosen or proved.expected(_closest(matches), matches) or _believed(weight, matches, proved)
        if chosen is None:
            result.targets.append((weight, min(matches, key=_distance, default=None)))
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


def _distance(match: Match) -> float:
    return float("inf") if match.error is None else match.error


def _closest(matches: list[Match]) -> Match | None:
    proven = [match for match in matches if match.proven]
    return min(proven, key=_distance, default=None)


def _namesake(matches: list[Match], others: Side) -> Match | None:
    """In files of one format the tensor of the same name is the one to compare with, whatever its values are."""
    if not matches or matches[0].found.label != "=":
        return None
    if matches[0].found.sources[0] is not others.named(matches[0].target.name):
        return None
    if matches[0].target.turned != matches[0].found.sources[0].turned:
        return None  # the other file may hold it as runtimes do
    first, closest = matches[0], _closest(matches)
    if first.proven or closest is None:
        return first
    other = closest.found.sources[0].name
    where = f"with {closest.found.label}" if other == first.target.name else f"against {other}"
    note = (
        "Rows or columns are in another order than in the reference: a conversion step is not undone, or was done twice. "
        f"The sampled error is {first.error or 0:.2g}; {where} it is {closest.error or 0:.2g}."
    )
    return replace(first, note=note, misstep=True)


class _Proved:
    """Which transforms were proved for which kind of tensor, of which sources, and how many of all tensors."""

    def __init__(self, tried: Iterable[list[Match]]) -> None:
        labels: Counter[tuple[str, str]] = Counter()
        ranks: dict[tuple[str, str], int] = {}
        self.sources: set[str] = set()
        self.parts: set[tuple[str, str]] = set()
        total = sure = 0
        for matches in tried:
            total += bool(matches)
            if (match := _closest(matches)) is not None:
                sure += 1
                labels[_kind(match.target), match.found.label] += 1
                ranks.setdefault((_kind(match.target), match.found.label), matches.index(match))
                for source in match.found.sources:
                    self.sources.add(source.name)
                    self.parts.add((source.name, match.found.label))
        self.share = sure / total if total else 0.0
        self._labels = labels
        self._usual: dict[str, str] = {}
        for kind, label in sorted(labels, key=lambda one: (-labels[one], ranks[one])):  # of two the likelier one
            self._usual.setdefault(kind, label)

    def uses(self, found: Candidate) -> bool:
        """Whether a source, or the part of it, is proved to be another tensor already: then its name means that one."""
        if _is_part(found):
            return (found.sources[0].name, found.label) in self.parts
        return any(source.name in self.sources for source in found.sources)

    def is_rest(self, found: Candidate) -> bool:
        """Whether it is one half of a source whose other half is proved to be another tensor."""
        for half, other in (HALVES, HALVES[::-1]):
            if found.label.endswith(half):
                return (found.sources[0].name, found.label.removesuffix(half) + other) in self.parts
        return False

    def expected(self, closest: Match | None, matches: list[Match]) -> Match | None:
        """The closest match, but where it takes another part of its source than all other tensors of its kind do: theirs."""
        if closest is None or not _is_part(closest.found) or (usual := self.label(closest.target)) is None:
            return closest
        kind = _kind(closest.target)
        if self._labels[kind, closest.found.label] > 1:
            return closest
        names = [source.name for source in closest.found.sources]
        same = (m for m in matches if m.found.label == usual and [s.name for s in m.found.sources] == names)
        other = next(same, None)
        if other is None or other is closest:
            return closest
        note = (
            f"The values are those of another part of {names[0]} ({closest.found.label}) than in the other blocks ({usual}): "
            "two tensors are exchanged."
        )
        return replace(other, note=note, misstep=True)

    def label(self, target: Weight) -> str | None:
        """The transform that most tensors of this kind turned out to have."""
        return self._usual.get(_kind(target))


def _is_part(found: Candidate) -> bool:
    """Whether it takes a part of one source, and leaves the rest to other tensors."""
    return len(found.sources) == 1 and found.sources[0].elements.count > found.view.elements.count


def _kind(weight: Weight) -> str:
    at = place(weight.roles[0].target if weight.roles else weight.name)
    return f"{at.base}.{at.end}"


def _believed(target: Weight, matches: list[Match], proved: _Proved) -> Match | None:
    """A match without proof that still is the tensor which the name says: damaged, or of other values."""
    label = proved.label(target)
    plain = label is None and proved.share >= CERTAIN
    for match in matches:
        own = match.found.label
        expected = own == label or (plain and (own in PLAIN or own.startswith(LEADING)))
        if (expected or (label is None and proved.is_rest(match.found))) and not proved.uses(match.found):
            return match
    return None
