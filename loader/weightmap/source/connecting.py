"""Which transport an address is reached by: the web's own, or whatever file system fsspec has for it."""

from __future__ import annotations

from weightmap.source.address import scheme
from weightmap.source.transport import Transport


def connect(url: str, first: int) -> Transport:
    """Meet the file at an address, reading its first bytes. Raises WeightFileError in words that name the address."""
    if scheme(url) in ("http", "https", "hf") and "::" not in url:
        from weightmap.source.http import HttpTransport

        return HttpTransport(url, first)
    from weightmap.source.filesystems import FilesystemTransport

    return FilesystemTransport(url, first)
