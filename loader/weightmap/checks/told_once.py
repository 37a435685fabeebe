"""One cause, one finding: what a look at all values adds to what is said already, without what follows from it.

Zeros where nothing arrived, bytes that are shifted and scales that are no numbers show in every tensor and every weight
that they reach; each of these has its own findings, of which a person needs the one that says why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from weightmap.checks import structure, tail, unwritten
from weightmap.checks.reach import BEHIND, is_behind
from weightmap.checks.spans import spans
from weightmap.findings import Finding
from weightmap.formats.layout import Layout
from weightmap.source.byte_source import ByteSource

ZEROS = ("all_zero", "zeroed_stretch")
CAUSES = ("odd_scale", "non_finite", *ZEROS)


def told_once(
    layout: Layout,
    sources: Sequence[ByteSource | None],
    said: Sequence[Finding],
    values: Sequence[Finding],
    made_of: Mapping[str, Sequence[str]],
) -> tuple[Finding, ...]:
    """The findings of a model whose values were looked at: what was `said` before, and what the `values` add to it.

    `made_of`: by the name of each composed weight those of its tensors.
    """
    behind = [one for one in said if one.code in BEHIND]
    values = [one for one in values if not is_behind(one, behind)]
    holed: dict[str, set[str]] = {}
    if any(one.code in ZEROS for one in values) and any(one.code == "zeroed_stretch" for one in said):
        holed = unwritten.tensors(spans(layout, structure.suspects(layout)), sources)
    scales = {one.tensor for one in said if one.code == "odd_scale"}
    stored = [
        one
        for one in values
        if one.offset is not None
        and not (one.code in ZEROS and one.tensor in holed.get(one.path or "", ()))
        and not (one.code in CAUSES and one.tensor in scales)
    ]
    causes = scales.union(*holed.values(), (one.tensor for one in stored if one.code in CAUSES))
    composed = [one for one in values if one.offset is None and causes.isdisjoint(made_of.get(one.tensor or "", ()))]
    return tail.zero_tails(layout, sources, (*said, *stored, *_alike(composed)), told=holed)


def _alike(composed: Collection[Finding]) -> list[Finding]:
    """The findings about composed weights, of those that are too large or too small the first with the number of others."""
    far = [one for one in composed if one.code == "odd_scale"]
    if len(far) < 2:
        return list(composed)
    others = "1 more weight is" if len(far) == 2 else f"{len(far) - 1:,} more weights are"
    first = replace(far[0], message=f"{far[0].message} {others} outside as well.")
    return [first if one is far[0] else one for one in composed if one is far[0] or one.code != "odd_scale"]
