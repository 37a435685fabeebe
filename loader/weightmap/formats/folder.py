"""Finds the models in a folder: one path for each, however many files it is made of."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from weightmap.errors import Cancelled, WeightFileError, error
from weightmap.findings import finding
from weightmap.formats import gguf, ollama
from weightmap.formats.index import read_index
from weightmap.formats.part_names import INDEX_ENDING, INDEX_NAME, PART_NAME, Parts, parts_called, unindexed
from weightmap.formats.sniff import ENDINGS
from weightmap.formats.unfinished import NOTES, intended
from weightmap.source.address import basename, beside, local_file
from weightmap.source.file import FileSource
from weightmap.source.shelf import is_shelf, listed
from weightmap.wording import natural

Progress = Callable[[int, int], Any]


def find_models(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Iterator[str]:
    """The paths of the models that `path` stands for, in the order of their names, with 2 before 10, sub-folders after files.

    A file stands for itself. In a folder an index comes instead of its parts, even where it is missing itself, a split GGUF
    as its first part, and every other weight file by itself, adapters and mmproj files too. In Ollama's store manifests,
    which bear the names, come instead of blobs, with the adapters and projectors that they name. Files without an ending
    count where they begin as GGUF does, and downloads that are not finished by what they are to be called. At the
    address of a repository of the Hub, or of a folder in a store, the names decide. `progress(done, 0)` is called with the
    number of files seen; False ends the search with Cancelled.
    """
    path = local_file(os.fspath(path)) or os.fspath(path)
    if is_shelf(path):
        yield from _on_shelf(path, progress)
        return
    if not os.path.isdir(path):
        yield path
        return
    seen = 0
    beside: dict[str, None] = {}
    for folder, names in _walk(path):
        chosen = _models(folder, names)
        seen += len(names)
        if progress is not None and progress(seen, 0) is False:
            raise Cancelled
        manifests, blobs = ollama.in_folder(folder, [name for name in names if name not in chosen])
        beside.update(dict.fromkeys(blobs))
        for name in [*chosen, *manifests]:
            yield os.path.join(folder, name)
    yield from beside


def _on_shelf(url: str, progress: Progress | None) -> Iterator[str]:
    """The same at an address, by the names of the files alone."""
    names = listed(url)
    if progress is not None and progress(len(names), 0) is False:
        raise Cancelled
    indexed = {posixpath.dirname(name) for name in names if INDEX_NAME.search(name)}
    without = _without_index(names)
    families = set()
    for name in sorted(names, key=lambda name: (name.count("/"), natural(name))):
        ending, numbered = posixpath.splitext(name)[1].lower(), PART_NAME.match(name)
        if not INDEX_NAME.search(name):
            if ending not in ENDINGS or (ending == ".safetensors" and numbered and posixpath.dirname(name) in indexed):
                continue
            family = (
                (numbered["prefix"], numbered["count"]) if numbered and ending == ".gguf" else without.get(name, name)
            )
            if family in families:
                continue
            families.add(family)
        yield f"{url.rstrip('/')}/{without.get(name, name)}"


def _without_index(names: Iterable[str]) -> dict[str, str]:
    """For each numbered part of a set without an index in its folder the name that stands for the set."""
    folders: dict[str, list[str]] = {}
    for name in names:
        folders.setdefault(posixpath.dirname(name), []).append(posixpath.basename(name))
    return {
        posixpath.join(folder, part): posixpath.join(folder, index)
        for folder, inside in folders.items()
        for index, family in unindexed(inside).items()
        for part in family.names.values()
    }


def parts_on_shelf(url: str) -> Parts | None:
    """The parts that lie where the index at this address should be; None where its folder cannot be listed, as on the web."""
    folder, name = beside(url, ""), basename(url)
    if not name.endswith(INDEX_ENDING) or not is_shelf(folder):
        return None
    try:
        return parts_called(name, [one for one in listed(folder) if "/" not in one])
    except WeightFileError:  # what is said is that the index is not there
        return None


def _walk(top: str) -> Iterator[tuple[str, list[str]]]:
    """Folders and the names of their files, links followed, no folder twice; hidden ones and a cache's blobs left out."""
    waiting, visited = [top], set()
    while waiting:
        folder = waiting.pop()
        try:
            status = os.stat(folder)
            entries = sorted(os.scandir(folder), key=lambda entry: natural(entry.name))
        except OSError as problem:
            if folder == top:  # what lies beneath may be closed to us; of a closed folder itself nothing can be said
                raise _closed(folder, problem) from problem
            continue
        if (status.st_dev, status.st_ino) in visited:
            continue
        visited.add((status.st_dev, status.st_ino))
        folders = [entry.name for entry in entries if not entry.name.startswith(".") and _is_folder(entry)]
        if ollama.MANIFESTS in folders:
            folders = [name for name in folders if name != ollama.BLOBS]
        if "snapshots" in folders:
            folders = [name for name in folders if name not in ("blobs", "refs")]
        waiting += [os.path.join(folder, name) for name in reversed(folders)]
        yield folder, [entry.name for entry in entries if not entry.name.startswith(".") and not _is_folder(entry)]


def _closed(folder: str, problem: OSError) -> WeightFileError:
    if isinstance(problem, PermissionError):
        text = "Permission denied: the system does not let this folder be read."
        return error(finding("permission", text, path=folder))
    return error(finding("read_error", f"The folder cannot be read: {problem.strerror or problem}.", path=folder))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _models(folder: str, names: list[str]) -> list[str]:
    """The files of one folder that stand for a model each."""
    indexes = [name for name in names if INDEX_NAME.search(name)]
    named = {name: _parts_of(os.path.join(folder, name)) for name in indexes}
    parts = set().union(*named.values())
    without: dict[str, str] = {}
    for index, lacking in unindexed(names, parts).items():
        there = os.path.lexists(os.path.join(folder, index))
        if not there or named.get(index):  # one that cannot be read may be theirs
            without.update(dict.fromkeys(lacking.names.values(), lacking.own_name if there else index))
    chosen: list[str] = []
    families: set[object] = set()
    for name in names:
        ending = os.path.splitext(name)[1].lower()
        if name in indexes:
            chosen.append(name)
        elif ending not in ENDINGS or name in parts:
            if _downloading(name, names) or (not ending and _begins_as_gguf(os.path.join(folder, name))):
                chosen.append(name)
        elif ending == ".gguf" and (numbered := PART_NAME.match(name)):
            family = (numbered["prefix"], numbered["count"])
            if family not in families:
                chosen.append(name)
            families.add(family)
        elif (index := without.get(name, name)) not in families:  # of parts without their index, where that should be
            chosen.append(index)
            families.add(index)
    return chosen


def _downloading(name: str, names: list[str]) -> bool:
    """Whether a name is that of a weight file whose download goes on; notes count where the file itself is not there."""
    meant = intended(name)
    if meant is None or os.path.splitext(meant)[1].lower() not in ENDINGS:
        return False
    return not (name.lower().endswith(NOTES) and meant in names)


def _parts_of(path: str) -> set[str]:
    """Names of the files that an index speaks of; none where it cannot be read."""
    try:
        source = FileSource(path)
        try:
            return set(read_index(source).files)
        finally:
            source.close()
    except WeightFileError:
        return set()


def _begins_as_gguf(path: str) -> bool:
    try:
        source = FileSource(path)
        try:
            return source.size >= gguf.PREAMBLE and source.read(0, 4) == gguf.MAGIC
        finally:
            source.close()
    except WeightFileError:
        return False
