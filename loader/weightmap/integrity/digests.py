"""The checksums of a model: SHA-256 of each of its files and of every tensor's bytes, as a record and as our manifest."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weightmap.cache.place import store
from weightmap.findings import Finding
from weightmap.integrity.contents import Contents, Target, Wanted
from weightmap.model import WeightFile
from weightmap.opened import Opened
from weightmap.reading.sweep import Progress
from weightmap.wording import plural


@dataclass(frozen=True, slots=True)
class FileDigest:
    """SHA-256 of one file, in 64 hexadecimal digits, and its size in bytes."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Digest:
    """Checksums of one model.

    files       by name, relative to the model's folder with slashes: its parts, and its index where it has one
    tensors     SHA-256 of each tensor's stored bytes by name; of a name that stands twice that of the first
    unreadable  why tensors are not among them: findings
    """

    files: Mapping[str, FileDigest]
    tensors: Mapping[str, str]
    unreadable: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        return f"<digest of {plural(len(self.files), 'file')} and {plural(len(self.tensors), 'tensor')}>"

    def entry(self) -> dict[str, Any]:
        """The document of `weightmap digest --json`."""
        files = {name: {"sha256": file.sha256, "bytes": file.bytes} for name, file in self.files.items()}
        document: dict[str, Any] = {"files": files, "tensors": dict(self.tensors)}
        if self.unreadable:
            document["unreadable"] = [{"tensor": one.tensor, "reason": one.message} for one in self.unreadable]
        return document

    def manifest(self) -> str:
        """The text of a manifest that `verify` reads: ASCII, one name a line."""
        return json.dumps(self.entry(), indent=1) + "\n"


def digest(
    model: str | os.PathLike[str] | WeightFile,
    *,
    fresh: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Digest:
    """SHA-256 of each file and of every tensor of a model, given by its path or open already, in one pass over its files.

    With a cache (see `weightmap.open`) what was worked out before for exactly this content is given again, unless `fresh`, and
    a pass over a large file that was broken off goes on where it was.

    `progress(done, total)` in bytes is called from the calling thread; returning False raises Cancelled. Tensors whose
    bytes cannot be told are left out and named in `unreadable`. Raises what `open` raises, MissingFileError for a part that
    is not there, FileChangedError where a file changes meanwhile.
    """
    if isinstance(model, WeightFile):
        return digest_of(model.opened, fresh=fresh, progress=progress, threads=threads)
    with WeightFile(Opened(os.fsdecode(os.fspath(model)), store())) as opened:
        return digest_of(opened.opened, fresh=fresh, progress=progress, threads=threads)


def digest_of(
    opened: Opened, *, fresh: bool = False, progress: Progress | None = None, threads: int | None = None
) -> Digest:
    """The same for what an open model and its tensors share."""
    opened.require_open()
    with Contents(opened) as contents:
        files = {Wanted(Target("file", number), "sha256"): file for number, file in enumerate(contents.files)}
        unreadable = []
        tensors = {}
        for name, number in contents.tensors.items():
            if (problem := contents.unreadable(opened.layout.records[number])) is None:
                tensors[Wanted(Target("tensor", number), "sha256")] = name
            else:
                unreadable.append(problem)
        believed = None if fresh else opened.store
        found = contents.hashes([*files, *tensors], store=believed, progress=progress, threads=threads)
        sizes = {file.name: 0 if file.source is None else file.source.size for file in contents.files}
    return Digest(
        {file.name: FileDigest(found[one], sizes[file.name]) for one, file in files.items()},
        {name: found[one] for one, name in tensors.items()},
        tuple(unreadable),
    )
