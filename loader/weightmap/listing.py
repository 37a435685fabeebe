"""The weights of an open model, each once: what lies in several tensors in place of these, everything else as it is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from weightmap.asked import UnknownReadingError
from weightmap.opened import Opened

if TYPE_CHECKING:
    from weightmap.companions.base import Claim
    from weightmap.composed import Composed


def composed(opened: Opened, claim: Claim, reading: str | None = None) -> Composed:
    """A composed weight of this model, in the reading of this name where it has one."""
    from weightmap.composed import Composed  # not for who looks at plain tensors

    weight = Composed(opened, claim)
    return weight if reading is None else weight.with_reading(weight.reading_called(reading))


def unknown_reading(asked: object, weights: Iterable[object]) -> KeyError:
    """The error for a reading that no weight has, with those that there are."""
    others = sorted({other for weight in weights for other in getattr(weight, "readings", ())})
    known = f"; there is {', '.join(map(repr, others))}" if others else ": nothing is left open in these"
    return UnknownReadingError(f"no weight has a reading called {asked!r}{known}")


def listed(opened: Opened) -> dict[str, int | Claim]:
    """By name, in file order: the index of a tensor, or what a composed weight is made of, in the place of its codes.

    Tensors whose weight cannot be told stay as they are. Of a name that stands twice it is the first; a plain tensor gives way to
    a composed weight of its name.
    """
    found = opened.composed()
    records: dict[str, int] = {}
    for index, record in enumerate(opened.layout.records):
        records.setdefault(record.name, index)
    if not found.entries:
        return dict(records)
    from weightmap.companions.base import Claim

    claims = {name: entry for name, entry in found.entries.items() if isinstance(entry, Claim)}
    first = {entry.sources[0].name: name for name, entry in claims.items()}
    every: dict[str, int | Claim] = {}
    for stored, index in records.items():
        name = first.get(stored)
        if name is not None:
            every[name] = claims[name]
        elif found.owner.get(stored) not in claims and stored not in claims:
            every[stored] = index
    return every
