"""GGUF, versions 1 to 3, in both byte orders: header bytes to a Layout. No values are read here.

Tolerant: a header that stops half-way gives what was read and a problem. Where the tensor table or the alignment cannot be
trusted no tensor has a known place, and the part says so (`Part.located`).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from weightmap.errors import WeightFileError, error
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.ambiguous import settle
from weightmap.formats.gguf_values import read_entry
from weightmap.formats.layout import Layout, Part, TensorRecord, claimed
from weightmap.formats.metadata import Entry, Metadata
from weightmap.formats.zeroed import refuse_zeros
from weightmap.source.byte_source import ByteSource
from weightmap.source.cursor import LONGEST_NAME, Cursor
from weightmap.types import registry
from weightmap.types.base import StoredType

MAGIC, SWAPPED_MAGIC = b"GGUF", b"FUGG"
NEWEST = 3
PREAMBLE = 24
MOST_DIMS = 64  # what numpy can show
# Far above any real model: more would only be a way to ask for many times the header's size in memory. Smaller counts
# are left to the reading, which ends with the file: then it can say where the file was cut.
MOST_TENSORS, MOST_ENTRIES = 1 << 22, 1 << 20
LARGEST_ALIGNMENT = 1 << 30
_FATAL = ("file_changed", "closed", "read_error")


class Info(NamedTuple):
    """One entry of the tensor table as it stands: `dims` in ggml order, `offset` from the start of the data."""

    name: str
    dims: tuple[int, ...]
    type: int
    offset: int
    entry: int


def parse(source: ByteSource) -> Layout:
    """The Layout of one file, as part 0. Raises WeightFileError where nothing can be shown."""
    cursor = Cursor(source)
    problems: list[Finding] = []
    magic = cursor.take(4, "the magic number") if source.size >= PREAMBLE else b""
    if not magic:
        raise error(
            finding(
                "truncated",
                f"A GGUF header takes at least {PREAMBLE} bytes; the file has {source.size:,} bytes.",
                path=source.path,
                expected=f"at least {PREAMBLE} bytes",
                found=f"{source.size:,} bytes",
            )
        )
    version, big_endian = _version(cursor)
    problems += _version_findings(source.path, version, big_endian, magic == SWAPPED_MAGIC)
    tensors, keys = cursor.length("the number of tensors"), cursor.length("the number of metadata entries")
    if keys > MOST_ENTRIES:
        raise _bad_count(cursor, "metadata entries", keys, MOST_ENTRIES)
    entries, whole = _entries(cursor, keys, problems)
    breaks_in, end = (None, None) if whole else ("metadata", problems[-1].offset)
    metadata = Metadata(entries)
    alignment = _alignment(metadata, source.path, problems)
    infos: list[Info] = []
    if whole and tensors > MOST_TENSORS:
        problems.append(_bad_count(cursor, "tensors", tensors, MOST_TENSORS).finding)
        whole = False
    elif whole:
        whole = _infos(cursor, tensors, infos, problems)
        breaks_in, end = (None, None) if whole else ("tensors", problems[-1].offset)
    end = cursor.position if end is None else end
    start = cursor.position + (-cursor.position % (alignment or 1) if tensors else 0)
    located = whole and alignment > 0 and version <= NEWEST
    return Layout(
        format="gguf",
        path=source.path,
        parts=(
            Part(
                source.path, source.size, start, end, alignment or 1, located, breaks_in, tensors if breaks_in else None
            ),
        ),
        records=settle(_records(infos, start, big_endian), source.size, alignment or 1),
        metadata=metadata,
        version=version,
        byte_order="big" if big_endian else "little",
        alignment=alignment,
        problems=tuple(problems),
    )


def _version(cursor: Cursor) -> tuple[int, bool]:
    """The version and whether the file is big-endian; sets the cursor up for what follows."""
    version = cursor.u32("the version")
    big_endian = version != 0 and version & 0xFFFF == 0
    if big_endian:
        version = int.from_bytes(version.to_bytes(4, "little"), "big")
    if not 1 <= version <= 99:
        raise error(
            finding(
                "unsupported_version",
                f"The file calls itself GGUF version {version:,}; versions 1 to {NEWEST} are known.",
                path=cursor.source.path,
                offset=4,
                expected=f"1 to {NEWEST}",
                found=version,
            )
        )
    cursor.arrange(big_endian=big_endian, wide=version > 1)
    return version, big_endian


def _version_findings(path: str, version: int, big_endian: bool, swapped: bool) -> list[Finding]:
    found = []
    if swapped:
        text = "The magic number is FUGG, byte-swapped; in GGUF it reads the same in big-endian files."
        found.append(finding("byte_swapped_magic", text, path=path, offset=0, expected="GGUF", found="FUGG"))
    if version > NEWEST:
        text = f"This is GGUF version {version}, and {NEWEST} is the newest known here; it is shown by the rules of {NEWEST}."
        found.append(
            finding("unsupported_version", text, path=path, offset=4, expected=f"1 to {NEWEST}", found=version)
        )
    elif version < NEWEST:
        text = f"This is GGUF version {version}; the current version is {NEWEST}."
        severity = None
        if version == 1:
            text, severity = f"{text} No current tool reads version 1.", Severity.WARNING
        found.append(finding("old_version", text, severity=severity, path=path, offset=4, found=version))
    if big_endian:
        found.append(finding("big_endian", "This is a big-endian file.", path=path, offset=4))
    return found


def _bad_count(cursor: Cursor, what: str, count: int, most: int) -> WeightFileError:
    turned = int.from_bytes(count.to_bytes(8, "little"), "big")
    mixed = f" In the other byte order these are {turned:,}: the version is in one, and the rest in the other."
    return error(
        finding(
            "bad_count",
            f"The header counts {count:,} {what}, in a file of {cursor.size:,} bytes; no more than {most:,} are read."
            f"{mixed if turned <= most else ''}",
            path=cursor.source.path,
            offset=8,
            expected=f"at most {most:,}",
            found=f"{count:,}",
        )
    )


def _entries(cursor: Cursor, count: int, problems: list[Finding]) -> tuple[tuple[Entry, ...], bool]:
    """The metadata entries, up to the first that cannot be read; and whether that is all of them."""
    entries: list[Entry] = []
    cursor.place, cursor.count = "metadata entry", count
    try:
        for cursor.number in range(1, count + 1):
            start, cursor.key = cursor.position, None
            one = read_entry(cursor)
            refuse_zeros(cursor, one.key, start)
            entries.append(one)
    except WeightFileError as problem:
        if problem.code in _FATAL:
            raise
        problems.append(problem.finding)
    cursor.key = None
    return tuple(entries), len(entries) == count


def _alignment(metadata: Metadata, path: str, problems: list[Finding]) -> int:
    """general.alignment, 32 where there is none, 0 where it makes no sense."""
    if "general.alignment" not in metadata:
        return 32
    entry = metadata.entry("general.alignment")
    value = entry.value
    sound = type(value) is int and 0 < value <= LARGEST_ALIGNMENT and value & (value - 1) == 0
    if sound and value >= 8:
        return int(value)
    shown = value if entry.pending is None else entry.kind
    problems.append(
        finding(
            "bad_alignment",
            f"general.alignment is {shown!r}, and the format asks for a multiple of 8."
            if sound
            else f"general.alignment is {shown!r}, but must be a power of two; where the tensors lie cannot be told.",
            severity=Severity.WARNING if sound else None,
            path=path,
            key="general.alignment",
            offset=entry.offset,
            expected="a power of two, at least 8",
            found=repr(shown),
        )
    )
    return int(value) if sound else 0


def _infos(cursor: Cursor, count: int, infos: list[Info], problems: list[Finding]) -> bool:
    """Fill `infos` from the tensor table; whether it was read to its end."""
    cursor.place, cursor.count = "tensor", count
    layouts = [struct.Struct(f"{cursor.order}{n}{cursor.wide}IQ") for n in range(MOST_DIMS + 1)]
    try:
        for cursor.number in range(1, count + 1):
            entry, cursor.tensor = cursor.position, None
            cursor.tensor = name = cursor.text("the name", LONGEST_NAME)
            refuse_zeros(cursor, name, entry)
            dims = cursor.u32("the number of dimensions")
            if dims > MOST_DIMS:
                raise _many_dims(cursor, dims)
            fields = cursor.unpack(layouts[dims], "the shape, type and offset")
            infos.append(Info(name, fields[:dims], fields[dims], fields[dims + 1], entry))
    except WeightFileError as problem:
        if problem.code in _FATAL:
            raise
        problems.append(problem.finding)
    cursor.tensor = None
    return len(infos) == count


def _many_dims(cursor: Cursor, dims: int) -> WeightFileError:
    return error(
        finding(
            "too_many_dims",
            f"Tensor {cursor.number:,} of {cursor.count:,} is said to have {dims:,} dimensions; no more than {MOST_DIMS} "
            "can be shown, and what follows cannot be located.",
            severity=Severity.ERROR,
            path=cursor.source.path,
            tensor=cursor.tensor,
            offset=cursor.position - 4,
            expected="at most 4",
            found=f"{dims:,}",
        )
    )


def _records(infos: list[Info], start: int, big_endian: bool) -> list[TensorRecord]:
    """Records with absolute positions."""
    types: dict[int, StoredType] = {}
    for info in infos:
        if info.type not in types:
            known = registry.by_id(info.type)
            types[info.type] = registry.big_endian(known) if big_endian and known.known else known
    return [
        TensorRecord(name, dims[::-1], types[kind], 0, start + offset, claimed(types[kind], dims), entry)
        for name, dims, kind, offset, entry in infos
    ]
