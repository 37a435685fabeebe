"""What names the content of an open file without reading all of it: size, times, inode, and the bytes at both ends.

Two uses, two names. What is remembered on this machine goes by everything that the system tells, the time of the last
change of any kind included, which no program can set back. What travels to another process goes by what a shared disk shows
to every machine. A file written within the last moments is no ground to remember anything by: it could be written again
within the same tick of the file system's clock.
"""

from __future__ import annotations

import os
import time
import zlib

from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource

END = 4096  # bytes at each end
TICK, COARSE_TICK = 50_000_000, 2_500_000_000  # ns; the second where a file system keeps whole seconds


def ends(source: ByteSource) -> tuple[int, int]:
    """CRC-32 of the first and of the last bytes, read from the open file. Raises FileChangedError."""
    size = min(END, source.size)
    return zlib.crc32(source.read(0, size)), zlib.crc32(source.read(source.size - size, size))


def key(source: FileSource) -> str:
    """The name under which things about this file are remembered on this machine."""
    return "-".join(f"{number:x}" for number in (*source.fingerprint, *ends(source)))


def identity(source: ByteSource) -> tuple[int | str, ...]:
    """What tells another process that it has the same content: size, modification time, inode and both ends of a file,
    else what the source itself names its version by.
    """
    if isinstance(source, FileSource):
        size, modified, _, inode, _ = source.fingerprint
        return size, modified, inode, *ends(source)
    stated: tuple[int | str, ...] = getattr(source, "fingerprint", (source.size,))
    return stated


def settled(source: FileSource) -> bool:
    """Whether the file was last changed long enough ago that another change would show."""
    _, modified, _, _, changed = source.fingerprint
    last = modified if os.name == "nt" else changed
    return time.time_ns() - last > (TICK if last % 1_000_000_000 else COARSE_TICK)
