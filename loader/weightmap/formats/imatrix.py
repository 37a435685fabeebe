"""Importance matrices in llama.cpp's old form, a binary file of its own: bytes to a Layout. (The newer form is a GGUF.)

    int32 number of entries; each entry: int32 length of its name, the name, int32 calls, int32 number of values, float32
    values; perhaps after them: int32 number of chunks, int32 length of a name, the name of the data set

An entry becomes two tensors, named as the newer form names them: NAME.in_sum2 are the values, NAME.counts the calls. In both
forms the first divided by the second is the mean square of each input.
"""

from __future__ import annotations

import struct

from weightmap.errors import WeightFileError, error
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.formats.metadata import Entry, Metadata
from weightmap.source.byte_source import ByteSource
from weightmap.source.cursor import Cursor
from weightmap.types.registry import by_name

MOST_ENTRIES = 1 << 20
LONGEST_NAME = (1 << 16) - 1  # bytes
_LIKELY_NAME = 256  # bytes: of the first entry, when a file is looked at for what it is
_FATAL = ("file_changed", "closed", "read_error")
_I32 = struct.Struct("<i")


def begins(head: bytes, size: int) -> bool:
    """Whether a file of `size` bytes that begins so is one: its first entry makes sense and fits."""
    if len(head) < 16:
        return False
    entries, length = struct.unpack_from("<ii", head)
    if not (1 <= entries <= MOST_ENTRIES and 1 <= length <= _LIKELY_NAME and len(head) >= 16 + length):
        return False
    name, (calls, values) = head[8 : 8 + length], struct.unpack_from("<ii", head, 8 + length)
    plain = name.isascii() and all(32 < byte < 127 for byte in name)
    return plain and calls >= 0 and 1 <= values <= (size - 16 - length) // 4


def parse(source: ByteSource) -> Layout:
    """The Layout of one file: what was read up to the first entry that cannot be, and a problem where that is not all."""
    cursor = Cursor(source)
    problems: list[Finding] = []
    records: list[TensorRecord] = []
    metadata: list[Entry] = []
    count = _number(cursor, "the number of entries")
    try:
        if count > MOST_ENTRIES:
            raise _impossible(cursor, "the number of entries", count)
        cursor.place, cursor.count = "entry", count
        for cursor.number in range(1, count + 1):
            records += _entry(cursor)
        cursor.place, cursor.count, cursor.tensor = "the end of the file", 0, None
        metadata = _end(cursor)
        if cursor.remaining:
            problems.append(_trailing(cursor))
    except WeightFileError as problem:
        if problem.code in _FATAL:
            raise
        problems.append(problem.finding)
    return Layout(
        format="imatrix",
        path=source.path,
        parts=(Part(source.path, source.size, 0, cursor.position),),
        records=tuple(records),
        metadata=Metadata(tuple(metadata)),
        problems=tuple(problems),
    )


def _entry(cursor: Cursor) -> tuple[TensorRecord, TensorRecord]:
    """One entry as two tensors. Raises WeightFileError where it is cut off or its lengths are impossible."""
    start, cursor.tensor = cursor.position, None
    name = cursor.tensor = _text(cursor, "the name")
    calls_at = cursor.position
    _number(cursor, "the number of calls")
    values = _number(cursor, "the number of values")
    if values < 1:
        raise _impossible(cursor, "the number of values", values)
    values_at = cursor.skip(values * 4, "the values")
    floats, integers = by_name("F32"), by_name("I32")
    assert floats is not None
    assert integers is not None
    return (
        TensorRecord(f"{name}.in_sum2", (values,), floats, 0, values_at, values * 4, start),
        TensorRecord(f"{name}.counts", (1,), integers, 0, calls_at, 4, start),
    )


def _end(cursor: Cursor) -> list[Entry]:
    """What stands behind the entries: nothing in the oldest files, else the number of chunks and perhaps the data set."""
    found = []
    if cursor.remaining >= 4:
        at = cursor.position
        found.append(Entry("imatrix.chunk_count", "i32", _number(cursor, "the number of chunks"), at))
    if cursor.remaining >= 4:
        at = cursor.position
        found.append(Entry("imatrix.dataset", "str", _text(cursor, "the name of the data set", least=0), at))
    return found


def _number(cursor: Cursor, what: str) -> int:
    number: int = cursor.unpack(_I32, what)[0]
    return number


def _text(cursor: Cursor, what: str, least: int = 1) -> str:
    """A string with an int32 length before it; bytes that are no UTF-8 come as surrogate escapes."""
    at = cursor.position
    length = _number(cursor, f"the length of {what}")
    if length < least:
        raise _impossible(cursor, f"the length of {what}", length)
    if length > LONGEST_NAME:
        raise cursor.too_long(what, length, "bytes", at)
    return cursor.take(length, what).decode("utf-8", "surrogateescape")


def _impossible(cursor: Cursor, what: str, number: int) -> WeightFileError:
    most = f"1 to {MOST_ENTRIES:,}" if cursor.place != "entry" else "at least 1"
    return error(
        finding(
            "bad_count",
            f"{what[0].upper()}{what[1:]} of {cursor.where} is {number:,}; {most} was expected. Nothing behind it can be read.",
            path=cursor.source.path,
            tensor=cursor.tensor,
            offset=cursor.position - 4,
            expected=most,
            found=f"{number:,}",
        )
    )


def _trailing(cursor: Cursor) -> Finding:
    return finding(
        "trailing_bytes",
        f"The file goes on for {cursor.remaining:,} bytes after its last entry.",
        path=cursor.source.path,
        offset=cursor.position,
        expected=f"{cursor.position:,} bytes",
        found=f"{cursor.size:,} bytes",
    )
