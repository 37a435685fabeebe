"""What was fetched of remote files, in blocks: one bounded store for the whole process, the least recently used goes first."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from itertools import count

BLOCK = 1 << 16  # bytes: what the first look at a file takes, and little beside a round trip
VARIABLE = "WEIGHTMAP_REMOTE_CACHE"
DEFAULT = 128  # million bytes

_owners = count()


def limit() -> int:
    """Bytes that are kept at most: WEIGHTMAP_REMOTE_CACHE in millions of bytes, else 128 million."""
    text = os.environ.get(VARIABLE, "").strip()
    return (int(text) if text.isdecimal() else DEFAULT) * 1_000_000


class BlockCache:
    """Blocks by (owner, number). Thread-safe. A block that was handed out stays valid when it is dropped here."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Bytes that are kept now."""
        return self._held

    @staticmethod
    def owner() -> int:
        """A number for one open file that no other has."""
        return next(_owners)

    def get(self, owner: int, number: int) -> bytes | None:
        """A block, which counts as used now; None where it is not kept."""
        with self._lock:
            block = self._blocks.get((owner, number))
            if block is not None:
                self._blocks.move_to_end((owner, number))
            return block

    def put(self, owner: int, number: int, block: bytes) -> None:
        """Keep a block, and let go of what has not been used for longest."""
        most = limit()
        with self._lock:
            self._held += len(block) - len(self._blocks.pop((owner, number), b""))
            self._blocks[owner, number] = block
            while self._held > most and self._blocks:
                _, dropped = self._blocks.popitem(last=False)
                self._held -= len(dropped)

    def forget(self, owner: int) -> None:
        """Drop all blocks of one file."""
        with self._lock:
            for key in [key for key in self._blocks if key[0] == owner]:
                self._held -= len(self._blocks.pop(key))


CACHE = BlockCache()
