"""Metadata values of GGUF: what each kind looks like in the file, and arrays that stay there until somebody looks.

Number arrays become numpy arrays when read, string arrays a sequence that decodes the strings asked for. So opening a model
costs the same whether its vocabulary has a thousand tokens or a quarter of a million.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from weightmap.errors import error
from weightmap.findings import finding
from weightmap.formats.metadata import Entry
from weightmap.source.cursor import Cursor
from weightmap.source.file import ByteSource
from weightmap.source.strings import Starts

BOOL, STRING, ARRAY = 7, 8, 9
NAMES = ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "arr", "u64", "i64", "f64")
CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
DEEPEST = 8
SCALARS = {order: {kind: struct.Struct(order + code) for kind, code in CODES.items()} for order in "<>"}


@dataclass(frozen=True, slots=True)
class NumberArray:
    """Numbers or bools that lie in the file; `read` gives them as a read-only numpy array in native byte order."""

    kind: str
    source: ByteSource
    offset: int
    count: int
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return self.count

    def read(self) -> NDArray[Any]:
        values = np.empty(self.count, self.dtype)
        self.source.read_into(self.offset, values.view(np.uint8))
        native = values.astype(self.dtype.newbyteorder("="), copy=False)
        values = native != 0 if self.kind == "bool[]" else native
        values.flags.writeable = False
        return values

    def bytes(self) -> NDArray[np.uint8]:
        """The bytes as they stand in the file."""
        values = np.empty(self.count * self.dtype.itemsize, np.uint8)
        self.source.read_into(self.offset, values)
        return values


class StringArray(Sequence[str]):
    """Strings that lie in the file, decoded when asked for; bytes that are no UTF-8 come as surrogate escapes."""

    kind = "str[]"

    def __init__(self, source: ByteSource, starts: Starts) -> None:
        self._source = source
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts.positions) - 1

    def read(self) -> StringArray:
        return self

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            chosen = range(len(self))[index]
            if abs(chosen.step) > 16:
                return [self[i] for i in chosen]
            low, high = (chosen[0], chosen[-1]) if chosen.step > 0 else (chosen[-1], chosen[0]) if chosen else (0, -1)
            return list(self._texts(low, high + 1))[:: chosen.step] if chosen else []
        place = range(len(self))[index]
        begin, end = self._starts.positions[place : place + 2].tolist()
        return self._source.read(begin, end - self._starts.width - begin).decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), 4096):
            yield from self._texts(first, min(first + 4096, len(self)))

    def _texts(self, first: int, last: int) -> Iterator[str]:
        """Strings first to last-1 through one read."""
        if first >= last:
            return
        places = self._starts.positions[first : last + 1].tolist()
        base, width = places[0], self._starts.width
        data = self._source.read(base, places[-1] - width - base)
        for begin, end in pairwise(places):
            yield data[begin - base : end - width - base].decode("utf-8", "surrogateescape")

    def raw(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """All texts as one block of bytes with zero bytes for the lengths between them, and where each begins in it."""
        positions, width = self._starts.positions, self._starts.width
        begin = int(positions[0])
        data = np.empty(max(self._starts.end - begin, 0), np.uint8)
        self._source.read_into(begin, data)
        starts = positions[:-1] - begin
        for back in range(1, width + 1):
            data[starts[1:] - back] = 0
        return data, starts

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (list, tuple, StringArray)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} strings>"


@dataclass(frozen=True, slots=True)
class NestedArray:
    """An array of arrays: read as a list of what its items read as."""

    kind: str
    items: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.items)

    def read(self) -> list[Any]:
        return [item.read() for item in self.items]


def read_entry(cursor: Cursor) -> Entry:
    """The next key and value. Raises WeightFileError where the value cannot be located."""
    at = cursor.position
    key = cursor.text("the key")
    cursor.key = key
    kind = cursor.u32("the value type")
    if kind == ARRAY:
        value = _array(cursor, 1)
        return Entry(key, value.kind, value, at)
    if kind == STRING:
        return Entry(key, "str", cursor.text("the value"), at)
    layout = SCALARS[cursor.order].get(kind)
    if layout is None:
        raise _unknown(cursor, kind, "value")
    (number,) = cursor.unpack(layout, "the value")
    if kind == BOOL:
        return Entry(key, "bool", number != 0, at, None if number <= 1 else number)
    return Entry(key, NAMES[kind], number, at)


def _array(cursor: Cursor, depth: int) -> NumberArray | StringArray | NestedArray:
    kind = cursor.u32("the array's element type")
    at = cursor.position
    count = cursor.length("the array's length")
    if kind == ARRAY:
        if depth == DEEPEST:
            raise error(
                finding(
                    "nesting_too_deep",
                    f"The arrays of {cursor.where} are nested more than {DEEPEST} deep; reading ended there.",
                    path=cursor.source.path,
                    key=cursor.key,
                    offset=at,
                    expected=f"at most {DEEPEST} levels",
                )
            )
        _bound(cursor, count, cursor.count_bytes + 4, at)
        items = tuple(_array(cursor, depth + 1) for _ in range(count))
        inner = {item.kind for item in items}
        return NestedArray((inner.pop() if len(inner) == 1 else "mixed[]") + "[]", items)
    if kind == STRING:
        _bound(cursor, count, cursor.count_bytes, at)
        return StringArray(cursor.source, cursor.strings(count, "the array"))
    layout = SCALARS[cursor.order].get(kind)
    if layout is None:
        raise _unknown(cursor, kind, "array element")
    _bound(cursor, count, layout.size, at)
    offset = cursor.skip(count * layout.size, "the array")
    return NumberArray(NAMES[kind] + "[]", cursor.source, offset, count, np.dtype(layout.format))


def _bound(cursor: Cursor, count: int, least: int, at: int) -> None:
    """Refuse a count that the rest of the file cannot hold, before anything is allocated or looped over."""
    if count * least > cursor.remaining:
        raise cursor.too_long("the array", count, "elements", at)


def _unknown(cursor: Cursor, kind: int, what: str) -> Exception:
    return error(
        finding(
            "unknown_kv_type",
            f"The {what} of {cursor.where} is of type {kind:,}, which GGUF does not define; what follows cannot be located.",
            path=cursor.source.path,
            key=cursor.key,
            offset=cursor.position - 4,
            expected="a type from 0 to 12",
            found=f"type {kind}",
        )
    )
