"""Metadata as rows: key, kind, value. Rows are prepared in the background, since large values are read on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import weightmap
from tensorloupe.items.table import RowTable
from tensorloupe.style import text

PREVIEW = 300  # characters of a value that a row shows
HEAD = 8  # items of an array that a row shows

KEY, KIND, VALUE = range(3)


class Entry(NamedTuple):
    """One key of the metadata. `shown` and `kind` are ready to show; `value` is what the file says."""

    key: str
    kind: str
    shown: str
    value: Any
    searched: str  # lower case: what the search field looks through

    @property
    def is_array(self) -> bool:
        """Whether the value is a list of items, to be read in a table."""
        return is_array(self.value)

    @property
    def is_cut(self) -> bool:
        """Whether the row shows less than the whole value."""
        return self.is_array or len(self.value if isinstance(self.value, str) else self.shown) > PREVIEW


def entries(
    metadata: Mapping[str, Any],
    stored: Callable[[str], str] = lambda key: "",
    wanted: Callable[[], bool] = lambda: True,
) -> tuple[Entry, ...]:
    """All keys in file order. Ends early, with what it has, once `wanted` says no.

    stored  the type of a key's value as the format calls it ("u32", "f32[]"); empty where it is to be told from the value
    """
    rows: list[Entry] = []
    for key in metadata:
        if not wanted():
            break
        rows.append(entry(key, metadata[key], stored(key)))
    return tuple(rows)


def entry(key: str, value: Any, stored: str = "") -> Entry:
    """One row. Of an array only the first items are looked at, of a 32-bit float no digits that it has not: 1e-06."""
    if stored == "f32" and isinstance(value, float):
        value = np.float32(value)
    shown = preview(value)
    kind = kind_of(value) if not stored else stored.removesuffix("[]") + counted_items(value)
    return Entry(weightmap.printable(key), kind, shown, value, searchable(f"{key}\n{shown}"))


def searchable(words: str) -> str:
    """As words are compared in a search: whatever their case, and with the minus that a keyboard has."""
    return words.lower().replace(text.MINUS, "-")


def counted_items(value: Any) -> str:
    """How many items an array has, in brackets; nothing for a single value."""
    return f"[{text.count(len(value))}]" if is_array(value) else ""


def is_array(value: Any) -> bool:
    """Whether a metadata value is an array: of numbers, or of strings."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def kind_of(value: Any) -> str:
    """The kind of a value in a word: str, bool, int, float, int32[7]."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}{counted_items(value)}"
    if is_array(value):
        inner = kind_of(value[0]).partition("[")[0] if len(value) else "array"
        return inner + counted_items(value)
    return "str" if isinstance(value, str) else type(value).__name__


def preview(value: Any) -> str:
    """A value on one line, escaped; what is left out is counted."""
    if is_array(value):
        shown = ", ".join(_item(v) for v in value[:HEAD])
        more = len(value) - HEAD
        return f"[{shown}, and {text.count(more)} more]" if more > 0 else f"[{shown}]"
    if isinstance(value, str):
        head = weightmap.printable(value[:PREVIEW])
        more = len(value) - PREVIEW
        return f"{head} … and {text.counted(more, 'character')} more" if more > 0 else head
    return read(value)


def read(value: Any) -> str:
    """A scalar as a cell shows it: every digit, and a true minus."""
    return exact(value).replace("-", text.MINUS)


def exact(value: Any) -> str:
    """A scalar with every digit, as it is copied: 1e-06, 131072, true."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.generic):
        value = value.item() if value.dtype.itemsize != 4 or value.dtype.kind != "f" else float(str(value))
    return repr(value) if isinstance(value, float) else str(value)


def whole(value: Any) -> str:
    """The whole value as text, strings as they are; of an array one item per line. Reads arrays: not for the window's thread."""
    if is_array(value):
        return "\n".join(whole(item) for item in value)
    return value if isinstance(value, str) else exact(value)


def size_of(value: Any) -> int:
    """How many items there are to read in a value."""
    return len(value) if is_array(value) else 1


def _item(value: Any) -> str:
    if isinstance(value, str):
        cut = value if len(value) <= 40 else value[:40] + "…"
        return f"“{weightmap.printable(cut)}”"
    return "[…]" if is_array(value) else read(value)


class MetadataTable(RowTable[Entry]):
    """The metadata, all of it or what the search field leaves."""

    heads = ("Key", "Type", "Value")
    quiet = frozenset({KIND})

    def cell(self, row: Entry, column: int) -> str:
        return (row.key, row.kind, row.shown)[column]

    def raw(self, row: Entry, column: int) -> str:
        return whole(row.value) if column == VALUE else self.cell(row, column)

    def tip(self, row: Entry, column: int) -> str | None:
        return f"{row.key}\nEnter opens the whole value." if row.is_cut else row.key


def found(rows: Sequence[Entry], needle: str) -> Sequence[Entry]:
    """The rows in which every word of the needle stands, in the key or in the part of the value that is shown."""
    words = searchable(needle).split()
    return tuple(row for row in rows if all(word in row.searched for word in words)) if words else rows
