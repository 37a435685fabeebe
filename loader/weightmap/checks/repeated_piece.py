"""Downloads that went on at an earlier place than they had reached: a piece of the file stands twice, one copy behind the other.

The file is too long by just that piece, so that its length is known and only its place has to be looked for: where a few
bytes come again at that distance.
"""

from __future__ import annotations

import numpy as np

from weightmap.findings import Finding, finding
from weightmap.formats.layout import Part
from weightmap.source.byte_source import ByteSource

LEAST, MOST = 512, 1 << 26  # bytes of a piece: fewer come again by chance, more would be long to compare
PLACES = 1 << 14  # looked at in one file at most
_LOOK = 64  # bytes at each of them
_VARIED = 16  # different ones among these, which padding and rows of zeros have not
_CHUNK = 1 << 16
_TRIES = 3  # places compared further: in a file made to be slow all are alike
_CHANCE = 1 << 12  # bytes around the piece that may be alike as well


def explained(one: Finding, part: Part, source: ByteSource, last: int) -> Finding | None:
    """What surplus bytes are where a piece stands twice; None where none does. `last` is the end of its last tensor."""
    for end in dict.fromkeys((one.offset, last)):  # the padding behind it may be there or not
        surplus = source.size - end if end is not None else 0
        if not LEAST <= surplus <= MOST or (first := _first(source, surplus)) is None:
            continue
        again = first + surplus
        if again + surplus <= part.header_end:
            continue
        return finding(
            "repeated_piece",
            f"The {surplus:,} bytes from byte {first:,} on stand there twice, as where a download went on at an earlier place "
            f"than it had reached: every value from byte {again:,} on is wrong. {one.message}",
            path=one.path,
            offset=again,
            expected=one.expected,
            found=one.found,
            advice=f"Cut out the {surplus:,} bytes from byte {again:,} on, which leaves the file whole; or download it again.",
        )
    return None


def _first(source: ByteSource, length: int) -> int | None:
    """Where a piece of this length begins that stands again behind itself."""
    step = length // 2  # so that one place at least is inside of it
    end = source.size - length - _LOOK
    if end // step > PLACES:
        return None
    tries = 0
    for at in range(0, end, step):
        seen = source.read(at, _LOOK)
        if tries < _TRIES and len(set(seen)) >= _VARIED and source.read(at + length, _LOOK) == seen:
            tries += 1
            before, behind = _alike(source, at, length, -1), _alike(source, at, length, 1)
            if length <= before + behind <= length + _CHANCE:
                return at - before
    return None


def _alike(source: ByteSource, at: int, distance: int, step: int) -> int:
    """How many bytes from here on, or with `step` -1 before it, come again at this distance; a little more than that at most."""
    found = 0
    while found <= distance + _CHANCE:
        size = min(_CHUNK, source.size - distance - at - found if step > 0 else at - found)
        begin = at + found if step > 0 else at - found - size
        one, other = (np.frombuffer(source.read(start, size), np.uint8)[::step] for start in (begin, begin + distance))
        differ = np.flatnonzero(one != other)
        if differ.size:
            return found + int(differ[0])
        found += size
        if size < _CHUNK:
            break
    return found
