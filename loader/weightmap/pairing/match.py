"""A tensor of one model and what holds the same in the other, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field

from weightmap.pairing.side import Weight
from weightmap.pairing.sources import Candidate


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


def sampled_error(match: Match) -> float:
    """The error of the sampled values; infinite where there were none to compare."""
    return float("inf") if match.error is None else match.error


def closest_of(matches: list[Match]) -> Match | None:
    """Of those that the values bear out the one with the least error."""
    proven = [match for match in matches if match.proven]
    return min(proven, key=sampled_error, default=None)
