"""How tensors lie beside each other in a file: overlaps, gaps, order, alignment, and what comes behind the last one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding, limited
from weightmap.formats.layout import Layout, Part, TensorRecord, listed
from weightmap.source.file import ByteSource

Positions = NDArray[np.int64]

MOST_FAULTS = 10_000  # overlaps or gaps that are counted
LONGEST_PADDING = 4096  # bytes looked at in one place
MOST_PADDINGS = 1000  # places looked at for bytes other than zero


class Span(NamedTuple):
    """One file's tensors that lie inside it, in the order in which they lie; empty ones left out.

    number  of the part in the layout
    place   index of each in file order; strictly ascending where tensors lie as they are listed
    begin   absolute positions of their first bytes, end of the bytes behind their last ones; int64
    whole   whether every tensor of the file is in here
    empty   those without bytes
    """

    part: Part
    number: int
    records: Sequence[TensorRecord]
    place: Positions
    begin: Positions
    end: Positions
    whole: bool
    empty: Sequence[TensorRecord]

    def record(self, index: int) -> TensorRecord:
        """The tensor that lies at this place of the order."""
        return self.records[int(self.place[index])]


def spans(layout: Layout, suspects: Sequence[TensorRecord]) -> list[Span]:
    """How the tensors of each file lie; files that are missing, or do not tell where their tensors lie, are left out.

    So is an old imatrix, where each tensor lies behind its own entry. `suspects` are those of `structure.suspects`: all
    others need no second look.
    """
    if layout.format == "imatrix":
        return []
    known = [number for number, part in enumerate(layout.parts) if part.size is not None and part.located]
    return [_span(layout, number, [record for record in suspects if record.part == number]) for number in known]


def check(layout: Layout, spans: Sequence[Span]) -> list[Finding]:
    """Findings about the order and the distances of tensors in each file."""
    found: list[Finding] = []
    for span in spans:
        found += _unaligned(span)
        found += _neighbours(layout, span)
        found += _order(layout, span)
        found += _strays(layout, span)
        found += _trailing(layout, span)
    return found


def _span(layout: Layout, number: int, suspects: Sequence[TensorRecord]) -> Span:
    part = layout.parts[number]
    size = part.size or 0
    own: Sequence[TensorRecord] = layout.records
    if len(layout.parts) > 1:
        own = [record for record in own if record.part == number]
    records = [r for r in own if 0 < r.nbytes <= size - r.offset] if suspects else own
    begin = np.fromiter((r.offset for r in records), np.int64, len(records))
    end = begin + np.fromiter((r.nbytes for r in records), np.int64, len(records))
    place = np.arange(len(records))
    misfits: list[int] = []
    if layout.format == "gguf" and suspects:  # there blocks must fit rows; in safetensors only their sum counts
        misfits = [i for i, r in enumerate(records) if r.shape and r.shape[-1] % r.type.elements]
    if (begin[1:] <= begin[:-1]).any():
        place = np.lexsort((end, begin))
        begin, end = begin[place], end[place]
    for index in np.flatnonzero(np.isin(place, misfits)).tolist() if misfits else ():
        end[index] = begin[index + 1] if index + 1 < len(records) else size  # how long it is cannot be told
    whole = len(records) == len(own) or all(r.nbytes == 0 or 0 < r.nbytes <= size - r.offset for r in own)
    return Span(part, number, records, place, begin, end, whole, [r for r in suspects if r.nbytes == 0])


def _padded(part: Part, positions: Positions) -> Positions:
    """Positions moved up to the next multiple of the alignment, counted from the start of the data."""
    return positions + (part.data_start - positions) % part.alignment


def _unaligned(span: Span) -> list[Finding]:
    step, base = span.part.alignment, span.part.data_start
    return limited(
        finding(
            "unaligned_offset",
            f"Tensor {printable(record.name)} is at offset {record.offset - base:,} of the data, no multiple of {step}.",
            path=span.part.path,
            tensor=record.name,
            offset=record.offset,
            expected=f"a multiple of {step}",
            found=f"{record.offset - base:,}",
        )
        for record in (span.record(index) for index in np.flatnonzero((span.begin - base) % step).tolist())
    )


def _neighbours(layout: Layout, span: Span) -> list[Finding]:
    """Tensors that share bytes with one before them, and bytes between tensors that belong to none."""
    if not len(span.begin):
        return []
    reach = np.maximum.accumulate(span.end)  # where everything before has ended
    before = np.concatenate(([span.part.data_start], reach[:-1]))
    overlaps = np.flatnonzero(span.begin[1:] < reach[:-1]) + 1
    gaps = np.flatnonzero(span.begin > _padded(span.part, before))
    furthest = np.maximum.accumulate(np.where(span.end == reach, np.arange(len(reach)), 0))  # whose end that is
    shared = [_overlap(span, index, int(furthest[index - 1])) for index in overlaps[:MOST_FAULTS].tolist()]
    found = [one for one in shared if one is not None]
    found += [_gap(layout, span, index, int(before[index])) for index in gaps[:MOST_FAULTS].tolist()]
    return limited(found)


def _overlap(span: Span, index: int, other: int) -> Finding | None:
    record, earlier = span.record(index), span.record(other)
    base = span.part.data_start
    alias = (record.offset, record.nbytes) == (earlier.offset, earlier.nbytes)
    if alias and record.name == earlier.name:
        return None  # one entry that stands twice, which the doubled name says already
    names = f"The tensors {printable(earlier.name)} and {printable(record.name)}"
    if alias:
        text = f"{names} are the same {record.nbytes:,} bytes at offset {record.offset - base:,} of the data."
    else:
        text = (
            f"{names} share bytes: {printable(record.name)} begins at offset {record.offset - base:,} of the data, before "
            f"{printable(earlier.name)} ends at {earlier.offset + earlier.nbytes - base:,}."
        )
    return finding(
        "overlap",
        text,
        severity=Severity.WARNING if alias else None,
        path=span.part.path,
        tensor=record.name,
        offset=record.offset,
        expected=f"at least {earlier.offset + earlier.nbytes - base:,}",
        found=f"{record.offset - base:,}",
    )


def _gap(layout: Layout, span: Span, index: int, before: int) -> Finding:
    record, base = span.record(index), span.part.data_start
    due = int(_padded(span.part, np.array([before], np.int64))[0])
    # safetensors forbids holes: a reader would refuse the file, and nobody knows what was there
    strict = layout.format == "safetensors"
    return finding(
        "gap",
        f"Tensor {printable(record.name)} begins at offset {record.offset - base:,} of the data; {due - base:,} was expected. "
        f"The {record.offset - due:,} bytes before it belong to no tensor.",
        severity=Severity.ERROR if strict else None,
        path=span.part.path,
        tensor=record.name,
        offset=due,
        expected=f"{due - base:,}",
        found=f"{record.offset - base:,}",
    )


def _order(layout: Layout, span: Span) -> list[Finding]:
    """One finding for all tensors of a GGUF that lie in another order than they are listed in."""
    back = np.flatnonzero(span.place[1:] < span.place[:-1])
    if layout.format != "gguf" or not len(back):
        return []
    record, before = span.record(int(back[0]) + 1), span.record(int(back[0]))
    text = (
        f"Tensors do not lie in the order of the header: {printable(record.name)} is listed before "
        f"{printable(before.name)} but lies behind it."
    )
    return [finding("tensor_order", text, **listed(span.part, record))]


def _strays(layout: Layout, span: Span) -> list[Finding]:
    """Tensors without bytes of a safetensors file that do not lie where one before them ends, as its readers demand."""
    base, ends = span.part.data_start, {span.part.data_start, *span.end.tolist()}
    strays = [record for record in span.empty if record.offset not in ends] if layout.format == "safetensors" else []
    text = "Tensor {} has no values, but its offset {:,} of the data is not where another tensor ends."
    return limited(
        finding(
            "gap", text.format(printable(r.name), r.offset - base), path=span.part.path, tensor=r.name, offset=r.offset
        )
        for r in strays
    )


def _trailing(layout: Layout, span: Span) -> list[Finding]:
    """Bytes behind the last tensor and its padding; not judged where a tensor lies outside of the file."""
    part, size = span.part, span.part.size or 0
    last = int(span.end.max()) if len(span.end) else part.data_start
    end = int(_padded(part, np.array([last], np.int64))[0])
    if not len(span.end) and layout.format == "gguf":
        end += -end % part.alignment  # without tensors the padding may be there or not
    if not span.whole or size <= end:
        return []
    text = f"The file goes on for {size - end:,} bytes after its last tensor."
    if not layout.records:
        text = f"The file has no tensors, but {size - end:,} bytes of data."
    return [
        finding(
            "trailing_bytes",
            text,
            severity=Severity.ERROR if layout.format == "safetensors" and not layout.records else None,
            path=part.path,
            offset=end,
            expected=f"{end:,} bytes",
            found=f"{size:,} bytes",
        )
    ]


def padding(layout: Layout, spans: Sequence[Span], sources: Sequence[ByteSource | None]) -> list[Finding]:
    """Padding of GGUF files that is not zero: the first MOST_PADDINGS places of each file are looked at."""
    found = []
    for span in spans if layout.format == "gguf" and sources else ():
        source = sources[span.number]
        if source is None or not source.mapped:  # each place would be a request of its own
            continue
        places = [begin for begin, end in _paddings(span) if any(source.read(begin, min(end - begin, LONGEST_PADDING)))]
        if places:
            where = f"at byte {places[0]:,}"
            where = where if len(places) == 1 else f"at {len(places):,} places, first {where}"
            text = f"The padding holds bytes other than zero {where}."
            found.append(finding("nonzero_padding", text, path=span.part.path, offset=places[0]))
    return found


def _paddings(span: Span) -> list[tuple[int, int]]:
    """(begin, end) of the first places that alignment leaves unused: before the data and between tensors."""
    part = span.part
    if not len(span.begin):
        return []
    ends = np.concatenate(([part.header_end], np.maximum.accumulate(span.end)))
    last = min(int(span.end.max()) + part.alignment, part.size or 0)
    nexts = np.concatenate(([part.data_start], span.begin[1:], [last]))
    unused = np.flatnonzero((nexts > ends) & (nexts - ends < part.alignment))[:MOST_PADDINGS]
    return list(zip(ends[unused].tolist(), nexts[unused].tolist(), strict=True))
