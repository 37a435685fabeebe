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


def explained(one: Finding, part: Part, source: ByteSource, last: int) -> Finding | None:
    """What surplus bytes are where the file stands in itself; None where it does not. `last` is the end of its last tensor."""
    if one.offset is None:
        return None
    end, surplus = one.offset, source.size - one.offset
    begins = _beginning(part, source, surplus) if surplus < end else None
    if begins is not None and begins < last:
        return _begun_again(one, begins, end)
    begins = _beginning(part, source, last)
    if begins is not None and begins <= end:
        text = f"{one.message} They begin as the file itself does: it was appended to itself."
        return replace(one, message=text, advice=f"Every value is right; cut the file to {begins:,} bytes.")
    return None


def _beginning(part: Part, source: ByteSource, at: int) -> int | None:
    """The place from which the bytes are those that the file begins with, here or up to an alignment on: the padding behind
    the last tensor may be there or not.
    """
    length = min(COMPARED, part.header_end, source.size - at)
    if length < LEAST:
        return None
    further = min(part.alignment, COMPARED)
    found = source.read(at, min(length + further, source.size - at)).find(source.read(0, length))
    return None if found < 0 else at + found


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
