"""Files that the window writes: whole or not at all, and never over the model that is open."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

import weightmap


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file that appears under its name once everything was written, and leaves nothing behind where that fails."""
    target = os.path.realpath(path)
    # a name of its own: one made from the target's could be longer than the file system allows
    beside = os.path.join(os.path.dirname(target), f".tensorloupe-{secrets.token_hex(8)}.part")
    try:
        with open(beside, "xb") as file:
            yield file
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.remove(beside)
        raise


def belongs_to(path: str, model: weightmap.WeightFile) -> bool:
    """Whether a path leads to one of the files of a model. Asks the disk: call it in the background."""
    return any(_same(part.path, path) for part in model.parts)


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
    """A name from a file made fit to be a file's own: no separators, no leading dots, nothing that does not print."""
    kept = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in weightmap.printable(name))
    return kept.lstrip(".")[-180:] or "tensor"
