"""One loss, one finding: what single tensors say of zeros, or of bytes that are shifted, and what is said of their file.

Where all values are looked at, each tensor of zeros has a line of its own, and a download that stopped leaves many of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.checks import structure, tail, unwritten
from weightmap.checks.reach import BEHIND
from weightmap.checks.spans import spans
from weightmap.findings import Finding
from weightmap.formats.layout import Layout
from weightmap.source.byte_source import ByteSource

ZEROS = ("all_zero", "zeroed_stretch")


def told_once(
    layout: Layout, sources: Sequence[ByteSource | None], said: Sequence[Finding], values: Sequence[Finding]
) -> tuple[Finding, ...]:
    """The findings of a model whose values were looked at: what was `said` before, and what the `values` add to it."""
    shifted = {one.path: one.offset or 0 for one in said if one.code in BEHIND}
    values = [one for one in values if one.path not in shifted or (one.offset or 0) < shifted[one.path]]
    if not any(one.code in ZEROS for one in values):
        return (*said, *values)
    holed: dict[str, set[str]] = {}
    if any(one.code == "zeroed_stretch" for one in said):
        holed = unwritten.tensors(spans(layout, structure.suspects(layout)), sources)
    more = [one for one in values if one.code not in ZEROS or one.tensor not in holed.get(one.path or "", ())]
    return tail.zero_tails(layout, sources, (*said, *more), told=holed)
