"""Whether anything in a model may be composed: all that a plain file is asked, so this module imports next to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from weightmap.findings import Finding
from weightmap.formats.layout import Layout

if TYPE_CHECKING:
    from weightmap.companions.base import Claim, Refusal

CODES = frozenset({"I8", "U8", "I16", "I32", "U32", "F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E5M2", "F8_E8M0"})
CODES |= {"F8_E4M3FNUZ", "F8_E5M2FNUZ"}
"""Types that codes are stored in. Without a tensor of one of them nothing is composed."""

LEFT = (
    *(".weight_scale", "_scale_inv", ".weight_scale_2", ".weight_global_scale", ".scale_weight", ".SCB", ".absmax"),
    *("_proj_weight_scale", "._weight_scale"),
)
"""Endings of what is left of a quantized weight whose codes are gone: no other tensors are called so."""

PAIR = (".scales", ".biases")
"""The same where there are both of them: of a file of MLX."""


class Found(NamedTuple):
    """The composed weights of a model by logical name, in file order of their codes, and what is to be said about them.

    owner  for each tensor that is a part of one, the name of that weight
    """

    entries: Mapping[str, Claim | Refusal]
    owner: Mapping[str, str]
    findings: tuple[Finding, ...]


NOTHING = Found({}, {}, ())


def may_be_composed(layout: Layout) -> bool:
    """Whether there is a tensor that may hold codes, or that has lost its codes: a look at types and ends of names alone."""
    if layout.format != "safetensors":
        return False
    if any(type.name in CODES for type in set(map(attrgetter("type"), layout.records))):
        return True
    # searched in one piece, as a checkpoint has thousands
    names = "\n".join(map(attrgetter("name"), layout.records)) + "\n"
    return any(f"{ending}\n" in names for ending in LEFT) or all(f"{ending}\n" in names for ending in PAIR)
