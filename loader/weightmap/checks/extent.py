"""Why a tensor's values cannot be given: the one place that says so, for the checks and before every read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from weightmap.errors import error, printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import Layout, Part, TensorRecord, claimed, listed
from weightmap.source.byte_source import ByteSource
from weightmap.types.base import StoredType
from weightmap.wording import plural, shape

LARGEST_COUNT = (1 << 60) - 1  # elements of 8 bytes whose size is a signed 64-bit number, as in every reader
MOST_DIMS = 32  # of an array in every release of numpy
LARGEST_SIZE = 1 << 44  # bytes; the largest file that ext4 can hold: such a shape is wrong, not cut off

LEFT_OUT = frozenset(["missing_field", "bad_shape", "bad_offsets", "bad_header", "reserved_name"])
"""What is said of an entry in a safetensors header that no tensor comes of."""


def unreadable(layout: Layout, record: TensorRecord) -> Finding | None:
    """The finding that says why this tensor's values cannot be given, or None where they can."""
    part = layout.parts[record.part]
    size = part.size
    if part.located and sound(record, size):
        return None
    if not part.located:
        return _not_located(layout, part, record)
    if not record.type.known:
        return _unknown_type(layout, part, record)
    return (
        _overflow(part, record)
        or _beyond_numpy(part, record)
        or _misfit(layout, part, record)
        or (None if size is not None and _inside(record, size) else _outside(layout, part, record))
    )


def source_of(layout: Layout, sources: Sequence[ByteSource | None], record: TensorRecord) -> ByteSource:
    """The open file that holds this tensor. Raises what makes its values unreadable."""
    if (problem := unreadable(layout, record)) is not None:
        raise error(problem)
    source = sources[record.part]
    if source is None:
        path = layout.parts[record.part].path
        text = "The file that holds this tensor is not there."
        raise error(finding("missing_shard", text, path=path, tensor=record.name))
    return source


def sound(record: TensorRecord, size: int | None) -> bool:
    """A quick look that clears nearly every tensor of a good file of this size; the others are looked at one by one."""
    return size is not None and 0 < record.nbytes == needed(record.type, record.shape) <= size - record.offset


def needed(type: StoredType, shape: tuple[int, ...]) -> int:
    """Bytes that an ordinary tensor of this type and shape takes; -1 where it is no ordinary one."""
    if not type.known or len(shape) > MOST_DIMS or (shape and shape[-1] % type.elements):
        return -1
    blocks, rest = divmod(prod(shape), type.elements)
    return -1 if rest else blocks * type.bytes


def _inside(record: TensorRecord, size: int) -> bool:
    return not record.nbytes or record.offset + record.nbytes <= size


def _not_located(layout: Layout, part: Part, record: TensorRecord) -> Finding:
    """The part's own problem, said of the tensor."""
    errors = [p for p in layout.problems if p.severity is Severity.ERROR and p.path == part.path]
    cause = errors[0] if errors else finding("bad_header", "The header cannot be trusted.", path=part.path)
    text = f"Where the values of tensor {printable(record.name)} lie cannot be told: {cause.message}"
    return replace(cause, message=text, tensor=record.name)


def _unknown_type(layout: Layout, part: Part, record: TensorRecord) -> Finding:
    reason = record.type.reason or ""
    number = "" if record.type.id is None or str(record.type.id) in record.type.name else f" (type {record.type.id})"
    return finding(
        "unsupported_type" if layout.format == "gguf" else "unsupported_dtype",
        f"Tensor {printable(record.name)} is stored as {printable(record.type.name)}{number}. {reason}".rstrip(),
        **listed(part, record),
        expected="a type that is known here",
        found=record.type.name,
        advice=record.type.remedy,
    )


def _overflow(part: Part, record: TensorRecord) -> Finding | None:
    """Zero dimensions are left out of the product: readers multiply in order and overflow before they meet the zero."""
    product = 1
    for n in record.shape:
        product *= n or 1
    if product <= LARGEST_COUNT and record.nbytes <= LARGEST_SIZE:
        return None
    found = shape(record.shape)
    return finding(
        "size_overflow",
        f"Tensor {printable(record.name)} of shape {found} has more elements or bytes than a file can hold.",
        **listed(part, record),
        expected=f"at most {LARGEST_SIZE:,} bytes",
        found=found,
    )


def _beyond_numpy(part: Part, record: TensorRecord) -> Finding | None:
    if (dims := len(record.shape)) <= MOST_DIMS:
        return None
    return finding(
        "too_many_dims",
        f"Tensor {printable(record.name)} has {dims:,} dimensions; an array has at most {MOST_DIMS}.",
        severity=Severity.ERROR,
        **listed(part, record),
        expected=f"at most {MOST_DIMS}",
        found=f"{dims:,}",
        advice="Write the tensor with another shape.",
    )


def _misfit(layout: Layout, part: Part, record: TensorRecord) -> Finding | None:
    type = record.type
    if layout.format == "gguf":
        row = record.shape[-1] if record.shape else 1
        if row % type.elements == 0:
            return None
        text = (
            f"Tensor {printable(record.name)} has rows of {row:,} elements, no whole number of {type.name} blocks of "
            f"{type.elements}."
        )
        return _misfit_of("block_misfit", text, part, record, f"a multiple of {type.elements}", f"{row:,}")
    need, whole = claimed(type, record.shape), record.count % type.elements == 0
    if need == record.nbytes and whole:
        return None
    axes = shape(record.shape) if record.shape else "a scalar"
    text = (
        f"Tensor {printable(record.name)} ({type.name}, {axes}) needs {need:,} bytes; data_offsets give {record.nbytes:,}."
        if whole
        else f"Tensor {printable(record.name)} has {record.count:,} elements of {type.name}, no whole number of bytes."
    )
    return _misfit_of("size_mismatch", text, part, record, f"{need:,} bytes", f"{record.nbytes:,} bytes")


def _misfit_of(code: str, text: str, part: Part, record: TensorRecord, expected: str, found: str) -> Finding:
    return finding(code, text, **listed(part, record), expected=expected, found=found)


def _outside(layout: Layout, part: Part, record: TensorRecord) -> Finding:
    """A tensor past the end: cut off by a truncated file, or sent there by a wrong offset."""
    name = printable(record.name)
    if part.size is None:
        text = f"Tensor {name} lies in a file that is not there."
        return finding("missing_shard", text, path=part.path, tensor=record.name)
    end, relative = record.offset + record.nbytes, record.offset - part.data_start
    missing = min(end - part.size, record.nbytes)
    moved = part.alignment > 32 and part.header_end < part.size <= part.data_start
    why = f" By general.alignment, {part.alignment:,}, the data begin at byte {part.data_start:,}." if moved else ""
    return finding(
        "truncated" if cut_off(layout, record) else "out_of_bounds",
        f"Tensor {name} needs {record.nbytes:,} bytes at offset {relative:,} of the data, up to byte {end:,} of the file, "
        f"which ends at byte {part.size:,}: {plural(missing, 'byte')} {'is' if missing == 1 else 'are'} missing.{why}",
        path=part.path,
        tensor=record.name,
        key="general.alignment" if moved else None,
        offset=record.offset,
        expected=f"a file of {end:,} bytes",
        found=f"{part.size:,} bytes",
    )


def cut_off(layout: Layout, record: TensorRecord) -> bool:
    """Whether a tensor past the end lies where it should, so that the file was cut: else its offset or its shape is wrong.

    In GGUF it should begin where the tensor listed before it ends, padded, and the one listed behind it should not begin
    where this one has not ended, inside the file.
    """
    part = layout.parts[record.part]
    size = part.size or 0
    if layout.format != "gguf" or part.data_start >= size:
        return True
    place = bisect_left(layout.records, (record.part, record.entry), key=lambda r: (r.part, r.entry))
    behind = layout.records[place + 1] if place + 1 < len(layout.records) else record
    if behind.part == record.part and record.offset < behind.offset < size:
        return False
    if record.offset == part.data_start:
        return True
    before = layout.records[place - 1] if place else record
    end = before.offset + before.nbytes
    return before.part == record.part and end + -(end - part.data_start) % part.alignment == record.offset


def left_out(layout: Layout, part: Part) -> bool:
    """Whether entries of this file's header could not be used, as is said of them: then its other bytes may be theirs."""
    return any(one.code in LEFT_OUT and one.path == part.path for one in layout.problems)
