"""Bands of bytes that were read for one row and are kept for the next ones: the last used ones of all weights together.

A comparison holds hundreds of weights at once. Were each to keep bands until it is let go, they would add up to the whole
model; so there is one shelf for all, with room for what a pass over two weights is at, and a weight that goes leaves its
memory to the next one. Else what is overwritten is the memory of the band used longest ago: fresh pages cost more than what is
read into them.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import numpy as np

from weightmap.types.fields import Bytes

ROOM = 22 << 20  # bytes: two neighbouring bands of the codes of two weights, and those of their scales and zeros

Key = tuple[int, int, int, int]  # whose band, and which


class Place:
    """Where one band lies: `buffer` is memory for it, `full` whether it is read already."""

    __slots__ = ("buffer", "full", "lock")

    def __init__(self, buffer: Bytes) -> None:
        self.buffer, self.full = buffer, False
        self.lock = threading.Lock()


class Shelf:
    """At most `room` bytes of bands. Thread-safe."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._lock = threading.Lock()
        self._places: dict[Key, Place] = {}  # the last one used is the last one
        self._left: list[Bytes] = []  # memory of weights that went
        self._owners = count()
        self._gone: deque[int] = deque()

    def owner(self, of: object) -> int:
        """A number for the keys of whoever keeps bands here; once `of` is gone, their memory is free for others."""
        number = next(self._owners)
        weakref.finalize(of, self._leave, number).atexit = False
        return number

    def holds(self, key: Key) -> bool:
        """Whether this band is here."""
        return key in self._places

    @contextmanager
    def place(self, key: Key, nbytes: int) -> Iterator[Place]:
        """The place of a band of so many bytes, for the caller alone meanwhile; to be filled where it is not."""
        with self._lock:
            self._tidy()
            place = self._places.pop(key, None) or self._free(nbytes)
            self._places[key] = place
            place.lock.acquire()  # whoever holds it needs nothing else of the shelf
        try:
            yield place
        finally:
            place.lock.release()

    def _free(self, nbytes: int) -> Place:
        fitting = (at for at, buffer in enumerate(self._left) if nbytes <= buffer.nbytes < 2 * nbytes)
        if (at := next(fitting, None)) is not None:
            return Place(self._left.pop(at))
        size = sum(place.buffer.nbytes for place in self._places.values()) + sum(buffer.nbytes for buffer in self._left)
        while self._left and size + nbytes > self.room:
            size -= self._left.pop(0).nbytes
        while self._places and size + nbytes > self.room:
            place = self._places.pop(next(iter(self._places)))
            size -= place.buffer.nbytes
            if nbytes <= place.buffer.nbytes < 2 * nbytes:
                with place.lock:  # somebody may still be at it
                    place.full = False
                return place
        return Place(np.empty(nbytes, np.uint8))

    def _leave(self, owner: int) -> None:
        """May be called while this very thread has the lock, wherever an object is let go: then it waits for the next use."""
        self._gone.append(owner)
        if self._lock.acquire(blocking=False):
            try:
                self._tidy()
            finally:
                self._lock.release()

    def _tidy(self) -> None:
        while self._gone:
            owner = self._gone.popleft()
            for key in [key for key in self._places if key[0] == owner]:
                self._left.append(self._places.pop(key).buffer)


SHELF = Shelf(ROOM)
