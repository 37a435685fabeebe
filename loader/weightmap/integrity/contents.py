"""What a model consists of, as checksums see it: files by name, tensors by name, and the ranges of bytes that they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weightmap.cache.store import Store
from weightmap.checks.extent import unreadable
from weightmap.errors import MissingFileError
from weightmap.findings import Finding, finding
from weightmap.formats.layout import TensorRecord
from weightmap.integrity.bare import Bare
from weightmap.integrity.memory import memory_of
from weightmap.integrity.passes import Pass
from weightmap.integrity.streams import Range, Stream, rising
from weightmap.integrity.together import together
from weightmap.opened import Opened
from weightmap.reading.sweep import Meter, Progress
from weightmap.source.address import absolute, is_url
from weightmap.source.byte_source import ByteSource
from weightmap.source.places import open_source


class Target(NamedTuple):
    """Bytes that a checksum can be stated of.

    kind    "file"; "tensor"; "data": all behind the header of a file; "tensors": those of all tensors in the table's order
    number  of the file, of the record, of the part
    """

    kind: str
    number: int


class Wanted(NamedTuple):
    """A checksum to be worked out."""

    target: Target
    algorithm: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of the model. `name` is relative to the model's folder, with slashes; `part` None for an index."""

    name: str
    path: str
    source: ByteSource | None
    part: int | None


class Contents:
    """The files and tensors of an open model. A context manager: it holds an index of its own open."""

    def __init__(self, opened: Opened | Bare) -> None:
        layout = self.layout = opened.layout
        self.opened = opened
        self._index = _index_of(opened)
        self.root = _root(opened)
        parts = [
            ModelFile(self._named(part.path), part.path, source, number)
            for number, (part, source) in enumerate(zip(layout.parts, opened.sources, strict=True))
        ]
        index = [ModelFile(self._named(one.path), one.path, one, None) for one in (self._index,) if one is not None]
        self.files = (*index, *parts)
        self._by_part = {file.part: file for file in parts}
        self.tensors: dict[str, int] = {}
        for number, record in enumerate(layout.records):
            self.tensors.setdefault(record.name, number)

    def __enter__(self) -> Contents:
        return self

    def __exit__(self, *_: object) -> None:
        if self._index is not None:
            self._index.close()

    def unreadable(self, record: TensorRecord) -> Finding | None:
        """Why it cannot be told which bytes are this tensor's, or None."""
        return None if self.opened.sound else unreadable(self.layout, record)

    def file_of(self, target: Target) -> ModelFile:
        """The file that holds a target's bytes."""
        if target.kind == "file":
            return self.files[target.number]
        part = self.layout.records[target.number].part if target.kind == "tensor" else target.number
        return self._by_part[part]

    def ranges(self, target: Target) -> list[Range]:
        """Where a target's bytes lie in its file, in the order in which they are hashed."""
        if target.kind == "tensor":
            record = self.layout.records[target.number]
            return [(record.offset, record.nbytes)]
        if target.kind == "tensors":
            return [(record.offset, record.nbytes) for record in self.layout.of_part(target.number)]
        source = self.file_of(target).source
        size = 0 if source is None else source.size
        start = self.layout.parts[target.number].data_start if target.kind == "data" else 0
        return [(start, max(size - start, 0))]

    def hashes(
        self,
        wanted: Iterable[Wanted],
        *,
        store: Store | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Mapping[Wanted, str]:
        """The checksums of all that is wanted, what is needed of each file read once. The files must be there, and the bytes
        of the tensors be known. With a `store` what was worked out before is believed, and a pass that was broken off goes on.

        Raises FileChangedError; Cancelled as `progress` says.
        """
        by_file: dict[str, list[Wanted]] = {}
        for one in dict.fromkeys(wanted):
            by_file.setdefault(self.file_of(one.target).path, []).append(one)
        reads = [Reading(self, some, store) for some in by_file.values()]
        results = together([(read.nbytes, read.run) for read in reads], progress, threads)
        return {one: value for result in results for one, value in result.items()}

    def source_of(self, file: ModelFile) -> ByteSource:
        """The open file. Raises MissingFileError."""
        if file.source is None:
            raise MissingFileError(self.missing(file))
        return file.source

    def missing(self, file: ModelFile) -> Finding:
        """The finding for a file of the model that is not there."""
        return finding("missing_shard", f"{file.name}, a part of the model, is not there.", path=file.path)

    def _named(self, path: str) -> str:
        if is_url(path):
            return path.removeprefix(f"{self.root}/").partition("?")[0]
        return os.path.relpath(absolute(path), self.root).replace(os.sep, "/")


class Reading:
    """What is wanted of one file as streams: tensors that are the same bytes share one, the whole file has a lane of its own."""

    def __init__(self, contents: Contents, wanted: Sequence[Wanted], store: Store | None) -> None:
        self._source = contents.source_of(contents.file_of(wanted[0].target))
        self._memory = memory_of(store, self._source)
        self._streams: dict[tuple[str, tuple[Range, ...]], Stream] = {}
        self._stream_of: dict[Wanted, Stream] = {}
        self._out_of_order: list[Stream] = []
        lanes: dict[tuple[str, str], list[Stream]] = {}
        for one in wanted:
            asked = one.algorithm, tuple(contents.ranges(one.target))
            stream = self._streams.get(asked)
            if stream is None:
                stream = self._streams[asked] = Stream(*asked)
                ordered = rising(asked[1])
                (lanes.setdefault((one.target.kind, one.algorithm), []) if ordered else self._out_of_order).append(
                    stream
                )
            self._stream_of[one] = stream
        start = 0 if self._memory is None else self._memory.recall(self._streams)
        file_last = sorted(lanes.items(), key=lambda lane: lane[0][0] == "file")
        self._pass = Pass(self._source, [some for _, some in file_last], start)

    @property
    def nbytes(self) -> int:
        """How much has to be read."""
        return self._pass.nbytes

    def run(self, meter: Meter, threads: int) -> dict[Wanted, str]:
        """Work everything out."""
        memory, streams = self._memory, self._streams
        self._pass.run(meter, threads, None if memory is None else lambda at: memory.checkpoint(at, streams))
        for stream in self._out_of_order:
            if stream.digest is None:
                stream.follow(self._source, meter)
        if memory is not None:
            memory.keep(streams)
        return {one: stream.digest or "" for one, stream in self._stream_of.items()}


def _index_of(opened: Opened | Bare) -> ByteSource | None:
    """The index that stands for the model, opened once more, where it lies in the folder of the parts."""
    path = opened.layout.path
    inside = all(_within(part.path, os.path.dirname(absolute(path))) for part in opened.layout.parts)
    if not inside or any(part.path == path for part in opened.layout.parts):
        return None
    if any(problem.code == "missing_index" for problem in opened.layout.problems):
        return None
    return open_source(path)


def _root(opened: Opened | Bare) -> str:
    """The folder that names of files are relative to: the model's own, or that of the blobs of a store."""
    folder = os.path.dirname(absolute(opened.layout.path))
    if all(_within(part.path, folder) for part in opened.layout.parts):
        return folder
    return os.path.dirname(absolute(opened.layout.parts[0].path))


def _within(path: str, folder: str) -> bool:
    return absolute(path).startswith(os.path.join(folder, ""))
