"""Downloads that their program has not finished: told by what it calls the file, or by what it keeps beside it."""

from __future__ import annotations

import os

from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.source.address import basename, is_url

ENDINGS = (".crdownload", ".part", ".partial", ".incomplete", ".opdownload", ".!qb", ".!ut", "-partial", ".aria2")
"""Of names that browsers, torrent programs, Hugging Face's own client and Ollama give to files that they have not all of."""
NOTES = ".aria2"
"""What aria2 adds to a file's name for its own notes, which it deletes with the last piece."""


def intended(name: str) -> str | None:
    """What a file of this name is to be called once its download is finished; None where the name speaks of none."""
    ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)
    return None if ending is None else name[: -len(ending)]


def unfinished(path: str) -> list[Finding]:
    """The finding that says so of the file at `path`. Such a file has its full size long before it has all bytes."""
    name = basename(path)
    meant = intended(name)
    if meant is not None:
        text = (
            f"The file's name ends in {printable(name[len(meant) :])}, as that of a download does until it is finished."
        )
        return [finding("unfinished_download", text, path=path, found=name)]
    if is_url(path) or not os.path.lexists(path + NOTES):
        return []
    notes = printable(name + NOTES)
    text = (
        f"aria2's notes lie beside the file, {notes}: the download is not finished, and missing pieces read as zeros."
    )
    return [finding("unfinished_download", text, path=path, found=name + NOTES)]
