"""Files that were sent or stored as if they were text: a carriage return was put before every line feed among their bytes.

From the first one on every value is wrong, and all that a header which can still be read shows of it is a file that is
somewhat too long.
"""

from __future__ import annotations

from weightmap.findings import Finding, finding
from weightmap.formats.layout import Part
from weightmap.formats.line_ends import converted
from weightmap.source.byte_source import ByteSource


def explained(one: Finding, part: Part, source: ByteSource) -> Finding | None:
    """What surplus bytes are where text mode put them there; None where it did not."""
    if (told := converted(source, part.data_start)) is None:
        return None
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
