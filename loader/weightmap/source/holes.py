"""Pieces of a file that nothing was ever written to, as far as the file system tells: asking costs two calls for each."""

from __future__ import annotations

import os

MOST = 4096  # as many are looked for


def holes(descriptor: int, start: int, stop: int) -> list[tuple[int, int]]:
    """The first MOST of them in start:stop, (first byte, one behind the last); none where the system, or the file system behind
    the file, does not tell. They are pieces of whole blocks, and read as zeros.
    """
    found: list[tuple[int, int]] = []
    if not hasattr(os, "SEEK_HOLE"):
        return found
    try:
        while start < stop and len(found) < MOST:
            begin = os.lseek(descriptor, start, os.SEEK_HOLE)
            if begin >= stop:
                break
            try:
                start = min(os.lseek(descriptor, begin, os.SEEK_DATA), stop)
            except OSError:  # the file ends with this hole
                start = stop
            found.append((begin, start))
    except OSError:
        pass  # there is no file system behind it that knows, or it shrank, which the next read says
    return found
