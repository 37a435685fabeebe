"""Files whose end is zero: a download that got its full size at the start and stopped leaves everything behind some place so.

That a file ends in zeros is seen without a look at its values. What single tensors say of it when all values are looked at
is one line for each; here it is said once, with the place from which on nothing arrived.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from weightmap.checks.spans import Span
from weightmap.checks.values import zero_by_nature
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.measure.zeros import SHORTEST
from weightmap.source.byte_source import ByteSource
from weightmap.wording import plural

AT_ONCE = 1 << 18  # bytes that are looked at in one piece
UNASKED = 1 << 16  # zero bytes at the end that are worth a word of who asked for no values
MOST = 1 << 26  # bytes that are looked at for them


def check(layout: Layout, spans: Sequence[Span], sources: Sequence[ByteSource | None]) -> list[Finding]:
    """Files of several tensors whose last ones are zero throughout. Of most files the last SHORTEST bytes are read."""
    found = []
    for span in spans if sources else ():
        part, source = span.part, sources[span.number]
        end = int(span.end.max()) if len(span.end) else 0
        if source is None or not source.mapped or end - part.data_start < UNASKED:
            continue
        if any(source.read(end - SHORTEST, SHORTEST)):
            continue
        begin = _zeros_before(source, max(part.data_start, end - MOST), end)
        if end - begin >= UNASKED and (told := _tail(part, _inside(layout, span.number, source), begin, end)):
            found.append(told[0])
    return found


def zero_tails(
    layout: Layout, sources: Sequence[ByteSource | None], found: Sequence[Finding], *, told: Container[str] = ()
) -> tuple[Finding, ...]:
    """The findings of a model whose values were looked at, with one for each file that ends in zeros, in front of the first
    of those that it takes the place of. `told`: paths of files of which that is said already.
    """
    if not any(one.code == "all_zero" for one in found):
        return tuple(found)
    tails = list(found)
    for number, (part, source) in enumerate(zip(layout.parts, sources, strict=True)):
        if source is not None and part.located and part.path not in told:
            records = _inside(layout, number, source)
            end = _end(records)
            begin = _zeros_before(source, part.data_start, end)
            if tail := _tail(part, records, begin, end):
                tails = _instead(*tail, tails)
    return tuple(tails)


def _tail(
    part: Part, records: Sequence[TensorRecord], begin: int, end: int
) -> tuple[Finding, list[TensorRecord], TensorRecord | None] | None:
    """The finding about zeros from `begin` on, the tensors that are in them as a whole, and the one that ends in them; None
    where these are too few to say more than each tensor does.
    """
    cut = next((r for r in records if r.offset < begin < r.offset + r.nbytes), None)
    whole = sorted((r for r in records if r.offset >= begin and not zero_by_nature(r)), key=lambda r: r.offset)
    reaches = cut is not None and bool(whole) and whole[0].offset - begin >= SHORTEST
    if end - begin < SHORTEST or len(whole) < (1 if reaches else 2):
        return None
    into = "" if cut is None else f"tensor {printable(cut.name)} ends in them, and "
    one = finding(
        "zeroed_stretch",
        f"Every byte of the values from byte {begin:,} to the last one is zero, {end - begin:,} bytes: {into}"
        f"{plural(len(whole), 'tensor')} behind that place {'has' if len(whole) == 1 else 'have'} nothing else, "
        f"{printable(whole[0].name)} first. A download that stopped leaves a file of full size so.",
        path=part.path,
        tensor=(cut or whole[0]).name,
        offset=begin,
        expected="values other than zero",
        found=f"{end - begin:,} zero bytes",
    )
    return one, whole, cut


def _instead(
    one: Finding, whole: Sequence[TensorRecord], cut: TensorRecord | None, found: Sequence[Finding]
) -> list[Finding]:
    """The findings with this one in the place of what single tensors say of the same zeros, but for the first of them."""
    covered = {record.name for record in whole[1:]} | ({cut.name} if cut is not None else set())
    kept = [
        o
        for o in found
        if o.path != one.path
        or not (
            (o.code == "all_zero" and o.tensor in covered)
            or (o.code == one.code and (o.offset or 0) >= (one.offset or 0))
        )
    ]
    place = next((n for n, o in enumerate(kept) if o.code == "all_zero" and o.tensor == whole[0].name), len(kept))
    return [*kept[:place], one, *kept[place:]]


def _inside(layout: Layout, number: int, source: ByteSource) -> list[TensorRecord]:
    return [r for r in layout.of_part(number) if 0 < r.nbytes <= source.size - r.offset]


def _end(records: Sequence[TensorRecord]) -> int:
    return max((record.offset + record.nbytes for record in records), default=0)


def _zeros_before(source: ByteSource, start: int, end: int) -> int:
    """Where the zeros begin that reach up to `end`, or `start`; `end` itself where there is none."""
    piece = np.empty(min(AT_ONCE, max(end - start, 0)), np.uint8)
    while end > start:
        read = piece[: min(AT_ONCE, end - start)]
        source.read_into(end - len(read), read)
        end -= len(read)
        if np.maximum.reduce(read):  # a twentieth of the time of looking where
            return end + int(np.flatnonzero(read)[-1]) + 1
    return start
