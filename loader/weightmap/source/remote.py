"""A remote file as a source: read by ranges, in blocks that are kept for a while, by many threads at once.

Opening brings the first block, and every read the blocks that it touches and no more: whoever walks a header asks for
windows that suit what it expects there (`Cursor`, `walk`). Where reads of a tensor follow each other, what comes next in it is
fetched meanwhile. There is no mapping: what is handed out as a view is a copy.
"""

from __future__ import annotations

import contextlib
import os
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from weightmap.errors import WeightFileError, error
from weightmap.findings import Finding, Severity, finding
from weightmap.source.address import shown
from weightmap.source.blocks import BLOCK, CACHE
from weightmap.source.byte_source import Bytes, ByteSource
from weightmap.source.connecting import connect
from weightmap.source.transport import Span, changed
from weightmap.source.waiting import go_on

GROUP = 128  # blocks that one step brings: 8 MiB
AHEAD = 128  # blocks that are fetched before they are asked for
Piece = tuple[int, memoryview]  # where it begins in the file, and where it goes


class RemoteSource(ByteSource):
    """One file at an address, read-only. Thread-safe. Contacts the server when it is made, and at each read of what is not
    kept. Raises WeightFileError in all its kinds where the file cannot be had.
    """

    mapped = False

    def __init__(self, url: str) -> None:
        self.path = shown(url)
        self._url = url
        self.closed = False
        self._gate = threading.Condition()
        self._active = 0
        self._flying: set[int] = set()  # blocks that a thread is fetching
        self._transport = connect(url, BLOCK)
        self.size = self._transport.state.size
        self.notes = self._transport.notes
        self._owner = CACHE.owner()
        self._process = os.getpid()
        self._ends: deque[int] = deque(maxlen=32)  # where the last reads ended
        self._borders: list[int] = []  # where tensors end, rising: nothing beyond is fetched unasked
        self._keep(0, self._transport.head)
        go_on(len(self._transport.head))

    @property
    def fingerprint(self) -> tuple[int, str]:
        """(size in bytes, the server's mark of this version, empty where it has none)."""
        return self.size, self._transport.state.tag or ""

    def mark(self, ends: Iterable[int]) -> None:
        """Say where tensors end. What is read from start to end is fetched ahead up to there."""
        self._borders = sorted(set(ends))

    def read_rows(self, offsets: Sequence[int], out: Bytes) -> None:
        """What is missing is fetched together."""
        with self._reading():
            if len(offsets) == 1:
                self._read_on(offsets[0], offsets[0] + out.shape[1])
            for pieces, numbers in _groups(offsets, out, self.size, self.path):
                blocks = self._blocks(numbers)
                for at, target in pieces:
                    _copy(blocks, at, target)

    def view(self, offset: int, nbytes: int) -> Bytes:
        """The bytes as a read-only array of its own: a copy, which stays valid whatever becomes of the file."""
        out = self.private(offset, nbytes)
        out.flags.writeable = False
        return out

    def private(self, offset: int, nbytes: int) -> Bytes:
        """The same as an array that may be written to."""
        out = np.empty(nbytes, np.uint8)
        self.read_into(offset, out)
        return out

    def changed(self) -> Finding | None:
        """Ask the server whether the file is still the one that was opened; None, or how it is not."""
        with self._reading():
            try:
                now = self._transport.now()
            except WeightFileError as problem:
                if problem.code in ("closed", "file_changed"):
                    raise
                text = f"The file can no longer be reached: {problem.finding.message}"
                return finding("file_changed", text, severity=Severity.WARNING, path=self.path)
            was = self._transport.state
            return None if now == was else changed(self.path, was, now)

    def close(self) -> int:
        """Break off what is being fetched and refuse all further reads. Returns 0: no array depends on the source."""
        with self._gate:
            if self.closed:
                return 0
            self.closed = True
        self._transport.close()
        with self._gate:
            self._gate.wait_for(lambda: not self._active)
        CACHE.forget(self._owner)
        return 0

    def __del__(self) -> None:
        if hasattr(self, "_owner") and not self.closed:
            self.closed = True
            CACHE.forget(self._owner)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        with self._gate:
            if self.closed:
                raise error(finding("closed", "This file was closed before the read.", path=self.path))
            if self._process != os.getpid():  # what another process is fetching does not come here
                self._process = os.getpid()
                self._flying.clear()
            self._active += 1
        try:
            yield
        finally:
            with self._gate:
                self._active -= 1
                self._gate.notify_all()

    def _blocks(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Blocks by number, from the cache or the server. A block that another thread is fetching is waited for."""
        found: dict[int, bytes] = {}
        while True:
            with self._gate:
                for number in numbers:
                    if number not in found and (kept := CACHE.get(self._owner, number)) is not None:
                        found[number] = kept
                missing = [number for number in numbers if number not in found]
                mine = [number for number in missing if number not in self._flying]
                if not missing:
                    return found
                if not mine:
                    self._gate.wait()
                    continue
                spans = self._spans(mine)
                self._flying.update(mine)
            try:
                for (start, _), body in zip(spans, self._transport.fetch(spans), strict=True):
                    found.update(self._keep(start, body))
                    go_on(len(body))
            finally:
                with self._gate:
                    self._flying.difference_update(mine)
                    self._gate.notify_all()

    def _read_on(self, start: int, stop: int) -> None:
        """Begin to fetch what comes behind a read that went on where another ended, up to the end of the tensor."""
        follows = start in self._ends
        self._ends.append(stop)
        at = bisect_left(self._borders, stop)
        if not follows or at == len(self._borders) or self._borders[at] == stop:
            return
        first = -(-stop // BLOCK)
        last = min(-(-self._borders[at] // BLOCK), first + AHEAD)
        with self._gate:
            wanted = [n for n in range(first, last) if n not in self._flying and CACHE.get(self._owner, n) is None]
            if len(wanted) < AHEAD // 4 and not (wanted and wanted[-1] == last - 1 < first + AHEAD - 1):
                return  # few are missing: the next read asks for more at once
            self._flying.update(wanted)
        spans = self._spans(wanted)

        def arrived(bodies: list[bytes] | None) -> None:
            for (begin, _), body in zip(spans, bodies or (), strict=bodies is not None):
                self._keep(begin, body)
            with self._gate:
                self._flying.difference_update(wanted)
                self._gate.notify_all()

        if not spans or not self._transport.begin(spans, arrived):
            arrived(None)

    def _spans(self, numbers: Sequence[int]) -> list[Span]:
        """Rising block numbers as runs of bytes."""
        spans: list[Span] = []
        for number in numbers:
            start, stop = number * BLOCK, min((number + 1) * BLOCK, self.size)
            if spans and spans[-1][1] == start:
                spans[-1] = spans[-1][0], stop
            else:
                spans.append((start, stop))
        return spans

    def _keep(self, start: int, body: bytes) -> dict[int, bytes]:
        """Put what came from `start` on, a multiple of BLOCK, into the cache, block by block."""
        blocks = {(start + at) // BLOCK: body[at : at + BLOCK] for at in range(0, len(body), BLOCK)}
        for number, block in blocks.items():
            CACHE.put(self._owner, number, block)
        return blocks


def _groups(offsets: Sequence[int], out: Bytes, size: int, path: str) -> Iterator[tuple[list[Piece], list[int]]]:
    """The rows in pieces, and the blocks that those touch in rising order: at most about GROUP blocks at a time."""
    pieces: list[Piece] = []
    numbers: set[int] = set()
    for offset, row in zip(offsets, out, strict=True):
        target = row.data
        if offset + len(target) > size:
            text = f"The file ends at byte {size:,}, {offset + len(target) - size:,} bytes early."
            raise error(finding("truncated", text, path=path, offset=size))
        at = 0
        while at < len(target):
            stop = min(at + GROUP * BLOCK, len(target))
            first, last = (offset + at) // BLOCK, (offset + stop - 1) // BLOCK
            pieces.append((offset + at, target[at:stop]))
            numbers.update(range(first, last + 1))
            at = stop
            if len(numbers) >= GROUP:
                yield pieces, sorted(numbers)
                pieces, numbers = [], set()
    if pieces:
        yield pieces, sorted(numbers)


def _copy(blocks: dict[int, bytes], at: int, target: memoryview) -> None:
    """Fill `target` from the file's byte `at` on."""
    done = 0
    while done < len(target):
        number, skip = divmod(at + done, BLOCK)
        piece = blocks[number][skip : skip + len(target) - done]
        target[done : done + len(piece)] = piece
        done += len(piece)
