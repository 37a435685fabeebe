"""Checksums that are found without being named: in files beside the model, in the names of a store's blobs, in the header.

Only what names the model, or is named after it, counts. Everything that is found is compared; where two of them contradict
each other, that is said instead of choosing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from weightmap.integrity.claims import Claim, Statement
from weightmap.integrity.contents import Contents, ModelFile
from weightmap.integrity.documents import named_by_content, read_note
from weightmap.integrity.hashes import DIGITS, well_formed
from weightmap.integrity.manifests import pointer, read
from weightmap.source.address import absolute

OURS = ".digest.json"
NAMED_AFTER = (".sha256", ".sha256sum", ".sha256.txt", ".manifest")
LISTS = ("SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt", "sha256sum.txt", "checksums.sha256")
NOTES = (".cache", "huggingface", "download")
IN_METADATA = ("modelspec.hash_sha256", "sshs_model_hash")
PLACES = (
    f"NAME{OURS}, FOLDER{OURS}, NAME{', NAME'.join(NAMED_AFTER)}, {', '.join(LISTS)}, the names of blobs in the stores of "
    "Ollama and Hugging Face, modelspec.hash_sha256 in the metadata"
)


def find(contents: Contents) -> list[Statement]:
    """Everything that states checksums of this model. Raises CorruptWeightError where one of the files cannot be used."""
    found = [read(path) for path in _manifests(contents)]
    found += [stated for path in _of_folders(contents) if _speaks_of(stated := read(path), contents)]
    for path in (os.path.join(contents.root, name) for name in LISTS):
        if os.path.isfile(path):
            listed = read(path)
            names = {
                claim.name and os.path.normpath(os.path.join(contents.root, claim.name)) for claim in listed.claims
            }
            if any(absolute(file.path) in names for file in contents.files):
                found.append(listed)
    for file in contents.files:
        found += _content_addressed(file)
        found += _noted(contents, file)
    found += _in_header(contents)
    return found


def pointers(contents: Contents, folder: str) -> list[Statement]:
    """The Git LFS pointers in a checkout that was made without its large files, one per file of the model."""
    found = []
    for file in contents.files:
        if (stated := pointer(os.path.join(folder, *file.name.split("/")))) is not None:
            [claim] = stated.claims
            found.append(Statement(stated.source, (_renamed(claim, file),)))
    return found


def _manifests(contents: Contents) -> Iterator[str]:
    """Files named after the model, or after one of its files."""
    model = absolute(contents.layout.path)
    for path in dict.fromkeys((model, *(absolute(file.path) for file in contents.files))):
        for ending in (OURS, *NAMED_AFTER):
            if os.path.isfile(path + ending):
                yield path + ending


def _of_folders(contents: Contents) -> Iterator[str]:
    """Files that `digest -o` wrote and that are named after the model's folder, or after the one that it was opened by."""
    for folder in dict.fromkeys((contents.opened.place, contents.root)):
        if os.path.isdir(folder) and os.path.isfile(folder + OURS):
            yield folder + OURS


def _speaks_of(stated: Statement, contents: Contents) -> bool:
    """Whether a file of the model is named in it: a folder may hold several models."""
    names = {claim.name for claim in stated.claims if claim.kind == "file"}
    return not names.isdisjoint(file.name for file in contents.files)


def _content_addressed(file: ModelFile) -> Iterator[Statement]:
    """What the name of a blob says, for a file that is one or a link to one."""
    path = os.path.realpath(file.path)
    name = os.path.basename(path)
    if os.path.basename(os.path.dirname(path)) != "blobs":
        return
    digits = name[7:] if name.startswith(("sha256-", "sha256:")) else name
    if well_formed("sha256", digits) or (digits is name and well_formed("git-sha1", digits)):
        yield Statement(path, (named_by_content(path, digits, file.name),))


def _noted(contents: Contents, file: ModelFile) -> Iterator[Statement]:
    """The note that Hugging Face's client keeps of a file that it downloaded into a folder of the user's."""
    folder = contents.root
    path = os.path.join(folder, *NOTES, *f"{file.name}.metadata".split("/"))
    if not os.path.isfile(path):
        return
    try:
        with open(path, encoding="ascii", errors="replace") as note:
            stated = read_note(path, note.read(1 << 10))
    except OSError:
        return
    if stated is not None:
        yield Statement(path, (_renamed(stated.claims[0], file),))


def _renamed(claim: Claim, file: ModelFile) -> Claim:
    return Claim(claim.source, claim.kind, file.name, claim.algorithm, claim.value, claim.nbytes)


def _in_header(contents: Contents) -> Iterator[Statement]:
    """A hash of all tensor content in a safetensors file's own metadata; writers put 0x in front of it, or leave it empty."""
    layout = contents.layout
    if layout.format != "safetensors" or len(layout.parts) > 1:
        return
    for key in IN_METADATA:
        stated = layout.metadata.get(key)
        digits = stated.strip().lower().removeprefix("0x") if type(stated) is str else ""
        if len(digits) == DIGITS["sha256"] and well_formed("sha256", digits):
            yield Statement(layout.parts[0].path, (Claim(layout.parts[0].path, "data", key, "sha256", digits),))
