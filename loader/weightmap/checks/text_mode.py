"""Files that were sent or stored as if they were text: a carriage return was put before every line feed among their bytes.

From the first one on every value is wrong, and all that a header which can still be read shows of it is a file that is
somewhat too long.
"""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout
from weightmap.formats.line_ends import converted
from weightmap.source.byte_source import ByteSource


def check(layout: Layout, found: Sequence[Finding], sources: Sequence[ByteSource | None]) -> list[Finding]:
    """The findings about one layout; bytes behind the last tensor are explained where text mode put them there."""
    return [_explained(layout, one, sources) if one.code == "trailing_bytes" else one for one in found]


def _explained(layout: Layout, one: Finding, sources: Sequence[ByteSource | None]) -> Finding:
    for part, source in zip(layout.parts, sources, strict=False):
        if part.path != one.path or source is None or not source.mapped:
            continue
        if (told := converted(source, part.data_start)) is not None:
            feeds, first = told
            return finding(
                "text_mode",
                f"Each of the first {feeds:,} line feeds among the values has a carriage return before it, as a transfer in text "
                f"mode leaves them, the first at byte {first:,}: the values behind it are shifted and wrong. {one.message}",
                path=one.path,
                offset=first,
                expected=one.expected,
                found=one.found,
            )
    return one
