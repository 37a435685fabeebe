"""An open file: reads through the descriptor for ourselves, views of the mapping for callers.

Two ways to the same bytes, because a mapping kills the process (SIGBUS) when the file shrinks under it, and a read
through the descriptor does not. Everything weightmap reads for itself goes through `read` and `read_into`, which also
compare size and time before and after; only `view` hands out pages of the mapping.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Sequence
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap import telemetry
from weightmap.errors import error
from weightmap.findings import Finding, finding
from weightmap.source.address import absolute
from weightmap.source.byte_source import Bytes, ByteSource
from weightmap.source.change import Opened
from weightmap.source.holes import holes
from weightmap.source.mapping import Mapping
from weightmap.source.regular import open_regular
from weightmap.source.staging import lies_badly, read_staged


class FileSource(ByteSource):
    """One regular file, opened read-only. Thread-safe.

    Raises MissingFileError, UnreadableFileError or UnsupportedFormatError (a device, a pipe) when it cannot be opened.
    """

    mapped = True
    notes: tuple[Finding, ...] = ()

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        with telemetry.span("mmap_open", path=self.path) as span:
            self._descriptor = open_regular(self.path)
            opened = os.fstat(self._descriptor)
            self.size = opened.st_size
            span.set(size=self.size)
        self._opened = Opened.of(opened)
        self._state = self._opened[:2]  # what every read compares
        self._place = absolute(self.path)  # what `changed` looks at, wherever the process goes meanwhile
        self._pages, self._copies = Mapping(private=False), Mapping(private=True)
        self._lock = threading.RLock()
        self._gate = threading.Condition(self._lock)
        self._active = 0
        self._seek = threading.Lock()
        self.closed = False

    @property
    def fingerprint(self) -> tuple[int, int, int, int, int]:
        """(size in bytes, modification time in ns, device, inode, time in ns of the last change of any kind) at opening."""
        return self._opened

    def read_into(self, offset: int, out: Bytes) -> None:
        """Through the descriptor; compared afterwards."""
        self._begin()
        try:
            if lies_badly(offset, out):
                read_staged(offset, out, self._fill)
            else:
                self._fill(offset, out.data)
            self._compare()
        finally:
            self._end()

    def read_rows(self, offsets: Sequence[int], out: Bytes) -> None:
        """Through the descriptor; compared after them all, which shows a change before or between them as well."""
        self._begin()
        try:
            for offset, row in zip(offsets, out, strict=True):
                self._fill(offset, row.data)
            self._compare()
        finally:
            self._end()

    def _fill(self, offset: int, out: memoryview) -> None:
        rest, at = out, offset
        while len(rest):
            got = self._read_some(rest, at)
            if not got:
                self._compare()
                text = f"The file ends at byte {at:,}, {len(rest):,} bytes early."
                expected = f"{len(out):,} bytes from {offset:,}"
                raise error(finding("truncated", text, path=self.path, offset=at, expected=expected))
            rest, at = rest[got:], at + got

    def view(self, offset: int, nbytes: int) -> Bytes:
        """A read-only uint8 view of the mapping, without a copy. It keeps the mapping alive, also after `close`.

        If the file shrinks while the view is in use, touching its lost pages ends the process (SIGBUS): that is how
        mappings work. Raises FileChangedError where the file is no longer the one opened, ClosedError after `close`.
        """
        return self.array(offset, (nbytes,), _BYTE) if nbytes else _EMPTY[:]

    def array(self, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """The same as values of a dtype: made without a lock, as a checkpoint has thousands of tensors."""
        whole = made if (made := self._pages.whole) is not None else self._mapped()
        try:
            self._compare()
        finally:  # the comparison has seen nothing, or another file, where this one was closed meanwhile
            if self.closed:
                self._require_open()
        return np.ndarray(shape, dtype, whole, offset)

    def _mapped(self) -> mmap:
        with self._lock:
            self._require_open()
            telemetry.bytes_mapped(self.size)
            return self._pages.made(self._descriptor)

    def private(self, offset: int, nbytes: int) -> Bytes:
        """The same, but of pages that may be written to without the file ever hearing of it; a copy where none can be had."""
        with self._lock:
            self._require_open()
            self._compare()
            if nbytes:
                with contextlib.suppress(OSError):
                    return np.ndarray((nbytes,), _BYTE, self._copies.made(self._descriptor), offset)
        out = np.empty(nbytes, np.uint8)
        self.read_into(offset, out)
        return out

    def holes(self, start: int, stop: int) -> list[tuple[int, int]]:
        """As `ByteSource.holes`. Raises ClosedError."""
        self._begin()
        try:
            return holes(self._descriptor, start, stop)
        finally:
            self._end()

    def changed(self) -> Finding | None:
        """None while the path still leads to the file as it was opened, else the finding that says how it changed."""
        self._begin()
        try:
            if changed := self._opened.rewritten(os.fstat(self._descriptor), self.path):
                return changed
        finally:
            self._end()
        return self._opened.replaced(self._place, self.path)

    def close(self) -> int:
        """Wait for reads under way, then refuse all others. Returns how many arrays over the mapping are in use: it ends at
        once if there are none, else with the last of them.
        """
        with self._gate:
            if not self.closed:
                self.closed = True
                self._gate.wait_for(lambda: not self._active)
                os.close(self._descriptor)
            return self._pages.release() + self._copies.release()

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self.close()

    def _begin(self) -> None:
        """Before what uses the descriptor, which `close` then waits for; `_end` follows whatever happens."""
        with self._lock:
            self._require_open()
            self._active += 1

    def _end(self) -> None:
        with self._lock:
            self._active -= 1
            if self.closed and not self._active:
                self._gate.notify_all()

    def _require_open(self) -> None:
        if self.closed:
            raise error(finding("closed", "This file was closed before the read.", path=self.path))

    def _read_some(self, out: memoryview, at: int) -> int:
        try:
            if hasattr(os, "preadv"):
                return os.preadv(self._descriptor, [out], at)
            with self._seek:  # Windows has no positioned read
                os.lseek(self._descriptor, at, os.SEEK_SET)
                piece = os.read(self._descriptor, len(out))
        except OSError as problem:
            raise error(
                finding("read_error", f"Reading failed at byte {at:,}: {problem.strerror}.", path=self.path, offset=at)
            ) from problem
        out[: len(piece)] = piece
        return len(piece)

    def _compare(self) -> None:
        now = os.fstat(self._descriptor)
        if (now.st_size, now.st_mtime_ns) != self._state and (changed := self._opened.rewritten(now, self.path)):
            raise error(changed)


_BYTE = np.dtype(np.uint8)
_EMPTY = np.empty(0, np.uint8)
_EMPTY.flags.writeable = False
