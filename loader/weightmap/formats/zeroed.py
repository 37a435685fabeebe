"""A header that turns into zeros: what is left of a file that was given its full size before all of its bytes had come.

Read on, that of a GGUF would give entries without names, of one value each, all at the same place, and a finding for each.
"""

from __future__ import annotations

from weightmap.errors import error
from weightmap.findings import Finding, finding
from weightmap.source.cursor import Cursor

_RUN = 16  # zeros in a row within a text, which has none
LEAST = 256  # zeros in a row that no entry of a header has
_BACK = 1 << 20  # bytes before an entry that are looked at for where the zeros begin


def refuse_zeros(cursor: Cursor, name: str, entry: int) -> None:
    """Raise CorruptWeightError (code zeroed) where an entry without a name, which began at byte `entry`, is nothing but zeros."""
    source = cursor.source
    if name or source.size - entry < LEAST or any(source.read(entry, LEAST)):
        return
    base = max(entry - _BACK, 0)
    first = base + len(source.read(base, entry - base).rstrip(b"\0"))
    raise error(
        finding(
            "zeroed",
            f"The header turns into zeros at byte {first:,}: {cursor.place} {cursor.number:,} of {cursor.count:,} is nothing else. "
            "A download that stopped, or lost a piece, leaves a file so. What follows cannot be located.",
            path=source.path,
            offset=first,
            expected=f"{cursor.place} {cursor.number:,}",
            found="zeros",
        )
    )


def zeros_in(path: str, text: bytes, start: int) -> Finding | None:
    """What is wrong with a header's JSON, which begins at byte `start`, where zeros cut it; None where they only follow it."""
    place = text.find(bytes(_RUN))
    if place < 0 or text[:place].rstrip().endswith(b"}}"):
        return None
    said = (
        f"The header turns into zeros at byte {start + place:,}, {place:,} bytes behind its start. A download that stopped, or "
        "lost a piece, leaves a file so."
    )
    return finding("zeroed", said, path=path, offset=start + place, expected="JSON", found="zeros")
