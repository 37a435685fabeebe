"""What is remembered between two starts: one small JSON file, written whole or not at all.

A file that cannot be read is set aside and the defaults hold; a disk that refuses is no reason to stop. Two windows add to
the recent list instead of undoing each other: before it is written, the file is read again and only the change is made.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tensorloupe.files import places
from tensorloupe.files.writing import PRIVATE, whole_file

VARIABLE = "TENSORLOUPE_CONFIG"  # a folder to keep the settings in, instead of the user's own
RECENT_LIMIT = 20


class Recent(NamedTuple):
    """One entry of the recent list: as it was when it was last opened, never looked up on the disk to be shown."""

    path: str
    size: int
    status: str
    opened: float  # seconds since 1970


def folder() -> Path:
    """Where settings live: the variable's folder, else where the system keeps them for this user."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    from PySide6.QtCore import QStandardPaths  # costs nothing here: Qt is loaded long before

    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(base or Path.home() / ".config") / "tensorloupe"


class Settings:
    """Values by name. Reading never fails; writing is atomic, and a failure to write is kept quiet."""

    def __init__(self, where: Path | None = None, keep: bool = True) -> None:
        self.file = (where or folder()) / "settings.json"
        self._keep = keep  # without it, nothing is read or written: defaults, for as long as the program runs
        self._values = self._read() if keep else {}

    def get(self, name: str, default: Any) -> Any:
        """The value of that name if it is of the default's kind, else the default."""
        value = self._values.get(name, default)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return value if default is None or type(value) is type(default) else default

    def set(self, name: str, value: Any) -> None:
        """Remember a value that JSON can hold. Writes only where it is another one than before."""
        if self._values.get(name) != value or name not in self._values:
            self._change(lambda values: values.__setitem__(name, value))

    def recent(self) -> tuple[Recent, ...]:
        """The recent files, latest first. Entries that make no sense are left out."""
        listed = self.get("recent", [])
        return tuple(r for r in (_recent(entry) for entry in listed) if r is not None)

    def add_recent(self, path: str, size: int, status: str) -> None:
        """Put a file at the head of the recent list."""
        entry = {"path": _storable(path), "size": size, "status": status, "opened": round(time.time(), 3)}
        self._change(lambda values: _put_first(values, entry))

    def remove_recent(self, path: str) -> None:
        """Take a file from the recent list."""
        stored = _storable(path)
        self._change(lambda values: _keep(values, lambda entry: entry.get("path") != stored))

    def clear_recent(self) -> None:
        """Empty the recent list."""
        self._change(lambda values: values.__setitem__("recent", []))

    def _read(self) -> dict[str, Any]:
        try:
            text = self.file.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as reason:
            if isinstance(reason, UnicodeError):
                self._set_aside()
            return {}
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            self._set_aside()
            return {}
        return values

    def _set_aside(self) -> None:
        with contextlib.suppress(OSError):
            os.replace(self.file, self.file.with_suffix(".unreadable.json"))

    def _change(self, change: Callable[[dict[str, Any]], Any]) -> None:
        on_disk = self._read() if self._keep else {}
        before = _text(on_disk)
        self._values = on_disk if on_disk or not self._values else self._values
        change(self._values)
        if self._keep and (after := _text(self._values)) != before:
            with contextlib.suppress(OSError):
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with whole_file(str(self.file), PRIVATE) as file:
                    file.write(after.encode())


def _text(values: dict[str, Any]) -> str:
    return json.dumps(values, indent=1, ensure_ascii=True)


def _storable(path: str) -> str:
    return places.kept(path)


def _recent(entry: Any) -> Recent | None:
    if not isinstance(entry, dict):
        return None
    path, size, status, opened = (entry.get(name) for name in ("path", "size", "status", "opened"))
    if not isinstance(path, str) or not path or "\0" in path or isinstance(size, bool) or isinstance(opened, bool):
        return None
    if not isinstance(size, int) or not isinstance(status, str) or not isinstance(opened, int | float):
        return None
    return Recent(path, size, status, float(opened))


def _entries(values: dict[str, Any]) -> list[dict[str, Any]]:
    listed = values.get("recent")
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _put_first(values: dict[str, Any], entry: dict[str, Any]) -> None:
    rest = [other for other in _entries(values) if other.get("path") != entry["path"]]
    values["recent"] = [entry, *rest][:RECENT_LIMIT]


def _keep(values: dict[str, Any], wanted: Callable[[dict[str, Any]], bool]) -> None:
    values["recent"] = [entry for entry in _entries(values) if wanted(entry)]
