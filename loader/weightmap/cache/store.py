"""The folder of a cache: one folder per file that something is remembered of, one file in it per thing remembered.

Safe with many processes without locks: a file appears whole under its name, the last one to write it wins, and who reads
checks what was read. Bounded: from time to time, what was used longest ago goes until half of the room is free.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from weightmap import telemetry
from weightmap.cache.container import FORMAT, Kept, pack, unpack

ROOM = 512 << 20  # bytes, unless WEIGHTMAP_CACHE_SIZE says another number
SHARE = 8  # one thing may take this part of the room
TIDY_EVERY = 64  # things written between two looks at the size of it all
ABANDONED = 3600  # seconds after which a half-written file is nobody's any more
ENDING, PARTIAL = ".wmc", ".part"


class Store:
    """A cache in a folder, which need not be there. Nothing here raises because of what is on the disk."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._top = os.path.join(place, f"v{FORMAT}")
        self._written = 0

    @property
    def room(self) -> int:
        """Bytes that the cache may take."""
        said = os.environ.get("WEIGHTMAP_CACHE_SIZE", "").strip()
        return int(said) if said.isascii() and said.isdecimal() and len(said) < 19 else ROOM

    def load(self, key: str, kind: str) -> Kept | None:
        """What is remembered of this kind, or None."""
        path = self._path(key, kind)
        found = unpack(path, key, kind)
        telemetry.cache_used(kind.partition("-")[0], found is not None)
        if found is not None:
            with contextlib.suppress(OSError):
                os.utime(path)  # used now: tidying takes what was used longest ago
        return found

    def save(self, key: str, kind: str, body: Any, segments: Mapping[str, bytes] | None = None) -> bool:
        """Remember something; whether that worked."""
        try:
            pieces = pack(key, kind, body, segments or {})
        except (TypeError, ValueError, RecursionError):
            return False
        if sum(map(len, pieces)) > self.room // SHARE:
            return False
        try:
            self._write(self._path(key, kind), pieces)
        except (OSError, ValueError):  # ValueError: a NUL in the path
            return False
        if self._written % TIDY_EVERY == 0:
            self.tidy()
        self._written += 1
        return True

    def forget(self, key: str, kind: str) -> None:
        """Drop what is remembered of this kind."""
        with contextlib.suppress(OSError):
            os.remove(self._path(key, kind))

    def tidy(self) -> None:
        """Where more than the room is taken, drop what was used longest ago until half of it is free."""
        now, files, total = time.time(), [], 0
        for path, status in self._files():
            if path.endswith(PARTIAL):
                if now - status.st_mtime > ABANDONED:
                    with contextlib.suppress(OSError):
                        os.remove(path)
                continue
            files.append((status.st_mtime_ns, status.st_size, path))
            total += status.st_size
        if total <= self.room:
            return
        for _, nbytes, path in sorted(files):
            if total <= self.room // 2:
                break
            with contextlib.suppress(OSError):
                os.remove(path)
                total -= nbytes
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(path))  # only where nothing is left in it

    def size(self) -> tuple[int, int]:
        """(number of files, bytes) that are there now."""
        sizes = [status.st_size for _, status in self._files()]
        return len(sizes), sum(sizes)

    def clear(self) -> None:
        """Drop everything."""
        for path, _ in self._files():
            with contextlib.suppress(OSError):
                os.remove(path)
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(path))

    def _path(self, key: str, kind: str) -> str:
        return os.path.join(self._top, key, kind + ENDING)

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every file of ours below the folder; whatever else lies there is left alone."""
        with contextlib.suppress(OSError, ValueError), os.scandir(self._top) as folders:
            for folder in folders:
                with contextlib.suppress(OSError), os.scandir(folder.path) as entries:
                    for entry in entries:
                        if entry.name.endswith((ENDING, PARTIAL)):
                            with contextlib.suppress(OSError):
                                yield entry.path, entry.stat(follow_symlinks=False)

    def _write(self, path: str, pieces: list[bytes]) -> None:
        folder = os.path.dirname(path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        beside = os.path.join(folder, f"{os.urandom(8).hex()}{PARTIAL}")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with open(os.open(beside, flags, 0o600), "wb") as file:
                file.writelines(pieces)
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(beside)
            raise
