"""safetensors: header bytes to a Layout. No values are read here.

Tolerant: an entry that makes no sense is left out and said; the others stand. A header that is no JSON object shows nothing
and raises. Stricter than json.loads: doubled names, fractions and true for 1 do not pass.
"""

from __future__ import annotations

import json
import struct
from typing import Any

from weightmap.errors import error, printable
from weightmap.findings import Few, Finding, Severity, finding
from weightmap.formats.json_header import loads
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.formats.metadata import Entry, Metadata
from weightmap.formats.zeroed import zeros_in
from weightmap.source.byte_source import ByteSource
from weightmap.types import registry
from weightmap.types.base import StoredType
from weightmap.types.unknown import UnknownType

LENGTH = 8
LARGEST_HEADER = 100_000_000  # the reference stops there, too
METADATA = "__metadata__"
FIELDS = ("dtype", "shape", "data_offsets")
LARGEST = (1 << 64) - 1
NEARBY = 1 << 14  # bytes in which a name is looked for behind the one before it


def parse(source: ByteSource) -> Layout:
    """The Layout of one file, as part 0. Raises WeightFileError where the header cannot be read at all."""
    text = _header(source)
    reader = _Entries(source.path, text)
    try:
        header = loads(text)
    except ValueError as problem:
        zeros = zeros_in(source.path, text, LENGTH)
        raise error(zeros or _bad_header(source, f"The header {problem}.")) from None
    if type(header) is not tuple:
        raise error(_bad_header(source, "The header is JSON, but no object of tensors."))
    for name, value in header:
        if name == METADATA:
            reader.metadata(value)
        else:
            reader.tensor(name, value)
    start = LENGTH + len(text)
    return Layout(
        format="safetensors",
        path=source.path,
        parts=(Part(source.path, source.size, start, start),),
        records=tuple(reader.records),
        metadata=Metadata(tuple(reader.entries)),
        problems=tuple(reader.problems.findings()),
        absent=tuple(reader.lost),
    )


def _header(source: ByteSource) -> bytes:
    """The header's bytes. Raises TruncatedFileError or CorruptWeightError where its length makes no sense."""
    (length,) = struct.unpack("<Q", source.read(0, LENGTH)) if source.size >= LENGTH else (0,)
    here = f"the file has {source.size:,} bytes"
    if LARGEST_HEADER * 100 > length > source.size - LENGTH or source.size < LENGTH:
        raise error(
            finding(
                "truncated",
                f"The header is said to be {length:,} bytes long, but {here}."
                if source.size >= LENGTH
                else f"A safetensors file begins with an 8-byte length, but {here}.",
                path=source.path,
                offset=0,
                expected=f"{LENGTH + length:,} bytes",
                found=f"{source.size:,} bytes",
            )
        )
    if not 2 <= length <= LARGEST_HEADER:
        text = f"The header is said to be {length:,} bytes long; 2 to {LARGEST_HEADER:,} are possible, and {here}."
        raise error(_bad_header(source, text, offset=0))
    return source.read(LENGTH, length)


def _bad_header(source: ByteSource, text: str, offset: int = LENGTH) -> Finding:
    return finding("bad_header", text, path=source.path, offset=offset, expected="a JSON object")


class _Entries:
    """Turns the header's names and values into records, metadata entries and problems."""

    def __init__(self, path: str, text: bytes) -> None:
        self.path = path
        self.records: list[TensorRecord] = []
        self.entries: list[Entry] = []
        self.problems = Few()
        self.lost: list[str] = []  # tensors whose entry tells no type, shape or place
        self._text, self._base, self._at = text, LENGTH + len(text), 0
        self._types: dict[Any, StoredType] = {}
        self._metadata_seen = False
        if not text.startswith(b"{"):
            text_ = "The header begins with white space; the format asks for a brace."
            self.problems.add(finding("header_start", text_, path=path, offset=LENGTH, expected="{"))

    def tensor(self, name: str, value: Any) -> None:
        """One tensor entry: a record, or a problem."""
        if type(value) is tuple and len(value) == 3 and name.isascii():
            (first, dtype), (second, shape), (third, offsets) = value
            # as writers order them: nearly every entry
            if (first, second, third) == FIELDS and type(dtype) is str and _sound(shape, offsets):
                self._record(name, dtype, shape, offsets)
                return
        self._unusual(name, value)

    def _record(self, name: str, dtype: str, shape: Any, offsets: Any) -> None:
        stored = self._types.get(dtype)
        if stored is None:
            stored = self._types[dtype] = registry.by_dtype(dtype) or _unknown(dtype)
        begin, end = offsets
        base = self._base + begin
        self.records.append(TensorRecord(name, tuple(shape), stored, 0, base, end - begin, self._place(name)))

    def _unusual(self, name: str, value: Any) -> None:
        """An entry whose fields stand in another order, or are others, or not what they should be."""
        fields = dict(value) if type(value) is tuple else None
        if fields is None or len(fields) != len(value) or not _encodable(name):
            self._odd_entry(name, value)
            if fields is None or not _encodable(name):
                self.lost.append(name)
                return
        dtype, shape, offsets = fields.get("dtype"), fields.get("shape"), fields.get("data_offsets")
        if type(dtype) is str and _sound(shape, offsets):
            self._record(name, dtype, shape, offsets)
        else:
            self._odd_fields(name, fields)
            self.lost.append(name)

    def metadata(self, value: Any) -> None:
        """The value of __metadata__: strings by name; anything else is shown as it is and said."""
        at = self._place(METADATA)
        if self._metadata_seen:
            text = "The header has __metadata__ twice; readers keep one of them."
            self.problems.add(finding("duplicate_key", text, path=self.path, key=METADATA, offset=at))
        self._metadata_seen = True
        if type(value) is not tuple:
            shown = "a string" if type(value) is str else _kind(value)
            text = f"__metadata__ is {shown}, not a map of strings to strings."
            self._say("bad_metadata", text, key=METADATA, offset=at, expected="a map of strings", found=shown)
            return
        if dict(value).keys() >= set(FIELDS) and type(dict(value)["shape"]) is list:
            text = "A tensor is called __metadata__, the name of the metadata; its values cannot be given."
            self._say("reserved_name", text, tensor=METADATA, key=METADATA, offset=at)
            return
        for key, item in value:
            place = self._place(key)
            if type(item) is not str:
                text = f"The value of {printable(key)} in __metadata__ is {_kind(item)}, not a string."
                self._say("bad_metadata", text, severity=Severity.ERROR, key=key, offset=place, found=_kind(item))
            elif not _encodable(key) or not _encodable(item):
                text = f"The entry {printable(key)} of __metadata__ holds half a character (a lone surrogate)."
                self._say("bad_metadata", text, key=printable(key), offset=place, found="a lone surrogate")
            self.entries.append(Entry(key, _kind(item), item, place))

    def _odd_entry(self, name: str, value: Any) -> None:
        at = self._place(name)
        if not _encodable(name):
            text = f"The name {printable(name)} holds half a character (a lone surrogate)."
            self._say("bad_header", text, key=printable(name), offset=at)
        elif type(value) is not tuple:
            text = f"The entry {printable(name)} is {_kind(value)}, not a tensor's dtype, shape and data_offsets."
            self._say("bad_header", text, tensor=name, offset=at, expected="an object", found=_kind(value))
        else:
            text = f"The entry of tensor {printable(name)} has a field twice; the last one is taken."
            self._say("duplicate_key", text, tensor=name, offset=at)

    def _odd_fields(self, name: str, fields: dict[str, Any]) -> None:
        """Say what is wrong with the first field that is."""
        at, shown = self._place(name), printable(name)
        dtype, shape, offsets = (fields.get(field) for field in FIELDS)
        if missing := [field for field in FIELDS if field not in fields]:
            text = f"The entry of tensor {shown} has no {' and no '.join(missing)}."
            self._say("missing_field", text, tensor=name, offset=at, expected=", ".join(FIELDS))
        elif type(dtype) is not str:
            text = f"The dtype of tensor {shown} is {_kind(dtype)}, not a string."
            self._say("bad_header", text, tensor=name, offset=at, found=_kind(dtype))
        elif not _whole(shape):
            text = f"The shape of tensor {shown} is {_brief(shape)}, not a list of whole numbers."
            self._say("bad_shape", text, tensor=name, offset=at, expected="whole numbers", found=_brief(shape))
        else:
            text = f"The data_offsets of tensor {shown} are {_brief(offsets)}, not two ascending whole numbers."
            self._say("bad_offsets", text, tensor=name, offset=at, expected="[begin, end]", found=_brief(offsets))

    def _say(self, code: str, text: str, **more: Any) -> None:
        self.problems.add(finding(code, text, path=self.path, **more))

    def _place(self, name: str) -> int:
        """Absolute position of this name in the header, looked for behind the one before; the header's start if escaped."""
        at = self._at
        found = self._text.find(f'"{name}"'.encode("utf-8", "replace"), at, at + NEARBY + 2 * len(name))
        if found < 0:
            return LENGTH
        self._at = found + 1
        return LENGTH + found


def _encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(numbers: Any) -> bool:
    """Whether this is a list of whole numbers of at most 64 bits."""
    return type(numbers) is list and all(type(n) is int and 0 <= n <= LARGEST for n in numbers)


def _sound(shape: Any, offsets: Any) -> bool:
    """Whether shape and data_offsets are what they should be: looked at in plain comparisons, for speed."""
    if type(shape) is not list or type(offsets) is not list or len(offsets) != 2:
        return False
    begin, end = offsets
    if type(begin) is not int or type(end) is not int or not 0 <= begin <= end <= LARGEST:
        return False
    for n in shape:  # noqa: SIM110 - a generator would cost more than the loop
        if type(n) is not int or not 0 <= n <= LARGEST:
            return False
    return True


def _unknown(dtype: str) -> UnknownType:
    name = dtype or '""'
    return UnknownType(name, None, f"No safetensors dtype {printable(name)} is known here.")


def _kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    kinds = {str: "str", tuple: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return kinds[type(value)]


def _brief(value: Any) -> str:
    """A JSON value for a message: numbers in full, all else cut short."""
    text = printable("an object" if type(value) is tuple else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 80 else text[:77] + "..."
