"""Bytes that alignment leaves unused, which hold nothing but zeros in a sound file: the one look at what lies between tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weightmap.checks.spans import Span, padded
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout
from weightmap.source.byte_source import ByteSource

AT_ONCE = 1 << 14  # bytes that are read at once, and are looked at in one place
MOST_PADDINGS = 1000  # places looked at for bytes other than zero


def check(layout: Layout, spans: Sequence[Span], sources: Sequence[ByteSource | None]) -> list[Finding]:
    """Padding of GGUF files that is not zero: the first MOST_PADDINGS places of each file are looked at."""
    found = []
    for span in spans if layout.format == "gguf" and sources else ():
        source = sources[span.number]
        if source is None or not source.mapped:  # each place would be a request of its own
            continue
        places = _other_than_zero(source, _paddings(span))
        if places:
            where = f"at byte {places[0]:,}"
            where = where if len(places) == 1 else f"at {len(places):,} places, first {where}"
            text = f"The padding holds bytes other than zero {where}."
            found.append(finding("nonzero_padding", text, path=span.part.path, offset=places[0]))
    return found


def _other_than_zero(source: ByteSource, paddings: Sequence[tuple[int, int]]) -> list[int]:
    """Where the paddings begin that are not zero; those that lie close together are read together."""
    found, at = [], 0
    while at < len(paddings):
        start, end = paddings[at]
        behind = at + 1
        while behind < len(paddings) and paddings[behind][1] - start <= AT_ONCE:
            end = paddings[behind][1]
            behind += 1
        data = source.read(start, min(end - start, AT_ONCE))
        found += [begin for begin, end in paddings[at:behind] if data[begin - start : end - start].strip(b"\0")]
        at = behind
    return found


def _paddings(span: Span) -> list[tuple[int, int]]:
    """(begin, end) of the first places that alignment leaves unused: before the data and between tensors."""
    part = span.part
    if not len(span.begin):
        return []
    ends = np.concatenate(([part.header_end], np.maximum.accumulate(span.end)))
    last = min(int(padded(part, np.array([span.end.max()], np.int64))[0]), part.size or 0)
    nexts = np.concatenate(([part.data_start], span.begin[1:], [last]))
    unused = np.flatnonzero((nexts > ends) & (nexts - ends < part.alignment))[:MOST_PADDINGS]
    return list(zip(ends[unused].tolist(), nexts[unused].tolist(), strict=True))
