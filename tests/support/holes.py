"""A file system that tells of holes, whichever the tests run on: every page of zeros is one, as where zeros are not kept."""

from __future__ import annotations

import errno
import os

import pytest

PAGE = 4096
DATA, HOLE = 3, 4


def pages_of_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `os.lseek` look for pages of zeros, and for others."""
    real = os.lseek

    def seek(descriptor: int, start: int, whence: int) -> int:
        if whence not in (DATA, HOLE):
            return real(descriptor, start, whence)
        size = os.fstat(descriptor).st_size
        if start >= size:
            raise OSError(errno.ENXIO, "behind the end")
        at = start
        while at < size:
            page = at // PAGE * PAGE
            if any(os.pread(descriptor, PAGE, page)) == (whence == DATA):
                return at
            at = page + PAGE
        if whence == DATA:
            raise OSError(errno.ENXIO, "no more data")
        return size

    monkeypatch.setattr(os, "SEEK_DATA", DATA, raising=False)
    monkeypatch.setattr(os, "SEEK_HOLE", HOLE, raising=False)
    monkeypatch.setattr(os, "lseek", seek)
