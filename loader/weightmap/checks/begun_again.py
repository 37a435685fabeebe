"""Downloads that were to go on where they had stopped, and began from the start: the whole file behind a piece of itself.

A server that knows no ranges sends everything again, and a program that does not notice appends it. The header is read
from the piece, so that all it shows is a file that is too long by the piece's length.
"""

from __future__ import annotations

from dataclasses import replace

from weightmap.findings import Finding, finding
from weightmap.formats.layout import Part
from weightmap.source.byte_source import ByteSource

COMPARED = 4096  # bytes of the header at most, which no other place of a file repeats by chance
LEAST = 32


def explained(one: Finding, part: Part, source: ByteSource) -> Finding | None:
    """What surplus bytes are where the file stands in itself; None where it does not."""
    if one.offset is None:
        return None
    end, surplus = one.offset, source.size - one.offset
    if surplus < end and _begins(part, source, surplus):
        return _begun_again(one, surplus, end)
    if _begins(part, source, end):
        text = f"{one.message} They begin as the file itself does: it was appended to itself."
        return replace(one, message=text, advice=f"Every value is right; cut the file to {end:,} bytes.")
    return None


def _begins(part: Part, source: ByteSource, at: int) -> bool:
    """Whether the bytes at this place are those that the file begins with."""
    length = min(COMPARED, part.header_end, source.size - at)
    return length >= LEAST and source.read(at, length) == source.read(0, length)


def _begun_again(one: Finding, begins: int, end: int) -> Finding:
    return finding(
        "begun_again",
        f"The whole file begins anew at byte {begins:,}, as where a download began from the start instead of going on: "
        f"every value behind that place is wrong. {one.message}",
        path=one.path,
        offset=begins,
        expected=one.expected,
        found=one.found,
        advice=f"Cut off the first {begins:,} bytes, which leaves the file whole; or download it again.",
    )
