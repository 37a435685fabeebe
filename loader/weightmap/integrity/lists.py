"""Checksums in lines: lists of sha256sum and its kin, in both of their styles, and of llama.cpp's gguf-hash.

sha256sum writes "HASH  NAME", with "*" for the second space in binary mode and a backslash in front of the line where line
breaks and backslashes of the name are escaped; with --tag "SHA256 (NAME) = HASH". gguf-hash writes "sha256  HASH  FILE:TENSOR"
for each tensor and "sha256  HASH  FILE" for all tensors in the order of the table, without header and padding.
"""

from __future__ import annotations

import re
from io import StringIO

from weightmap.errors import printable
from weightmap.integrity.claims import Claim, bad
from weightmap.integrity.hashes import DIGITS

LARGEST, LONGEST = 1 << 24, 1 << 15  # characters of a list, and of a line: a path has at most some thousands
SUM = re.compile(r"(\\?)([0-9A-Fa-f]{16,})(?: [ *](.+))?")
TAG = re.compile(r"(\\?)(SHA1|SHA256|SHA512|[A-Z][A-Z0-9/-]+) \((.+)\) = ([0-9A-Fa-f]+)")
GGUF_HASH = re.compile(r"(xxh64|xxh3|sha1|sha256|uuid) +([0-9A-Fa-f-]{16,})  (.+)")
TAGS = {"SHA1": "sha1", "SHA256": "sha256", "SHA512": "sha512"}
BY_LENGTH = {40: "sha1", 64: "sha256", 128: "sha512"}
UNSUPPORTED = ("xxh64", "xxh3", "uuid")
ESCAPES = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}


def read_lines(path: str, text: str) -> list[Claim]:
    """The claims of a list. Raises CorruptWeightError for a line that is no checksum, and for hashes not known here."""
    claims: list[Claim] = []
    others: set[str] = set()
    if len(text) > LARGEST:
        raise bad(path, f"The list has {len(text):,} characters; no more than {LARGEST:,} are read.")
    for number, line in enumerate(StringIO(text, newline="\n"), 1):
        line = line.rstrip("\r\n")
        if not line.strip() or line.startswith("#"):
            continue
        if len(line) > LONGEST:
            raise bad(path, f"Line {number:,} has {len(line):,} characters; no more than {LONGEST:,} are read.")
        if found := GGUF_HASH.fullmatch(line):
            if found[1] in UNSUPPORTED:
                others.add(found[1])
            else:
                claims.append(_claim(path, number, "listed", found[1], found[2], found[3]))
        elif found := TAG.fullmatch(line):
            if found[2] not in TAGS:
                text = f"Line {number:,} has a checksum of the kind {found[2]}; {', '.join(TAGS)} are known here."
                raise bad(path, text, expected=", ".join(TAGS), found=found[2])
            claims.append(_claim(path, number, "file", TAGS[found[2]], found[4], _name(found[1], found[3])))
        elif found := SUM.fullmatch(line):
            algorithm = BY_LENGTH.get(len(found[2]), "sha256")
            claims.append(_claim(path, number, "file", algorithm, found[2], _name(found[1], found[3])))
        else:
            shown = printable(line[:60]) + ("..." if len(line) > 60 else "")
            text = f'Line {number:,} is no checksum with a name: "{shown}".'
            raise bad(path, text, expected="a list of sha256sum or gguf-hash", found=shown)
    if not claims:
        if others:
            text = f"The list has only {' and '.join(sorted(others))} hashes, which are not compared here."
            raise bad(path, text, expected="sha256 or sha1: gguf-hash --sha256", found=", ".join(sorted(others)))
        raise bad(path, "The list has no checksum in it.")
    if len(claims) > 1 and any(claim.name is None for claim in claims):
        raise bad(path, "The list has several checksums, and one of them stands without a name.")
    return claims


def _claim(path: str, line: int, kind: str, algorithm: str, value: str, name: str | None) -> Claim:
    if len(value) != DIGITS[algorithm]:
        text = (
            f"The checksum in line {line:,} has {len(value):,} hexadecimal digits; {algorithm} has {DIGITS[algorithm]}."
        )
        raise bad(path, text, key=name, expected=f"{DIGITS[algorithm]} digits", found=f"{len(value):,} digits")
    return Claim(path, kind, name, algorithm, value.lower(), line=line)


def _name(escaped: str, name: str | None) -> str | None:
    """The name as the file system has it; None for what was read from a pipe."""
    if name is None or name == "-":
        return None
    return re.sub(r"\\[\\nr]", lambda found: ESCAPES[found[0]], name) if escaped else name
