"""What a path stands for: one file, the parts of one model, or a folder with one model in it. Opens it as one Layout."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from weightmap import telemetry
from weightmap.errors import MissingFileError, SeveralModelsError, WeightFileError, error, printable
from weightmap.findings import Finding, finding
from weightmap.formats import gguf, imatrix, index, ollama, safetensors, split, stale
from weightmap.formats.folder import PART_NAME, find_models
from weightmap.formats.joined import joined
from weightmap.formats.layout import Layout
from weightmap.formats.sniff import misnamed, sniff
from weightmap.source.address import basename, beside, is_url, local_file
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.source.places import open_source
from weightmap.source.shelf import is_shelf

__all__ = ["find_models", "open_layout"]

Opened = tuple[Layout, tuple[ByteSource | None, ...]]
PARSERS = {"gguf": gguf.parse, "safetensors": safetensors.parse, "imatrix": imatrix.parse}


class Memory(Protocol):
    """Layouts of files that were parsed before. What it gives equals what parsing would."""

    def recall(self, source: ByteSource) -> Layout | None: ...
    def parsed(self, source: ByteSource, layout: Layout) -> None: ...


def open_layout(path: str, memory: Memory | None = None) -> Opened:
    """The layout of the model that `path` stands for, and one open source per part (None where a part is not there).

    Raises WeightFileError where nothing can be shown; SeveralModelsError for a folder with several models. What was
    opened before an error is closed again.
    """
    path = local_file(path) or path
    if is_shelf(path) or os.path.isdir(path):
        return _folder(path, memory)
    sources: list[ByteSource | None] = []
    try:
        source = open_source(path)
        sources.append(source)
        format, known = _recalled(source, memory)
        if format == "index":
            return _indexed(source, path, sources, memory)
        if format == "manifest":
            return _manifest(source, sources, memory)
        layout = _named(source, format, known or _parsed(source, format, memory))
        if format == "gguf" and (family := split.siblings(layout, path)) is not None and len(family[1]) > 1:
            return _split(layout, *family, sources, memory)
        if format == "gguf":
            layout = replace(layout, problems=(*layout.problems, *split.odd_name(layout)))
        elif format == "safetensors":
            layout = _lone(layout)
        return layout, (source,)
    except BaseException:
        for opened in sources:
            if opened is not None:
                opened.close()
        raise


def _folder(path: str, memory: Memory | None) -> Opened:
    models = list(find_models(path))
    if not models:
        text = "The folder, with its sub-folders, holds no weight file."
        raise error(finding("no_model_in_directory", text, path=path))
    if len(models) > 1:
        names = ", ".join(_within(model, path) for model in models[:5])
        more = f" and {len(models) - 5:,} more" if len(models) > 5 else ""
        text = f"The folder holds {len(models):,} models: {names}{more}."
        raise SeveralModelsError(finding("several_models", text, path=path, found=f"{len(models):,} models"), models)
    layout, sources = open_layout(models[0], memory)
    note = finding("directory", f"The folder's one model was opened: {_within(models[0], path)}.", path=models[0])
    return replace(layout, problems=(*layout.problems, note)), sources


def _within(model: str, folder: str) -> str:
    if is_url(model):
        return model.removeprefix(f"{folder.rstrip('/')}/")
    return os.path.relpath(model, folder)


def _recalled(source: ByteSource, memory: Memory | None) -> tuple[str, Layout | None]:
    """What a file is, and its layout where it was parsed before."""
    known = None if memory is None else memory.recall(source)
    return (sniff(source), None) if known is None else (known.format, known)


def _parsed(source: ByteSource, format: str, memory: Memory | None) -> Layout:
    with telemetry.span("header_parse", path=source.path, format=format) as span:
        layout = PARSERS[format](source)
        span.set(tensors=len(layout.records), keys=len(layout.metadata))
    if memory is not None:
        memory.parsed(source, layout)
    return layout


def _named(source: ByteSource, format: str, layout: Layout) -> Layout:
    """The layout with what its name, and the place that it is read from, give to say."""
    odd = misnamed(source.path, format)
    said = (*source.notes, *([odd] if odd else ()))
    return replace(layout, problems=(*layout.problems, *said)) if said else layout


def _lone(layout: Layout) -> Layout:
    """The layout; of a shard that was opened by itself with what it is one of, and what the others hold."""
    numbered = PART_NAME.match(basename(layout.path))
    if not numbered or int(numbered["count"]) < 2:
        return layout
    text, beside = (
        f"This is part {int(numbered['number'])} of {int(numbered['count'])}, opened without the others.",
        None,
    )
    if (listed := stale.index_beside(layout.path)) is not None:
        beside = basename(listed.path)
        text = f"{text} The index beside it, {printable(beside)}, stands for the whole model."
        layout = replace(layout, absent=index.absent(listed, layout))
    lone = finding("lone_shard", text, path=layout.path, found=beside)
    return replace(layout, problems=(*layout.problems, lone))


def _split(
    first: Layout, number: int, paths: Sequence[str], sources: list[ByteSource | None], memory: Memory | None
) -> Opened:
    """All parts of a split GGUF, in order, around the one that is open already."""
    parts: list[Layout | None] = [None] * len(paths)
    problems: list[Finding] = []
    opened: list[ByteSource | None] = [None] * len(paths)
    parts[number], opened[number] = first, sources[0]
    missing = []
    for place, path in enumerate(paths):
        if place != number:
            if not is_url(path) and not os.path.lexists(path):  # a name may promise a hundred thousand parts
                missing.append(path)
                continue
            try:
                opened[place], parts[place] = _part(path, "gguf", sources, memory)
            except MissingFileError:
                missing.append(path)
            except WeightFileError as problem:
                problems.append(problem.finding)
    problems += split.absent(missing, parts) + split.compare(parts)
    return joined(first.path, paths, parts, problems), tuple(opened)


def _indexed(source: ByteSource, path: str, sources: list[ByteSource | None], memory: Memory | None) -> Opened:
    """All shards that the index at `path` names, in the order of their first mention."""
    listed, notes = index.read_index(source), source.notes
    source.close()
    sources.clear()
    paths = [beside(path, name) for name in listed.files]
    parts: list[Layout | None] = []
    opened: list[ByteSource | None] = []
    problems = [*notes, *listed.problems]
    for file in paths:
        shard, layout = None, None
        try:
            shard, layout = _part(file, "safetensors", sources, memory)
        except MissingFileError:
            pass  # index.compare says it, with what is lost
        except WeightFileError as problem:
            problems.append(problem.finding)
        opened.append(shard)
        parts.append(layout)
    layout = joined(source.path, paths, parts, problems)
    said = index.compare(listed, layout)
    if (left := stale.stale(listed, layout)) is not None:  # one cause, one finding
        said = [left, *(one for one in said if one.code != "missing_shard")]
    problems = [*layout.problems, *said]
    return replace(layout, problems=tuple(problems), absent=index.absent(listed, layout)), tuple(opened)


def _manifest(source: ByteSource, sources: list[ByteSource | None], memory: Memory | None) -> Opened:
    """The blob that a manifest names, under the path of the manifest, whose name is the model's."""
    manifest = ollama.read_manifest(source)
    source.close()
    sources.clear()
    if len(manifest.models) > 1:
        text = f"The manifest names {len(manifest.models):,} files of weights."
        raise SeveralModelsError(finding("several_models", text, path=manifest.path), manifest.models)
    [path] = manifest.models
    try:
        blob = FileSource(path)
    except MissingFileError as problem:
        raise ollama.missing(manifest, path) from problem
    sources.append(blob)
    format, known = _recalled(blob, memory)
    if format not in PARSERS:
        text = (
            f"The weights of {printable(manifest.name)} should be GGUF or safetensors; the blob's content is: {format}."
        )
        raise error(finding("bad_manifest", text, path=path, found=format))
    layout = known or _parsed(blob, format, memory)
    also = "".join(f" {os.path.basename(other)} belongs to it, too." for other in manifest.beside)
    note = finding(
        "manifest", f"{printable(manifest.name)} is the blob {os.path.basename(path)}.{also}", path=manifest.path
    )
    said = (*layout.problems, *ollama.resized(manifest, blob), note)
    return replace(layout, path=manifest.path, problems=said), (blob,)


def _part(path: str, format: str, sources: list[ByteSource | None], memory: Memory | None) -> tuple[ByteSource, Layout]:
    """One more file of a set; it must be of the set's format."""
    source = open_source(path)
    sources.append(source)
    found, known = _recalled(source, memory)
    if found != format:
        text = f"A part of the set should be {format}, but its content is {found}."
        raise error(finding("shard_mismatch", text, path=source.path, expected=format, found=found))
    return source, _named(source, format, known or _parsed(source, format, memory))
