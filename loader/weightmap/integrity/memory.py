"""Checksums that were worked out before, and how far a pass had come that was broken off: in the cache, by content.

Only for who asks: `verify` reads the bytes each time, unless told to believe what was read before. A pass over a large file
leaves its state behind from time to time and where it is cancelled; the next one goes on from there, if it wants the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from weightmap.cache.store import Store
from weightmap.integrity import resumable
from weightmap.integrity.hashes import well_formed
from weightmap.integrity.streams import Range, Stream, rising
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.source.fingerprint import key, settled

KNOWN, UNDER_WAY = "digest", "digest-under-way"
LEAST = 1 << 20  # bytes of a file that is worth it
LARGE = 1 << 28  # bytes of a file whose pass can be taken up again
Asked = tuple[str, tuple[Range, ...]]


class Memory:
    """What is remembered of one file's checksums."""

    def __init__(self, store: Store, source: FileSource) -> None:
        self._store, self._source, self._key = store, source, key(source)
        self._large = source.size >= LARGE and resumable.available()
        self._known = self._load()

    def recall(self, streams: Mapping[Asked, Stream]) -> int:
        """Fill in what is known; where in the file the pass can begin, the streams that reach over it being under way."""
        for asked, stream in streams.items():
            stream.digest = stream.digest or self._known.get(asked)
        rest = {asked: stream for asked, stream in streams.items() if stream.digest is None}
        self._large = self._large and all(algorithm == "sha256" and rising(ranges) for algorithm, ranges in rest)
        if not self._large or not rest:
            return 0
        for stream in rest.values():
            stream.keep_state()
        kept = self._store.load(self._key, UNDER_WAY)
        try:
            return 0 if kept is None else _taken_up(kept.body, rest)
        except (KeyError, TypeError, ValueError, IndexError):
            for stream in rest.values():
                stream.restart()
            return 0

    def checkpoint(self, position: int, streams: Mapping[Asked, Stream]) -> None:
        """Remember that all streams have had everything before `position`. Does nothing for small files."""
        if not self._large or not settled(self._source):
            return
        self._note(streams)
        under_way = [[*_plain(asked), *stream.progress()] for asked, stream in streams.items() if stream.under_way]
        self._store.save(self._key, UNDER_WAY, {"position": position, "streams": under_way})

    def keep(self, streams: Mapping[Asked, Stream]) -> None:
        """Remember what was worked out."""
        if settled(self._source) and self._note(streams):
            self._store.forget(self._key, UNDER_WAY)

    def _note(self, streams: Mapping[Asked, Stream]) -> bool:
        found = {asked: stream.digest for asked, stream in streams.items() if stream.digest is not None}
        if found.items() <= self._known.items():
            return True
        self._known.update(found)
        return self._store.save(self._key, KNOWN, [[*_plain(asked), value] for asked, value in self._known.items()])

    def _load(self) -> dict[Asked, str]:
        kept = self._store.load(self._key, KNOWN)
        if kept is None:
            return {}
        try:
            found = {_asked(algorithm, ranges): value for algorithm, ranges, value in kept.body}
            return found if all(well_formed(asked[0], value) for asked, value in found.items()) else {}
        except (KeyError, TypeError, ValueError):
            return {}


def memory_of(store: Store | None, source: ByteSource) -> Memory | None:
    """The memory for a file, where there is a cache and the file is worth it."""
    worth = isinstance(source, FileSource) and source.size >= LEAST
    return Memory(store, source) if store is not None and isinstance(source, FileSource) and worth else None


def _plain(asked: Asked) -> list[Any]:
    return [asked[0], [list(one) for one in asked[1]]]


def _asked(algorithm: str, ranges: Iterable[tuple[int, int]]) -> Asked:
    return algorithm, tuple((int(offset), int(nbytes)) for offset, nbytes in ranges)


def _taken_up(body: dict[str, Any], streams: Mapping[Asked, Stream]) -> int:
    """Bring the streams to where they were. 0 where one that reaches before that place was not among them."""
    position = body["position"]
    kept = {_asked(algorithm, ranges): rest for algorithm, ranges, *rest in body["streams"]}
    for asked, stream in streams.items():
        if stream.start < position and asked not in kept:
            return 0
    for asked, stream in streams.items():
        if asked in kept:
            stream.take_up(position, *kept[asked])
    return int(position)
