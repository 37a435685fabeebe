"""Many hashes in one pass over a file: each chunk is read once and fed to all that want a part of it.

The hash of the whole file can only be worked out from front to back, so it sets the pace; the hashes of tensors run beside
it on another thread, over the same chunk while it is still in the processor's cache.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import Queue

import numpy as np

from weightmap.errors import error
from weightmap.findings import finding
from weightmap.integrity import streams
from weightmap.integrity.streams import Range, Stream
from weightmap.reading.sweep import Meter, thread_limit
from weightmap.source.byte_source import Bytes, ByteSource

AHEAD = 2  # chunks that may wait for a thread
NEAR = 1 << 16  # bytes between two ranges that are rather read than stepped over
CHECKPOINT = 1 << 29  # bytes between two checkpoints
MOST_OVERLAP = 4  # times the file's size that all streams of a lane may take together

Checkpoint = Callable[[int], None]


class Lane:
    """Streams that one thread feeds. `position`: where the last chunk ended; None while one is being fed, or was not to its end."""

    def __init__(self, some: Iterable[Stream]) -> None:
        self.streams = sorted((one for one in some if one.digest is None), key=lambda stream: stream.start)
        self.position: int | None = None
        self._next = 0
        self._open: list[Stream] = []

    def feed(self, at: int, data: memoryview) -> None:
        """Feed one chunk; chunks come in order."""
        self.position = None
        end = at + len(data)
        self._open = [stream for stream in self._open if not stream.feed(at, data)]
        while self._next < len(self.streams) and self.streams[self._next].start < end:
            stream = self.streams[self._next]
            self._next += 1
            if not stream.feed(at, data):
                self._open.append(stream)
        self.position = end


class Pass:
    """Everything that is to be hashed of one file, lane by lane, from `start` on. `nbytes` says how much has to be read.

    CorruptWeightError where tensors share so many bytes that hashing them would never end.
    """

    def __init__(self, source: ByteSource, lanes: Iterable[Sequence[Stream]], start: int = 0) -> None:
        self._source = source
        self._lanes = [lane for lane in map(Lane, lanes) if lane.streams]
        for lane in self._lanes:
            if sum(stream.nbytes for stream in lane.streams) > MOST_OVERLAP * source.size:
                text = f"The tensors share bytes: together they claim more than {MOST_OVERLAP} times the file's size."
                raise error(finding("overlap", text, path=source.path))
        ranges = [one for lane in self._lanes for stream in lane.streams for one in stream.ranges]
        whole = _merged(ranges)
        self.nbytes = sum(nbytes for _, nbytes in whole)
        self._stretches = [
            (max(at, start), at + nbytes - max(at, start)) for at, nbytes in whole if at + nbytes > start
        ]
        self._done = self.nbytes - sum(nbytes for _, nbytes in self._stretches)

    def run(self, meter: Meter, threads: int | None = None, checkpoint: Checkpoint | None = None) -> None:
        """Read what is needed once and feed it to the lanes; the meter counts up to `nbytes`.

        Raises FileChangedError; Cancelled as the meter says.

        `checkpoint(position)` is called from time to time, and where the pass is broken off, if all streams have had
        everything before that position and nothing behind it.
        """
        helpers = [_Helper(lane) for lane in self._lanes[: max(thread_limit(threads) - 1, 0)]]
        own = self._lanes[len(helpers) :]
        done, since = self._done, 0
        try:
            for helper in helpers:
                helper.start()
            for at, chunk in self._chunks():
                for helper in helpers:
                    helper.put(at, chunk)
                for lane in own:
                    lane.feed(at, chunk.data)
                done, since = done + len(chunk), since + len(chunk)
                meter.show(done)
                if checkpoint is not None and since >= CHECKPOINT:
                    since = 0
                    for helper in helpers:
                        helper.wait()
                    self._tell(checkpoint)
        except BaseException:
            for helper in helpers:
                helper.end()
            if checkpoint is not None:
                self._tell(checkpoint)
            raise
        for helper in helpers:
            helper.end()
        for helper in helpers:
            helper.check()

    def _tell(self, checkpoint: Checkpoint) -> None:
        positions = {lane.position for lane in self._lanes}
        if len(positions) == 1 and (position := positions.pop()) is not None:
            checkpoint(position)

    def _chunks(self) -> Iterator[tuple[int, Bytes]]:
        """What is needed in chunks, in a few buffers that take turns: one for each that may wait, be in work and be filled."""
        size = min(streams.CHUNK, max((nbytes for _, nbytes in self._stretches), default=0))
        buffers = [np.empty(size, np.uint8) for _ in range(AHEAD + 2)]
        number = 0
        for start, nbytes in self._stretches:
            for at in range(start, start + nbytes, size):
                chunk = buffers[number % len(buffers)][: min(size, start + nbytes - at)]
                number += 1
                self._source.read_into(at, chunk)
                yield at, chunk


def _merged(ranges: Iterable[Range]) -> list[Range]:
    """The stretches of the file that the ranges lie in, those that are near each other as one."""
    found: list[Range] = []
    for offset, nbytes in sorted(ranges):
        if found and offset <= sum(found[-1]) + NEAR:
            begin = found[-1][0]
            found[-1] = begin, max(sum(found[-1]), offset + nbytes) - begin
        else:
            found.append((offset, nbytes))
    return found


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
            self._chunks.task_done()

    def wait(self) -> None:
        """Wait until everything handed over is done. Raises what went wrong with it."""
        self._chunks.join()
        self.check()

    def end(self) -> None:
        """Wait likewise, and end the thread."""
        if self.ident is not None:
            self._chunks.put(None)
            self.join()

    def check(self) -> None:
        """Raise what went wrong, if something did."""
        if self._problem is not None:
            raise self._problem
