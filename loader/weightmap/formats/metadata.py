"""The metadata of a file as a read-only mapping: small values are there at once, arrays are read when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from weightmap.asked import UnknownNameError


class Pending(Protocol):
    """A value that is still in the file. `kind` is its type as the format calls it, `len` its number of elements."""

    kind: str

    def __len__(self) -> int: ...
    def read(self) -> Any: ...


class Entry(NamedTuple):
    """One key and its value, as it stands in the file; a tuple, as are all records here that opening a file needs: making the
    class of a frozen dataclass takes five times as long.

    kind    the type as the format calls it: "u32", "str", "f32[]", "str[][]"; safetensors has only "str"
    value   a plain Python value, or a Pending one
    offset  absolute position of the entry
    raw     of a bool: the byte as it stands, where it is neither 0 nor 1
    """

    key: str
    kind: str
    value: Any
    offset: int
    raw: int | None = None

    @property
    def pending(self) -> Pending | None:
        """The value as a Pending one, or None where it is there already."""
        return self.value if hasattr(self.value, "read") else None

    def read(self) -> Any:
        """The value: of an array it is read now."""
        return self.value.read() if hasattr(self.value, "read") else self.value


class Metadata(Mapping[str, Any]):
    """Values by key in file order; a key that stands twice gives the first, `entries` has both."""

    def __init__(self, entries: tuple[Entry, ...] = ()) -> None:
        self.entries = entries
        self._first: dict[str, Entry] = {}
        for entry in entries:
            self._first.setdefault(entry.key, entry)

    def __getitem__(self, key: str) -> Any:
        return self.entry(key).read()

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or the default: checks ask for many keys that are not there, and an error for each would cost more."""
        entry = self._first.get(key)
        return default if entry is None else entry.read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)

    def __contains__(self, key: object) -> bool:
        return key in self._first

    def entry(self, key: str) -> Entry:
        """The entry itself: its type and position, without reading its value. Raises KeyError."""
        try:
            return self._first[key]
        except KeyError:
            raise UnknownNameError(key, self._first, "metadata key") from None

    def __repr__(self) -> str:
        return f"<metadata of {len(self)} keys>"
