"""Pieces of a file that were never written: a download into a file of full size leaves holes where nothing arrived.

The file system knows where they are, so hardly a byte is read to find them. They read as zeros. Since a copy may leave holes where
the original has zeros, holes are judged as zeros are when all values are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weightmap.checks.spans import Span
from weightmap.checks.values import natural_stretch, zero_by_nature
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.formats.layout import TensorRecord
from weightmap.measure.zeros import GRANULE, stretches
from weightmap.source.byte_source import ByteSource
from weightmap.wording import plural

PAGE = 4096  # bytes that are looked at
LEAST = 1 << 16  # bytes of tensors in holes that are worth a word
BLOCK = 1 << 17  # bytes that a file system writes or leaves out together, at most

Piece = tuple[int, int]


def check(spans: Sequence[Span], sources: Sequence[ByteSource | None]) -> list[Finding]:
    """Files with holes that tensors are in, other than zeros that good files have."""
    asked = [(span, source) for span in spans if sources and (source := sources[span.number]) is not None]
    told = [_told(span, source, holes) for span, source in asked if (holes := _holes(span, source))]
    return [one for one in told if one is not None]


def tensors(spans: Sequence[Span], sources: Sequence[ByteSource | None]) -> dict[str, set[str]]:
    """By path of each file of which `check` has something to say: the names of the tensors that its holes reach into."""
    found: dict[str, set[str]] = {}
    for span in spans:
        source = sources[span.number]
        holes = [] if source is None else _holes(span, source)
        if source is not None and holes and _told(span, source, holes) is not None:
            found[span.part.path] = {span.record(place).name for hole in holes for place in _within(span, hole)}
    return found


def _holes(span: Span, source: ByteSource) -> list[Piece]:
    """The holes among the bytes of a file's tensors."""
    if not len(span.end):
        return []
    return [hole for hole in source.holes(int(span.begin[0]), int(span.end.max())) if _zero(source, *hole)]


def _within(span: Span, hole: Piece) -> range:
    """Places of the tensors that have bytes in a hole."""
    first, last = np.searchsorted(span.end, hole[0], "right"), np.searchsorted(span.begin, hole[1], "left")
    return range(int(first), int(last))


def _zero(source: ByteSource, begin: int, end: int) -> bool:
    """Whether a hole reads as zeros at both its ends: some file systems call what they did not yet write a hole."""
    size = min(PAGE, end - begin)
    return not any(source.read(begin, size)) and not any(source.read(end - size, size))


def _told(span: Span, source: ByteSource, holes: Sequence[Piece]) -> Finding | None:
    pieces: dict[int, list[Piece]] = {}  # those of each tensor that a hole does not cover, by its place in the order
    covered: list[tuple[list[int], list[int]]] = []  # by hole: the tensors that it is all of, and those in it in part
    for begin, end in holes:
        whole, part = [], []
        for place in _within(span, (begin, end)):
            record = span.record(place)
            own = max(begin, record.offset), min(end, record.offset + record.nbytes)
            if not _is_all(record, own, source):
                part.append(place)
                pieces.setdefault(place, []).append(own)
            elif not zero_by_nature(record):
                whole.append(place)
        covered.append((whole, part))
    torn = {place: cut for place, own in pieces.items() if (cut := _torn(span.record(place), own, source))}
    # one tensor of zeros may be left out of a copy; several in a row, or one beside a torn one, never arrived
    several = {n for whole, part in covered if len(whole) > 1 or not torn.keys().isdisjoint(part) for n in whole}
    total = sum(torn.values()) + sum(span.record(place).nbytes for place in several)
    if total < LEAST:
        return None
    # where pieces never arrived, what is alone in a hole of its own did not either
    alone = {place for whole, _ in covered for place in whole} - several
    total += sum(span.record(place).nbytes for place in alone)
    hit = sorted({*torn, *several, *alone})
    first_hit = span.record(hit[0])
    at = pieces[hit[0]][0][0] if hit[0] in torn else first_hit.offset
    return finding(
        "zeroed_stretch",
        f"{total:,} bytes of {plural(len(hit), 'tensor')} were never written: the file has holes there, which read as zeros, "
        f"the first in tensor {printable(first_hit.name)} from byte {at:,}. A download into a file of full size that stopped "
        "leaves such pieces.",
        path=span.part.path,
        tensor=first_hit.name,
        offset=at,
        expected="values other than zero",
        found=f"{total:,} bytes in holes",
    )


def _is_all(record: TensorRecord, piece: Piece, source: ByteSource) -> bool:
    """Whether this piece is all of a tensor but zeros at its ends, which lie in blocks with other values."""
    edges = (record.offset, piece[0]), (piece[1], record.offset + record.nbytes)
    if any(end - begin >= BLOCK for begin, end in edges):
        return False
    return not any(source.read(begin, end - begin).strip(b"\0") for begin, end in edges if begin < end)


def _torn(record: TensorRecord, pieces: Sequence[Piece], source: ByteSource) -> int:
    """How many bytes of a tensor lie in holes that are no rows of padding, nor zeros by nature."""
    dtype = record.type.dtype
    if zero_by_nature(record) or (dtype is not None and dtype.kind in "iub"):
        return 0
    zero = [
        np.arange(-(-(begin - record.offset) // GRANULE), (end - record.offset) // GRANULE, dtype=np.int64)
        for begin, end in pieces
    ]
    if not any(map(len, zero)):
        return 0
    found = stretches(zero, source, record.offset, record.nbytes)
    return sum(one.end - one.begin for one in found if not natural_stretch(record, one))
