"""Zero bytes in a row among bytes that are not: what is left where a download or a copy lost a piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.source.byte_source import ByteSource

GRANULE = 2048  # bytes that are looked at as one: half a page, so that a page of zeros always holds one
SHORTEST = 4096  # bytes in a row that are worth a word
MANY = 64  # stretches whose ends are looked for
SPARSE = 8  # from so many stretches on, few other bytes between them make a matrix that is mostly zeros by nature

Bytes = NDArray[np.uint8]

_NONE = np.empty(0, np.int64)


class Watch:
    """Looks for zeros among the bytes of a tensor while they are read, for whatever purpose. Thread-safe."""

    def __init__(self, source: ByteSource, offset: int, nbytes: int) -> None:
        self._source, self._offset, self._nbytes = source, offset, nbytes
        self._found: list[NDArray[np.int64]] = []
        self._seen: list[int] = []

    def look(self, data: Bytes, start: int) -> None:
        """Take in flat `data` that begins `start` bytes into the tensor. Every byte is to come once, in any order."""
        skip = -start % GRANULE
        if len(zeros := _granules(data[skip:], start + skip)):
            self._found.append(zeros)
        end = start + len(data)
        last = end // GRANULE * GRANULE  # where the granule begins that the next piece ends
        if start <= last < end and last + GRANULE <= self._nbytes and not data[last - start :].any():
            whole = np.frombuffer(self._source.read(self._offset + last, GRANULE), np.uint8)
            self._found.append(_granules(whole, last))
        self._seen.append(len(data))

    @property
    def complete(self) -> bool:
        """Whether as many bytes came as the tensor has."""
        return sum(self._seen) == self._nbytes

    def stretches(self) -> tuple[Stretch, ...]:
        """The stretches of zeros that are worth a word; empty where they are too many and too close: sparse by nature."""
        return stretches(self._found, self._source, self._offset, self._nbytes)


class Stretch(NamedTuple):
    """Zero bytes from `begin` to `end`, counted from the tensor's first byte."""

    begin: int
    end: int


def _granules(data: Bytes, start: int) -> NDArray[np.int64]:
    """Numbers of the granules of a tensor that are zero throughout, in `data` that begins `start` bytes into it.

    `start` is a multiple of GRANULE; a last piece that fills no granule is not looked at.
    """
    if len(data) < GRANULE:  # most norms
        return _NONE
    whole = data[: len(data) // GRANULE * GRANULE].reshape(-1, GRANULE)
    words = whole.view(np.uint64)
    likely = np.flatnonzero(words[:, 0] | words[:, -1] == 0)
    found = likely[~words[likely].any(axis=1)] if len(likely) else likely
    return found.astype(np.int64) + start // GRANULE


def stretches(found: Sequence[NDArray[np.int64]], source: ByteSource, offset: int, nbytes: int) -> tuple[Stretch, ...]:
    """The stretches of at least SHORTEST zero bytes that these granules are part of, with their very first and last byte.

    Empty where they are too many and too close: such a tensor is sparse by nature.
    """
    numbers = np.sort(np.concatenate([_NONE, *found]))
    if not len(numbers):
        return ()
    breaks = np.flatnonzero(np.diff(numbers) > 1) + 1
    firsts, lasts = numbers[np.append(0, breaks)], numbers[np.append(breaks - 1, len(numbers) - 1)]
    if len(firsts) >= SPARSE and nbytes - len(numbers) * GRANULE < 2 * SHORTEST * len(firsts):
        return ()
    exact = []
    for first, last in zip(firsts[:MANY].tolist(), lasts[:MANY].tolist(), strict=True):
        begin, end = first * GRANULE, (last + 1) * GRANULE
        begin -= _zeros(source, offset, max(begin - GRANULE, 0), begin, backwards=True)
        end += _zeros(source, offset, end, min(end + GRANULE, nbytes), backwards=False)
        if end - begin >= SHORTEST:
            exact.append(Stretch(begin, end))
    return tuple(exact)


def _zeros(source: ByteSource, offset: int, begin: int, end: int, *, backwards: bool) -> int:
    """How many zeros stand at one end of these bytes of a tensor."""
    if begin == end:
        return 0
    data = np.frombuffer(source.read(offset + begin, end - begin), np.uint8)
    others = np.flatnonzero(data[::-1] if backwards else data)
    return int(others[0]) if len(others) else len(data)
