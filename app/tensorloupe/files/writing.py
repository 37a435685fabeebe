"""Files that the window writes: whole or not at all, and never over a model that is open."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

import weightmap

PRIVATE = 0o600  # for the user's own eyes


@contextmanager
def whole_path(path: str, mode: int = 0o666) -> Iterator[str]:
    """A path to write to, of the same ending: what is written there appears under its name once all of it was, and leaves
    nothing behind where that fails. `mode` is that of the file, before the user's mask.
    """
    target = os.path.realpath(path)
    # a name of its own: one made from the target's could be longer than the file system allows
    name = f".tensorloupe-{os.urandom(8).hex()}.part{os.path.splitext(target)[1][:16]}"
    beside = os.path.join(os.path.dirname(target), name)
    try:
        # some writers of pictures only print that they cannot write
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield beside
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.remove(beside)
        raise


@contextmanager
def whole_file(path: str, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file that appears under its name once everything was written, and leaves nothing behind where that fails."""
    with whole_path(path, mode) as beside, open(beside, "wb") as file:
        yield file
        file.close()  # Windows moves no file that is open


def keep_off(path: str, files: Iterable[str]) -> None:
    """Raise FileExistsError where a path leads to one of the files that are open. Asks the disk: call it in the background."""
    if any(_same(file, path) for file in files):
        raise FileExistsError(0, "This is the model itself, which is only read. Give another name")


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def with_ending(path: str, chosen: str, endings: Sequence[str]) -> str:
    """The path with one of these endings: its own, else the one that the dialog's `chosen` filter names, else the first."""
    if path.lower().endswith(tuple(endings)):
        return path
    return path + next((ending for ending in endings if f"*{ending}" in chosen), endings[0])


def safe_name(name: str) -> str:
    """A name from a file made fit to be a file's own on any system: no separators, no leading dots, nothing that does not
    print, no device of Windows, no longer than file systems allow.
    """
    kept = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in weightmap.printable(name))
    kept = kept.encode("utf-8")[-_LONGEST:].decode("utf-8", "ignore").strip(" ").lstrip(".").rstrip(". ")
    return f"_{kept}" if _DEVICE.match(kept) else kept or "tensor"


_LONGEST = 180  # bytes: with an ending well below the 255 that file systems take
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
