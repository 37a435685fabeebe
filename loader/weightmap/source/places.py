"""From a path to an open source: a file is mapped, an address is read by ranges."""

from __future__ import annotations

from weightmap.errors import MissingFileError
from weightmap.source.address import is_url, local_file
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource


def open_source(path: str) -> ByteSource:
    """The source of a path. Raises what FileSource and RemoteSource raise; only an address makes anything be contacted."""
    if not is_url(path):
        return FileSource(path)
    if (local := local_file(path)) is not None:
        return FileSource(local)
    from weightmap.source.remote import RemoteSource

    return RemoteSource(path)


def read_small(path: str, most: int) -> bytes | None:
    """What a small file holds, `most` + 1 bytes of it at the most; None where there is no such file.

    Raises WeightFileError where it is there and cannot be read.
    """
    try:
        source = open_source(path)
    except MissingFileError:
        return None
    try:
        return source.read(0, min(source.size, most + 1))
    finally:
        source.close()
