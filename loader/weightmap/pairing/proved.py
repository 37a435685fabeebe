"""What was proved on the values of all tensors, and so may be believed of those whose own values prove nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from weightmap.pairing.chains import place
from weightmap.pairing.match import Match, closest_of
from weightmap.pairing.side import Weight
from weightmap.pairing.sources import Candidate

HALVES = ("rows 1/2", "rows 2/2")


class Proved:
    """Which transforms were proved for which kind of tensor, of which sources, and how many of all tensors."""

    def __init__(self, tried: Iterable[list[Match]]) -> None:
        labels: Counter[tuple[str, str]] = Counter()
        ranks: dict[tuple[str, str], int] = {}
        self.sources: set[str] = set()
        self.parts: set[tuple[str, str]] = set()
        total = sure = 0
        for matches in tried:
            total += bool(matches)
            if (match := closest_of(matches)) is not None:
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
