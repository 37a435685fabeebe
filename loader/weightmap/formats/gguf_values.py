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
from weightmap.source.byte_source import ByteSource
from weightmap.source.cursor import LONGEST_NAME, Cursor
from weightmap.source.strings import Lying

BOOL, STRING, ARRAY = 7, 8, 9
NAMES = ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "arr", "u64", "i64", "f64")
CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
DEEPEST = 8
MOST_AT_ONCE, BYTES_AT_ONCE = 1 << 16, 1 << 19  # strings, and about how many bytes, that one read brings
MOST_NESTED = 1 << 16  # arrays in one array of arrays: ten thousands of times what any model has
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

    def __init__(self, source: ByteSource, starts: Lying) -> None:
        self.source = source
        self._starts = starts

    @property
    def starts(self) -> Lying:
        """Where the strings lie."""
        return self._starts

    def __len__(self) -> int:
        return self._starts.count

    def read(self) -> StringArray:
        return self

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        chosen = range(len(self))[index]
        if isinstance(chosen, int):
            return next(self._texts(chosen, chosen + 1))
        if abs(chosen.step) > 16:
            return [self[i] for i in chosen]
        if not chosen:
            return []
        low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
        return list(self._texts(low, high + 1))[:: chosen.step]

    def __iter__(self) -> Iterator[str]:
        for first, last in self._batches(0, len(self)):
            yield from self._texts(first, last)

    def _texts(self, first: int, last: int) -> Iterator[str]:
        """Strings first to last-1 through one read; there must be one at least."""
        for word in self._words(first, last):
            yield word.decode("utf-8", "surrogateescape")

    def _words(self, first: int, last: int) -> Iterator[bytes]:
        """The same as bytes."""
        places, width = self._starts.places[first : last + 1].tolist(), self._starts.width
        low = places[0] + width
        data = self.source.read(self._starts.base + low, places[-1] - low)
        for begin, end in pairwise(places):
            yield data[begin + width - low : end - low]

    def raw(self, first: int, last: int) -> Iterator[bytes]:
        """The bytes of strings first to last-1, read as many at a time as lie in BYTES_AT_ONCE."""
        for begin, end in self._batches(first, last):
            yield from self._words(begin, end)

    def _batches(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """(first, behind the last) of as many strings as lie in BYTES_AT_ONCE bytes; of one at least."""
        places = self._starts.places
        while first < last:
            near = places[first : min(first + MOST_AT_ONCE, last) + 1]
            border = min(int(places[first]) + BYTES_AT_ONCE, int(near[-1]))  # of the type that places have
            end = first + max(int(np.searchsorted(near, near.dtype.type(border), "right")) - 1, 1)
            yield first, end
            first = end

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
    key = cursor.text("the key", LONGEST_NAME)
    cursor.key = key
    kind = cursor.u32("the value type")
    if kind == ARRAY:
        value = _array(cursor, 1, [0])
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


def _array(cursor: Cursor, depth: int, nested: list[int]) -> NumberArray | StringArray | NestedArray:
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
        nested[0] += count
        if nested[0] > MOST_NESTED:
            raise cursor.too_long("the arrays in the array", nested[0], "arrays", at)
        _bound(cursor, count, cursor.count_bytes + 4, at)
        items = tuple(_array(cursor, depth + 1, nested) for _ in range(count))
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
