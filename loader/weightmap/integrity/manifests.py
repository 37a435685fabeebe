"""A manifest from its file: which form it has is told by its content. Hostile ones are normal; they are only ever compared."""

from __future__ import annotations

import os

from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.formats.json_header import loads
from weightmap.formats.single import PARSERS
from weightmap.formats.sniff import sniff
from weightmap.integrity.claims import Statement, bad, distinct
from weightmap.integrity.documents import LFS, read_json, read_note, read_pointer
from weightmap.integrity.lists import read_lines
from weightmap.source.file import FileSource

LARGEST = 1 << 26  # bytes; ours of a model with 100,000 tensors takes a tenth of it
POINTER = 1 << 10  # bytes; the longest that Git LFS takes for one


def read(path: str) -> Statement:
    """Read a manifest of any form. Raises CorruptWeightError (code `bad_checksums`), or what opening its file raises."""
    source = FileSource(path)
    try:
        refuse_weights(source)
        if source.size > LARGEST:
            text = f"The manifest has {source.size:,} bytes; no more than {LARGEST:,} are read."
            raise bad(path, text, expected=f"at most {LARGEST:,} bytes", found=f"{source.size:,} bytes")
        content = source.read(0, source.size)
    finally:
        source.close()
    return parse(path, content)


def refuse_weights(source: FileSource) -> None:
    """Raise the error for a model in the place of a manifest: who wants to compare several gives their folder."""
    try:
        found = sniff(source)
    except WeightFileError:
        return
    if found in PARSERS:
        raise error(
            finding(
                "bad_checksums",
                f"This is a model ({found}); a manifest of checksums was expected.",
                path=source.path,
                expected="a manifest",
                found=found,
                advice="Compare one model at a time, or all in a folder: weightmap verify FOLDER.",
            )
        )


def parse(path: str, content: bytes) -> Statement:
    """The same from the manifest's bytes."""
    if b"\0" in content:
        raise bad(path, "The manifest is no text: it has zero bytes in it.", expected="text")
    content = content.removeprefix(b"\xef\xbb\xbf")
    if content.lstrip()[:1] in (b"{", b"["):
        try:
            parsed = loads(content)
        except ValueError as problem:
            raise bad(path, f"The manifest {problem}.") from None
        return read_json(path, parsed)
    text = content.decode("utf-8", "surrogateescape")  # names of files may be any bytes
    if text.startswith(LFS):
        return read_pointer(path, text)
    if (note := read_note(path, text)) is not None:
        return note
    return Statement(path, distinct(path, read_lines(path, text)))


def pointer(path: str) -> Statement | None:
    """The Git LFS pointer that a file is; None where it is something else, or not there."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > POINTER:
            return None
        with open(path, "rb") as file:
            content = file.read(POINTER)
    except OSError:
        return None
    if not content.startswith(LFS.encode()):
        return None
    return read_pointer(path, content.decode("utf-8", "surrogateescape"))
