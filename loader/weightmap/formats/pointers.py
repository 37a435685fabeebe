"""Small text files that stand for large ones: what Git LFS, git-annex and Git-Xet leave where the file itself was not fetched."""

from __future__ import annotations

import re
from typing import NamedTuple

FETCH = "Fetch the real file: {}, or download it from the model's page."


class Pointer(NamedTuple):
    """What a pointer is called, how large the file is that it stands for (None where it does not say), and what to do."""

    name: str
    size: int | None
    advice: str


_KINDS = (
    ("Git LFS pointer", r"version https?://(?:git-lfs|hawser\.)", r"\nsize (\d{1,18})", "git lfs pull"),
    ("git-annex pointer", r"(?:\.\./)*(?:\.git)?/annex/objects/", r"-s(\d{1,18})-", "git annex get"),
    ("Git-Xet pointer", r"# xet version", r"\nfilesize = (\d{1,18})", "git lfs pull"),
)
_PATTERNS = tuple((name, re.compile(start), re.compile(size), command) for name, start, size, command in _KINDS)


def pointer(text: str) -> Pointer | None:
    """Which pointer a text is that begins a file; None where it is none. A byte order mark or an empty line may precede it."""
    text = text.lstrip("\ufeff \t\r\n")
    for name, start, size, command in _PATTERNS:
        if start.match(text):
            stated = size.search(text)
            return Pointer(name, int(stated[1]) if stated else None, FETCH.format(command))
    return None
