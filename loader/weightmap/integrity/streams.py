"""Many hashes in one pass over a file: each chunk is read once and fed to all that want a part of it.

The hash of the whole file can only be worked out from front to back, so it sets the pace; the hashes of tensors run beside
it on another thread, over the same chunk while it is still in the processor's cache.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from queue import Queue

import numpy as np

from weightmap.errors import error
from weightmap.findings import finding
from weightmap.integrity.hashes import Hash, new
from weightmap.reading.sweep import Meter, thread_limit
from weightmap.source.file import Bytes, ByteSource

CHUNK = 1 << 21  # bytes read at a time
AHEAD = 2  # chunks that may wait for a thread
MOST_OVERLAP = 4  # times the file's size that all streams of a lane may take together

Range = tuple[int, int]  # offset and number of bytes


class Stream:
    """One hash over rising, disjoint ranges of a file; `digest` is there once they were fed."""

    __slots__ = ("_at", "_hash", "_place", "algorithm", "digest", "ranges")

    def __init__(self, algorithm: str, ranges: Sequence[Range]) -> None:
        self.algorithm = algorithm
        self.ranges = [one for one in ranges if one[1]]
        self.digest: str | None = None
        self._hash: Hash | None = None
        self._place, self._at = 0, 0  # the range under way, and bytes of it that are done
        if not self.ranges:
            self.digest = new(algorithm, 0).hexdigest()

    @property
    def start(self) -> int:
        """Where the first range begins."""
        return self.ranges[0][0]

    @property
    def nbytes(self) -> int:
        """Bytes in all ranges."""
        return sum(nbytes for _, nbytes in self.ranges)

    def feed(self, at: int, data: memoryview) -> bool:
        """Take what belongs here of the bytes that stand at `at`; whether this was the end."""
        if self._hash is None:
            self._hash = new(self.algorithm, self.nbytes)
        end = at + len(data)
        while self._place < len(self.ranges):
            offset, nbytes = self.ranges[self._place]
            begin = offset + self._at
            if begin >= end:
                return False
            taken = min(offset + nbytes, end) - begin
            self._hash.update(data[begin - at : begin - at + taken])
            self._at += taken
            if self._at < nbytes:
                return False
            self._place, self._at = self._place + 1, 0
        self.digest = self._hash.hexdigest()
        self._hash = None
        return True

    def follow(self, source: ByteSource, meter: Meter) -> None:
        """Read the ranges in the order in which they stand, for those that do not rise."""
        hash, nbytes = new(self.algorithm, self.nbytes), CHUNK
        for offset, length in self.ranges:
            for at in range(offset, offset + length, nbytes):
                hash.update(memoryview(source.read(at, min(nbytes, offset + length - at))))
                meter.show(0)
        self.digest = hash.hexdigest()


class Lane:
    """Streams that one thread feeds."""

    def __init__(self, streams: Iterable[Stream]) -> None:
        self.streams = sorted((one for one in streams if one.digest is None), key=lambda stream: stream.start)
        self._next = 0
        self._open: list[Stream] = []

    def feed(self, at: int, data: memoryview) -> None:
        """Feed one chunk; chunks come in order."""
        self._open = [stream for stream in self._open if not stream.feed(at, data)]
        end = at + len(data)
        while self._next < len(self.streams) and self.streams[self._next].start < end:
            stream = self.streams[self._next]
            self._next += 1
            if not stream.feed(at, data):
                self._open.append(stream)


def rising(ranges: Sequence[Range]) -> bool:
    """Whether the ranges follow each other in the file without sharing bytes."""
    return all(offset + nbytes <= after for (offset, nbytes), (after, _) in pairwise(one for one in ranges if one[1]))


def hash_file(source: ByteSource, lanes: Sequence[Lane], meter: Meter, threads: int | None = None) -> None:
    """Read the whole of `source` once and feed it to the lanes. Raises FileChangedError; Cancelled as the meter says.

    CorruptWeightError where tensors share so many bytes that hashing them would never end.
    """
    for lane in lanes:
        if sum(stream.nbytes for stream in lane.streams) > MOST_OVERLAP * source.size:
            text = f"The tensors share bytes: together they claim more than {MOST_OVERLAP} times the file's size."
            raise error(finding("overlap", text, path=source.path))
    lanes = [lane for lane in lanes if lane.streams]
    helpers = [_Helper(lane) for lane in lanes[: max(thread_limit(threads) - 1, 0)]]
    own = lanes[len(helpers) :]
    try:
        for helper in helpers:
            helper.start()
        for at, chunk in _chunks(source):
            for helper in helpers:
                helper.put(at, chunk)
            for lane in own:
                lane.feed(at, chunk.data)
            meter.show(at)
    finally:
        for helper in helpers:
            helper.end()
    for helper in helpers:
        helper.check()
    meter.finish(source.size)


def _chunks(source: ByteSource) -> Iterator[tuple[int, Bytes]]:
    """The file in chunks, in a few buffers that take turns: one for each that may wait, be in work and be filled."""
    buffers = [np.empty(min(CHUNK, source.size), np.uint8) for _ in range(AHEAD + 2)]
    for number, at in enumerate(range(0, source.size, CHUNK)):
        chunk = buffers[number % len(buffers)][: min(CHUNK, source.size - at)]
        source.read_into(at, chunk)
        yield at, chunk


class _Helper(threading.Thread):
    """A thread that feeds one lane."""

    def __init__(self, lane: Lane) -> None:
        super().__init__(name="weightmap", daemon=True)
        self._lane = lane
        self._chunks: Queue[tuple[int, Bytes] | None] = Queue(AHEAD)
        self._problem: BaseException | None = None

    def put(self, at: int, chunk: Bytes) -> None:
        """Hand over a chunk; waits while enough others do. Raises what went wrong with an earlier one."""
        self.check()
        self._chunks.put((at, chunk))

    def run(self) -> None:
        while (chunk := self._chunks.get()) is not None:
            try:
                if self._problem is None:
                    self._lane.feed(chunk[0], chunk[1].data)
            except BaseException as problem:
                self._problem = problem

    def end(self) -> None:
        """Wait until everything handed over is done."""
        if self.ident is not None:
            self._chunks.put(None)
            self.join()

    def check(self) -> None:
        """Raise what went wrong, if something did."""
        if self._problem is not None:
            raise self._problem
