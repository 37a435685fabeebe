"""How tensors lie beside each other in a file: overlaps, gaps, order, alignment, and what comes behind the last one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weightmap.checks.extent import left_out
from weightmap.checks.spans import Span, padded
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding, limited
from weightmap.formats.layout import Layout, listed
from weightmap.wording import plural

MOST_FAULTS = 10_000  # overlaps or gaps that are counted
MOST_INSIDE = 3  # tensors that begin within another, and are named one by one
UNEXPLAINED = ("gap", "trailing_bytes")


def check(layout: Layout, spans: Sequence[Span]) -> list[Finding]:
    """Findings about the order and the distances of tensors in each file."""
    found: list[Finding] = []
    for span in spans:
        said = [*_unaligned(span), *_neighbours(layout, span), *_order(layout, span), *_strays(layout, span)]
        said += _trailing(layout, span)
        unsure = UNEXPLAINED if left_out(layout, span.part) else ()
        found += [one for one in said if one.code not in unsure]
    return found


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
    gaps = np.flatnonzero(span.begin > padded(span.part, before))
    furthest = np.maximum.accumulate(np.where(span.end == reach, np.arange(len(reach)), 0))  # whose end that is
    longer: dict[int, list[int]] = {}  # tensors that begin within another one, by that one
    for index in overlaps[:MOST_FAULTS].tolist():
        longer.setdefault(int(furthest[index - 1]), []).append(index)
    found = [one for other, inside in longer.items() for one in _overlaps(span, inside, other)]
    found += [_gap(layout, span, index, int(before[index])) for index in gaps[:MOST_FAULTS].tolist()]
    return limited(found)


def _overlaps(span: Span, inside: Sequence[int], other: int) -> Iterator[Finding]:
    """Tensors that begin within another: of many it is the other one whose extent is wrong."""
    if len(inside) <= MOST_INSIDE:
        yield from (one for index in inside if (one := _overlap(span, index, other)) is not None)
        return
    record, first, base = span.record(other), span.record(inside[0]), span.part.data_start
    text = (
        f"Tensor {printable(record.name)} takes {record.nbytes:,} bytes from offset {record.offset - base:,} of the data by its "
        f"shape and type, and {len(inside):,} tensors begin within them, {printable(first.name)} first at "
        f"{first.offset - base:,}: its shape, type or offset is wrong."
    )
    yield finding(
        "overlap",
        text,
        path=span.part.path,
        tensor=record.name,
        offset=record.offset,
        expected=f"at most {first.offset - record.offset:,} bytes",
        found=f"{record.nbytes:,} bytes",
    )


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
    due = int(padded(span.part, np.array([before], np.int64))[0])
    # safetensors forbids holes: a reader would refuse the file, and nobody knows what was there
    strict = layout.format == "safetensors"
    return finding(
        "gap",
        f"Tensor {printable(record.name)} begins at offset {record.offset - base:,} of the data; {due - base:,} was expected. "
        f"The {plural(record.offset - due, 'byte')} before it {'belongs' if record.offset - due == 1 else 'belong'} to no tensor.",
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
    if layout.format != "safetensors" or not span.empty:
        return []
    base = span.part.data_start
    ends = {
        base,
        *(record.offset + record.nbytes for record in layout.of_part(span.number) if record.nbytes),
    }
    strays = [record for record in span.empty if record.offset not in ends]
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
    end = int(padded(part, np.array([last], np.int64))[0])
    if not len(span.end) and layout.format == "gguf":
        end += -end % part.alignment  # without tensors the padding may be there or not
    if not span.whole or size <= end:
        return []
    text = f"The file goes on for {plural(size - end, 'byte')} after its last tensor."
    if not layout.records:
        text = f"The file has no tensors, but {plural(size - end, 'byte')} of data."
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
