"""One hash over ranges of a file that is fed the file in chunks, and can be taken up again where its state is kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from weightmap.integrity.hashes import Hash, new
from weightmap.integrity.resumable import Sha256
from weightmap.reading.sweep import Meter
from weightmap.source.byte_source import ByteSource

CHUNK = 1 << 21  # bytes read at a time

Range = tuple[int, int]  # offset and number of bytes


def rising(ranges: Sequence[Range]) -> bool:
    """Whether the ranges follow each other in the file without sharing bytes."""
    return all(offset + nbytes <= after for (offset, nbytes), (after, _) in pairwise(one for one in ranges if one[1]))


class Stream:
    """One hash over rising, disjoint ranges of a file; `digest` is there once they were fed."""

    __slots__ = ("_at", "_hash", "_place", "_resumable", "algorithm", "digest", "ranges")

    def __init__(self, algorithm: str, ranges: Sequence[Range]) -> None:
        self.algorithm = algorithm
        self.ranges = [one for one in ranges if one[1]]
        self.digest: str | None = None
        self._resumable = False
        self.restart()
        if not self.ranges:
            self.digest = new(algorithm, 0).hexdigest()

    def restart(self) -> None:
        """Forget what was fed."""
        self._hash: Hash | None = None
        self._place, self._at = 0, 0  # the range under way, and bytes of it that are done

    @property
    def start(self) -> int:
        """Where the first range begins."""
        return self.ranges[0][0]

    @property
    def under_way(self) -> bool:
        """Whether something was fed, and something is left."""
        return self._hash is not None

    def keep_state(self) -> None:
        """Hash in such a way that `progress` can tell the state; for SHA-256 alone."""
        self._resumable = self.algorithm == "sha256"

    def progress(self) -> tuple[int, int, str]:
        """The range under way, bytes of it that are done, and the hash's state in hexadecimal digits."""
        if not isinstance(self._hash, Sha256):
            raise TypeError("no state is kept")
        return self._place, self._at, self._hash.state.hex()

    def take_up(self, position: int, place: int, at: int, state: str) -> None:
        """Go on from what `progress` told at this position in the file. Raises ValueError, IndexError for another place."""
        if place < 0:
            raise ValueError("another position")
        offset, nbytes = self.ranges[place]
        before = sum(size for _, size in self.ranges[:place]) + at
        here = offset + at == position if at else place > 0 and sum(self.ranges[place - 1]) <= position <= offset
        hash = Sha256(bytes.fromhex(state))
        if not here or not 0 <= at < nbytes or hash.nbytes != before:
            raise ValueError("another position")
        self._hash, self._place, self._at = hash, place, at

    @property
    def nbytes(self) -> int:
        """Bytes in all ranges."""
        return sum(nbytes for _, nbytes in self.ranges)

    def feed(self, at: int, data: memoryview) -> bool:
        """Take what belongs here of the bytes that stand at `at`; whether this was the end."""
        if self._hash is None:
            self._hash = Sha256() if self._resumable else new(self.algorithm, self.nbytes)
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
        hash = new(self.algorithm, self.nbytes)
        for offset, length in self.ranges:
            for at in range(offset, offset + length, CHUNK):
                hash.update(memoryview(source.read(at, min(CHUNK, offset + length - at))))
                meter.show(0)
        self.digest = hash.hexdigest()
