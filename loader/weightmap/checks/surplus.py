"""Bytes behind the last tensor, by what put them there: a transfer in text mode, or a download that went on at the wrong place."""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.checks import begun_again, repeated_piece, text_mode
from weightmap.findings import Finding
from weightmap.formats.layout import Layout
from weightmap.source.byte_source import ByteSource


def check(layout: Layout, found: Sequence[Finding], sources: Sequence[ByteSource | None]) -> list[Finding]:
    """The findings about one layout, those about surplus bytes with their cause where it shows."""
    return [_explained(layout, one, sources) if one.code == "trailing_bytes" else one for one in found]


def _explained(layout: Layout, one: Finding, sources: Sequence[ByteSource | None]) -> Finding:
    for number, (part, source) in enumerate(zip(layout.parts, sources, strict=False)):
        if part.path == one.path and source is not None and source.mapped:
            last = max((r.offset + r.nbytes for r in layout.of_part(number)), default=part.data_start)
            again = begun_again.explained(one, part, source, last) or repeated_piece.explained(one, part, source, last)
            return text_mode.explained(one, part, source) or again or one
    return one
