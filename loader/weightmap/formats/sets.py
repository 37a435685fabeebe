"""What a path stands for: one file, the parts of one model, or a folder with one model in it. Opens it as one Layout."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from weightmap.errors import MissingFileError, SeveralModelsError, WeightFileError, error, printable
from weightmap.findings import Finding, finding, limited
from weightmap.formats import index, ollama, split, stale
from weightmap.formats.elsewhere import called, named_elsewhere
from weightmap.formats.folder import find_models, parts_on_shelf
from weightmap.formats.joined import joined
from weightmap.formats.layout import Layout
from weightmap.formats.part_names import PART_NAME, Parts, others_beside, parts_beside
from weightmap.formats.single import PARSERS, Memory, named, parsed, part, recalled
from weightmap.formats.unfinished import intended
from weightmap.source.address import basename, beside, is_url, local_file, shown
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.source.places import open_source
from weightmap.source.shelf import is_shelf

__all__ = ["find_models", "open_layout"]

Opened = tuple[Layout, tuple[ByteSource | None, ...]]


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
        if not is_url(path) and (parts := parts_beside(path)) is not None:
            return _unindexed(path, parts, sources, memory)
        try:
            source = open_source(path)
        except MissingFileError as problem:
            if (parts := parts_on_shelf(path)) is None:
                raise (problem if is_url(path) else named_elsewhere(path, problem)) from problem.__cause__
            return _unindexed(path, parts, sources, memory)
        sources.append(source)
        format, known = recalled(source, memory)
        if format == "index":
            return _indexed(source, path, sources, memory)
        if format == "manifest":
            return _manifest(source, sources, memory)
        layout = named(source, format, known or parsed(source, format, memory))
        if format == "gguf" and (family := split.siblings(layout, path)) is not None and len(family[1]) > 1:
            return _split(layout, *family, sources, memory)
        if format == "gguf":
            layout = replace(layout, problems=(*layout.problems, *split.odd_name(layout)))
        elif format == "safetensors":
            layout = _lone(layout)
        kept = [] if is_url(path) else called(path)
        return replace(layout, problems=(*layout.problems, *kept)), (source,)
    except BaseException:
        for opened in sources:
            if opened is not None:
                opened.close()
        raise


def _folder(path: str, memory: Memory | None) -> Opened:
    models = list(find_models(path))
    models = [model for model in models if intended(basename(model)) is None] or models
    if not models:
        text = "The folder, with its sub-folders, holds no weight file."
        raise error(finding("no_model_in_directory", text, path=path))
    if len(models) > 1:
        names = ", ".join(printable(_within(model, path)) for model in models[:5])
        more = f" and {len(models) - 5:,} more" if len(models) > 5 else ""
        text = f"The folder holds {len(models):,} models: {names}{more}."
        advice = f"Open one of them by its own path, such as {printable(models[0])}"
        raise SeveralModelsError(
            finding("several_models", text, path=path, found=f"{len(models):,} models", advice=advice), models
        )
    layout, sources = open_layout(models[0], memory)
    text = f"The folder's one model was opened: {printable(_within(models[0], path))}."
    note = finding("directory", text, path=models[0])
    return replace(layout, problems=(*layout.problems, note)), sources


def _within(model: str, folder: str) -> str:
    if is_url(model):
        return model.removeprefix(f"{folder.rstrip('/')}/")
    return os.path.relpath(model, folder)


def _lone(layout: Layout) -> Layout:
    """The layout; of a shard that was opened by itself with what it is one of, and what the others hold."""
    numbered = PART_NAME.match(basename(layout.path))
    if not numbered or int(numbered["count"]) < 2:
        return layout
    text = f"This is part {int(numbered['number'])} of {int(numbered['count'])}, opened without the others."
    beside = advice = None
    if (listed := stale.index_beside(layout.path)) is not None:
        beside = basename(listed.path)
        text = f"{text} The index beside it, {printable(beside)}, stands for the whole model."
        layout = replace(layout, absent=(*layout.absent, *index.absent(listed, layout)))
    elif not is_url(layout.path) and others_beside(layout.path):
        text, advice = f"{text} Others lie beside it, without an index.", "Open the folder for the whole model."
    lone = finding("lone_shard", text, path=layout.path, found=beside, advice=advice)
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
                opened[place], parts[place] = part(path, "gguf", sources, memory)
            except MissingFileError:
                missing.append(path)
            except WeightFileError as problem:
                problems.append(problem.finding)
    problems = [*limited(problems), *split.absent(missing, parts), *split.compare(parts)]
    return joined(first.path, paths, parts, problems), tuple(opened)


def _indexed(source: ByteSource, path: str, sources: list[ByteSource | None], memory: Memory | None) -> Opened:
    """All shards that the index at `path` names, in the order of their first mention."""
    listed, notes = index.read_index(source), source.notes
    source.close()
    sources.clear()
    paths = [beside(path, name) for name in listed.files]
    opened, parts, said = _shards(paths, sources, memory)
    told = {one.path for one in said if one.path is not None}
    said = index.unread(listed, [shown(path) for path in paths], said)
    layout = joined(source.path, paths, parts, [*notes, *listed.problems, *limited(said)])
    said = index.compare(listed, layout, told)
    if (left := stale.stale(listed, layout)) is not None:  # one cause, one finding
        said = [left, *(one for one in said if one.code != "missing_shard")]
    problems = [*layout.problems, *said]
    absent = (*layout.absent, *index.absent(listed, layout))
    return replace(layout, problems=tuple(problems), absent=absent), opened


def _unindexed(path: str, found: Parts, sources: list[ByteSource | None], memory: Memory | None) -> Opened:
    """The parts that lie where the index at `path` should be, by the numbers in their names."""
    names = [found.name(number) for number in range(1, found.total + 1)]
    paths, there = [beside(path, name) for name in names], set(found.names.values())
    opened, parts, said = _shards(
        [p if name in there else None for p, name in zip(paths, names, strict=True)], sources, memory
    )
    told = {one.path for one in said}
    missing = [p for p, part in zip(paths, parts, strict=True) if part is None and p not in told]
    lacking = f"The index {printable(found.index_name)} is not there"
    if basename(path) != found.index_name:
        of = "" if len(found.names) == found.total else f" of {found.total:,}"
        lacking = f"No index names these {len(found.names):,}{of} parts"
    text = f"{lacking}: what belongs together was told by the names of the files."
    note = finding("missing_index", text, path=path, expected=found.index_name)
    return joined(path, paths, parts, [note, *limited(said), *split.absent(missing, parts)]), opened


def _shards(
    paths: Sequence[str | None], sources: list[ByteSource | None], memory: Memory | None
) -> tuple[tuple[ByteSource | None, ...], list[Layout | None], list[Finding]]:
    """Source and layout of each file, None where it is not there or cannot be read, and why it cannot."""
    opened: list[ByteSource | None] = []
    parts: list[Layout | None] = []
    problems = []
    for path in paths:
        shard, layout = None, None
        try:
            if path is not None:
                shard, layout = part(path, "safetensors", sources, memory)
        except MissingFileError:
            pass  # said with what is lost by it
        except WeightFileError as problem:
            problems.append(problem.finding)
        opened.append(shard)
        parts.append(layout)
    return tuple(opened), parts, problems


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
    format, known = recalled(blob, memory)
    if format not in PARSERS:
        text = (
            f"The weights of {printable(manifest.name)} should be GGUF or safetensors; the blob's content is: {format}."
        )
        raise error(finding("bad_manifest", text, path=path, found=format))
    layout = known or parsed(blob, format, memory)
    also = "".join(
        f" {os.path.basename(other)} belongs to it, too." for other in manifest.beside if os.path.exists(other)
    )
    note = finding(
        "manifest", f"{printable(manifest.name)} is the blob {os.path.basename(path)}.{also}", path=manifest.path
    )
    said = (*layout.problems, *ollama.resized(manifest, blob), *ollama.lacking(manifest), note)
    return replace(layout, path=manifest.path, problems=said), (blob,)
