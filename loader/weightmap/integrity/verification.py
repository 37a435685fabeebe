"""A model against what is stated of it: which files and tensors are other bytes than somebody else had, and which are not there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

from weightmap.cache.place import store
from weightmap.cache.store import Store
from weightmap.errors import error, printable
from weightmap.findings import Finding, finding
from weightmap.integrity import beside
from weightmap.integrity.bare import Bare, opened_or_bare
from weightmap.integrity.claims import Claim, Statement
from weightmap.integrity.contents import Contents, Target, Wanted
from weightmap.integrity.documents import read_mapping
from weightmap.integrity.manifests import read
from weightmap.integrity.matching import Expected, match
from weightmap.integrity.outcome import Mismatch, Missing, Verification
from weightmap.model import WeightFile
from weightmap.opened import Opened
from weightmap.reading.sweep import Progress

Manifest = str | os.PathLike[str] | Mapping[str, Any]


def verify(
    model: str | os.PathLike[str] | WeightFile,
    manifest: Manifest | None = None,
    *,
    strict: bool = True,
    cached: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Verification:
    """Compare a model, given by its path or open already, with checksums that are stated of it.

    manifest  a file of checksums in any form that is known (see the README), a folder with Git LFS pointers, or a dict: the
              document of `digest`, or names of tensors and files to SHA-256. None looks beside the model, in the names of
              a store's blobs and in the metadata
    strict    raise CorruptWeightError (code `checksum_mismatch` or `checksum_missing`) at what differs or is not there;
              else it is only in the result
    cached    believe checksums that `digest` worked out for exactly this content (see `weightmap.open` for the cache); else
              every byte is read now

    Every file of the model must be covered. A file that is damaged beyond being opened is compared as a whole.

    Raises WeightFileError code `no_checksums` where nothing is stated,
    `bad_checksums` and `ambiguous_checksums` where a manifest cannot be used, FileChangedError, Cancelled.
    """
    options: dict[str, Any] = {"strict": strict, "cached": cached, "progress": progress, "threads": threads}
    if isinstance(model, WeightFile):
        return verify_opened(model.opened, manifest, **options)
    with closing(opened_or_bare(os.fsdecode(os.fspath(model)), store() if cached else None)) as opened:
        return verify_opened(opened, manifest, **options)


def verify_opened(
    opened: Opened | Bare,
    manifest: Manifest | None = None,
    *,
    names: Iterable[str] | None = None,
    strict: bool = True,
    cached: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Verification:
    """The same for what an open model shares. With `names` only these tensors count, where each has a checksum of its own."""
    opened.require_open()
    with Contents(opened) as contents:
        statements = _statements(contents, manifest)
        expected = match(contents, statements)
        if not expected.claims and not expected.absent:
            raise error(_nothing(contents, manifest))
        targets = {Target("tensor", contents.tensors[name]) for name in names or ()}
        if targets and targets <= expected.claims.keys():
            claims = {target: expected.claims[target] for target in targets}
            expected = Expected(claims, passed_over=expected.passed_over)
            lacking = []
        else:
            lacking = _uncovered(contents, expected)
        known = opened.store if cached else None
        result = _compared(contents, expected, lacking, statements, known, progress, threads)
    if strict and result.findings:
        raise error(result.findings[0])
    return result


def _statements(contents: Contents, manifest: Manifest | None) -> list[Statement]:
    if manifest is None:
        return beside.find(contents)
    if isinstance(manifest, Mapping):
        return [read_mapping(manifest)]
    path = os.fsdecode(os.fspath(manifest))
    return beside.pointers(contents, path) if os.path.isdir(path) else [read(path)]


def _nothing(contents: Contents, manifest: Manifest | None) -> Finding:
    """The finding for a model of which no checksum is stated."""
    path = contents.layout.path
    if manifest is None:
        text = "No checksum of this model was found beside it, in the name of its blob or in its metadata."
        return finding("no_checksums", text, path=path, expected=beside.PLACES)
    named = (
        f"The manifest {printable(os.fsdecode(manifest))}" if isinstance(manifest, str | os.PathLike) else "The dict"
    )
    text = f"{named} states no checksum of this model: it names none of its files and tensors."
    return finding("no_checksums", text, path=path, expected=contents.files[-1].name)


def _uncovered(contents: Contents, expected: Expected) -> list[Missing]:
    """Files of weights of which neither a checksum nor one of each tensor is stated."""
    found = []
    for number, file in enumerate(contents.files):
        if file.part is None or Target("file", number) in expected.claims:
            continue
        if Target("data", file.part) in expected.claims or Target("tensors", file.part) in expected.claims:
            continue
        own = [index for index, record in enumerate(contents.layout.records) if record.part == file.part]
        bare = sum(Target("tensor", index) not in expected.claims for index in own)
        if bare or not own:
            what = (
                f"and {bare:,} of its {len(own):,} tensors have none either"
                if bare < len(own)
                else "nor of a tensor of it"
            )
            found.append(Missing("file", file.name, file.path, f"No checksum of this file is stated, {what}."))
    return found


def _compared(
    contents: Contents,
    expected: Expected,
    lacking: list[Missing],
    statements: list[Statement],
    known: Store | None,
    progress: Progress | None,
    threads: int | None,
) -> Verification:
    missing = [
        Missing(kind, claim.name or "", None, "The manifest names it; the model does not have it.")
        for kind, claim in expected.absent
    ]
    mismatched: list[Mismatch] = []
    wanted: dict[Wanted, Claim] = {}
    for target, claim in expected.claims.items():
        file = contents.file_of(target)
        record = contents.layout.records[target.number] if target.kind == "tensor" else None
        if file.source is None:
            missing.append(
                Missing(target.kind, record.name if record else file.name, file.path, "The file is not there.")
            )
        elif record is not None and (problem := contents.unreadable(record)) is not None:
            missing.append(Missing("tensor", record.name, file.path, problem.message))
        elif target.kind == "file" and claim.nbytes not in (None, file.source.size):
            mismatched.append(
                _mismatch(contents, target, claim, f"{claim.nbytes:,} bytes", f"{file.source.size:,} bytes", "size")
            )
        else:
            wanted[Wanted(target, claim.algorithm)] = claim
    found = contents.hashes(wanted, store=known, progress=progress, threads=threads)
    for one, claim in wanted.items():
        if found[one] != claim.value:
            mismatched.append(_mismatch(contents, one.target, claim, claim.value, found[one], claim.algorithm))
    sources = tuple(dict.fromkeys(statement.source for statement in statements))
    compared = len(expected.claims) - sum(one.path is not None for one in missing)
    return Verification(tuple(mismatched), (*missing, *lacking), compared, sources, expected.passed_over)


def _mismatch(contents: Contents, target: Target, claim: Claim, expected: str, found: str, algorithm: str) -> Mismatch:
    file = contents.file_of(target)
    name = contents.layout.records[target.number].name if target.kind == "tensor" else file.name
    ranges = contents.ranges(target)
    offset = min((start for start, _ in ranges), default=0)
    end = max((start + nbytes for start, nbytes in ranges), default=0)
    return Mismatch(target.kind, name, file.path, offset, end - offset, algorithm, expected, found, claim.source)
