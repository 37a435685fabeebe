"""How one remembered thing lies on disk: a checked JSON document, and arrays of bytes behind it that are checked when read.

No pickle and nothing that runs: a document is plain JSON, a segment plain bytes. Every byte is covered by a CRC-32: those of
the preamble and the document by one, those of each segment by its own, which the document holds. The document also repeats
what it is about, so that a file under another's name is not taken for it.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from weightmap.version import __version__

MAGIC = b"weightmp"
FORMAT = 1
# magic, CRC of all that follows in preamble and document, length of document, of the file's rest
PREAMBLE = struct.Struct("<8sIII")
FIRST = 1 << 16  # bytes that the first read brings
LARGEST = 1 << 26  # bytes of a document
FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"))


class Kept(NamedTuple):
    """A document as it was kept, and where its segments lie: name to (offset, bytes, CRC-32)."""

    path: str
    body: Any
    segments: Mapping[str, tuple[int, int, int]]

    def segment(self, name: str) -> bytes | None:
        """The bytes of a segment; None where it is no longer there, or damaged."""
        try:
            offset, nbytes, check = self.segments[name]
            with open(self.path, "rb") as file:
                file.seek(offset)
                data = file.read(nbytes)
        except (OSError, KeyError, ValueError):
            return None
        return data if len(data) == nbytes and zlib.crc32(data) == check else None


def pack(key: str, kind: str, body: Any, segments: Mapping[str, bytes]) -> list[bytes]:
    """What to write, piece by piece. Raises TypeError and ValueError for a body that JSON does not have."""
    places, at = {}, 0
    for name, data in segments.items():
        places[name] = [at, len(data), zlib.crc32(data)]
        at += len(data)
    document = json.dumps(
        {
            "format": FORMAT,
            "weightmap": __version__,
            "key": key,
            "kind": kind,
            "segments": places,
            "body": body,
        },
        separators=(",", ":"),
    ).encode("ascii")
    rest = struct.pack("<II", len(document), at)
    return [MAGIC, struct.pack("<I", zlib.crc32(document, zlib.crc32(rest))), rest, document, *segments.values()]


def _ours(status: os.stat_result) -> bool:
    """Whether nobody else can have written it: in a folder that many may write to, their files are no memory of ours."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def unpack(path: str, key: str, kind: str) -> Kept | None:
    """What a file holds; None where it is not there, damaged, cut, of another version, or about something else."""
    try:
        descriptor = os.open(path, FLAGS)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _ours(status):
            return None
        data = os.read(descriptor, FIRST)
        magic, check, length, rest = PREAMBLE.unpack_from(data)
        if magic != MAGIC or length > LARGEST:
            return None
        end = PREAMBLE.size + length
        while len(data) < end and (more := os.read(descriptor, end - len(data))):
            data += more
        if len(data) < end or zlib.crc32(memoryview(data)[12:end]) != check or status.st_size != end + rest:
            return None
        document = json.loads(data[PREAMBLE.size : end])
        about = (FORMAT, __version__, key, kind)
        if tuple(document[name] for name in ("format", "weightmap", "key", "kind")) != about:
            return None
        places = {name: (end + at, nbytes, crc) for name, (at, nbytes, crc) in document["segments"].items()}
        return Kept(path, document["body"], places)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error, RecursionError, MemoryError):
        return None
    finally:
        os.close(descriptor)
