"""Checksums in documents: our own manifest, a plain map of names, Ollama's manifests, Git LFS pointers, the notes of a hub.

Hugging Face's client keeps a note per file in .cache/huggingface/download: commit, etag, time; the etag is the SHA-256 of
the file, or Git's SHA-1 where Git itself holds it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from weightmap.errors import printable
from weightmap.integrity.claims import Claim, Statement, bad, distinct
from weightmap.integrity.hashes import well_formed

LFS = "version https://git-lfs"
OID = re.compile(r"oid sha256:([0-9a-f]{64})")
SIZE = re.compile(r"size ([0-9]{1,20})")
NOTE = re.compile(r"([0-9a-f]{40})\n\"?([0-9a-f]{40}|[0-9a-f]{64})\"?\n[0-9]+(\.[0-9]+)?\n?")
OLLAMA_MODEL = "application/vnd.ollama.image.model"


def read_pointer(path: str, text: str) -> Statement:
    """A Git LFS pointer: SHA-256 and size of the file that it stands for."""
    lines = text.splitlines()
    oid = next((found for line in lines if (found := OID.fullmatch(line))), None)
    size = next((found for line in lines if (found := SIZE.fullmatch(line))), None)
    if oid is None or size is None or len(lines) > 20:
        raise bad(path, "The Git LFS pointer lacks its oid sha256 or its size.", expected="oid sha256:..., size ...")
    return Statement(path, (Claim(path, "file", None, "sha256", oid[1], int(size[1])),))


def read_note(path: str, text: str) -> Statement | None:
    """A note of Hugging Face's client on one file that it downloaded; None where the text is none."""
    if (found := NOTE.fullmatch(text)) is None:
        return None
    return Statement(path, (named_by_content(path, found[2]),))


def named_by_content(source: str, digits: str, name: str | None = None) -> Claim:
    """The claim in the name of a blob, or an etag: SHA-256, or the SHA-1 of Git for what is not in LFS."""
    return Claim(source, "file", name, "sha256" if len(digits) == 64 else "git-sha1", digits)


def read_json(path: str, content: Any) -> Statement:
    """A JSON manifest, parsed with doubled names kept: ours, a plain map from names to checksums, or one of Ollama's."""
    if type(content) is not tuple:
        raise bad(path, "The manifest is JSON, but no object.", expected="an object", found=type(content).__name__)
    fields = dict(content)
    if "layers" in fields or "files" in fields or "tensors" in fields:
        _once(path, content, "The manifest")
    if "layers" in fields:
        return Statement(path, _ollama(path, fields["layers"]))
    if "files" in fields or "tensors" in fields:
        claims = [_entry(path, "file", name, entry) for name, entry in _pairs(path, "files", fields.get("files", ()))]
        claims += [
            _entry(path, "tensor", name, entry) for name, entry in _pairs(path, "tensors", fields.get("tensors", ()))
        ]
        return Statement(path, distinct(path, claims), whole=True)
    return Statement(path, distinct(path, [_entry(path, "named", name, entry) for name, entry in content]))


def read_mapping(given: Mapping[str, Any]) -> Statement:
    """A manifest that a caller hands over as a dict: the document of `digest`, or names of tensors and files to checksums."""
    return read_json("the given dict", _as_pairs(given))


def _as_pairs(value: Any) -> Any:
    return tuple((str(name), _as_pairs(item)) for name, item in value.items()) if isinstance(value, Mapping) else value


def _once(path: str, pairs: tuple[tuple[str, Any], ...], what: str) -> None:
    if len(dict(pairs)) < len(pairs):
        raise bad(path, f"{what} has a field twice.")


def _pairs(path: str, field: str, value: Any) -> tuple[tuple[str, Any], ...]:
    if type(value) is not tuple:
        raise bad(path, f"The field {field} of the manifest is no object of names.", key=field, expected="an object")
    return value


def _entry(path: str, kind: str, name: str, entry: Any) -> Claim:
    """One name: its checksum as text, or an object of sha256 and bytes."""
    if type(entry) is tuple:
        _once(path, entry, f"The entry {printable(name)}")
    fields = dict(entry) if type(entry) is tuple else {"sha256": entry}
    value, nbytes = fields.get("sha256"), fields.get("bytes")
    digits = value.lower().removeprefix("sha256:") if type(value) is str else None
    if digits is None or not well_formed("sha256", digits):
        shown = printable(str(value)[:80])
        text = f"The checksum of {printable(name)} is {shown}; 64 hexadecimal digits were expected."
        raise bad(path, text, key=name, expected="64 hexadecimal digits", found=shown)
    if nbytes is not None and (type(nbytes) is not int or nbytes < 0):
        text = f"The size of {printable(name)} is {printable(str(nbytes)[:80])}, no number of bytes."
        raise bad(path, text, key=name, expected="a whole number")
    return Claim(path, kind, name, "sha256", digits, nbytes)


def _ollama(path: str, layers: Any) -> tuple[Claim, ...]:
    """The layers that hold weights; each is the blob of its digest, whatever that file is called."""
    claims = []
    for layer in layers if type(layers) is list else ():
        fields = dict(layer) if type(layer) is tuple else {}
        if fields.get("mediaType") != OLLAMA_MODEL:
            continue
        digest, size = fields.get("digest"), fields.get("size")
        digits = re.sub(r"^sha256[:-]", "", digest) if type(digest) is str else ""
        if not well_formed("sha256", digits):
            text = f"The digest of a layer is {printable(str(digest)[:80])}; sha256: and 64 hexadecimal digits were expected."
            raise bad(path, text, expected="sha256:...")
        claims.append(Claim(path, "file", f"sha256-{digits}", "sha256", digits, size if type(size) is int else None))
    if not claims:
        raise bad(path, "The manifest of Ollama names no weights.", expected=OLLAMA_MODEL)
    return (replace(claims[0], name=None),) if len(claims) == 1 else distinct(path, claims)
