"""Files whose end is zero: a download that got its full size at the start and stopped leaves everything behind some place so.

What single tensors say of it is one line for each; here it is said once, with the place from which on nothing arrived.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weightmap.checks.values import zero_by_nature
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.measure.zeros import SHORTEST
from weightmap.source.byte_source import ByteSource
from weightmap.wording import plural

AT_ONCE = 1 << 20  # bytes that are looked at in one piece


def zero_tails(layout: Layout, sources: Sequence[ByteSource | None], found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of a model whose values were looked at, with one for each file that ends in zeros, in front of the first
    of those that it takes the place of.
    """
    if not any(one.code == "all_zero" for one in found):
        return tuple(found)
    told = list(found)
    for number, (part, source) in enumerate(zip(layout.parts, sources, strict=True)):
        if source is not None and part.located:
            own = [r for r in layout.records if r.part == number and 0 < r.nbytes <= source.size - r.offset]
            told = _told(part, source, own, told)
    return tuple(told)


def _told(part: Part, source: ByteSource, records: Sequence[TensorRecord], found: list[Finding]) -> list[Finding]:
    end = max((record.offset + record.nbytes for record in records), default=0)
    begin = _zeros_before(source, part.data_start, end)
    cut = next((r for r in records if r.offset < begin < r.offset + r.nbytes), None)
    whole = sorted((r for r in records if r.offset >= begin and not zero_by_nature(r)), key=lambda r: r.offset)
    if end - begin < SHORTEST or len(whole) < (
        1 if cut is not None and whole and whole[0].offset - begin >= SHORTEST else 2
    ):
        return found
    into = "" if cut is None else f"tensor {printable(cut.name)} ends in them, and "
    first = (cut or whole[0]).name
    one = finding(
        "zeroed_stretch",
        f"Every byte of the values from byte {begin:,} to the last one is zero, {end - begin:,} bytes: {into}"
        f"{plural(len(whole), 'tensor')} behind that place {'has' if len(whole) == 1 else 'have'} nothing else, "
        f"{printable(whole[0].name)} first. A download that stopped leaves a file of full size so.",
        path=part.path,
        tensor=first,
        offset=begin,
        expected="values other than zero",
        found=f"{end - begin:,} zero bytes",
    )
    covered = {record.name for record in whole[1:]} | ({cut.name} if cut is not None else set())
    kept = [o for o in found if not (o.code == "all_zero" and o.path == part.path and o.tensor in covered)]
    kept = [o for o in kept if not (o.code == "zeroed_stretch" and o.path == part.path and (o.offset or 0) >= begin)]
    place = next((n for n, o in enumerate(kept) if o.code == "all_zero" and o.tensor == whole[0].name), len(kept))
    return [*kept[:place], one, *kept[place:]]


def _zeros_before(source: ByteSource, start: int, end: int) -> int:
    """Where the zeros begin that reach up to `end`; `end` itself where there is none."""
    while end > start:
        size = min(AT_ONCE, end - start)
        others = np.flatnonzero(np.frombuffer(source.read(end - size, size), np.uint8))
        if len(others):
            return end - size + int(others[-1]) + 1
        end -= size
    return start
