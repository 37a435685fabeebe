"""One file: what it is, and its layout, parsed or recalled."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from weightmap import telemetry
from weightmap.errors import WeightFileError, error
from weightmap.findings import Finding, finding
from weightmap.formats import gguf, imatrix, line_ends, repeats, safetensors
from weightmap.formats.layout import Layout
from weightmap.formats.sniff import misnamed, sniff
from weightmap.source.byte_source import ByteSource
from weightmap.source.places import open_source

PARSERS = {"gguf": gguf.parse, "safetensors": safetensors.parse, "imatrix": imatrix.parse}


class Memory(Protocol):
    """Layouts of files that were parsed before. What it gives equals what parsing would."""

    def recall(self, source: ByteSource) -> Layout | None: ...
    def parsed(self, source: ByteSource, layout: Layout) -> None: ...


def recalled(source: ByteSource, memory: Memory | None) -> tuple[str, Layout | None]:
    """What a file is, and its layout where it was parsed before."""
    known = None if memory is None else memory.recall(source)
    if known is not None:
        return known.format, known
    try:
        return sniff(source), None
    except WeightFileError as problem:
        if problem.code != "bad_header":  # it is something else, which says more than what repeats or ends lines in it
            raise
        raise _explained(problem, source) from None


def parsed(source: ByteSource, format: str, memory: Memory | None) -> Layout:
    """The layout from the file's header, for `memory` to keep."""
    with telemetry.span("header_parse", path=source.path, format=format) as span:
        try:
            layout = PARSERS[format](source)
        except WeightFileError as problem:
            raise _explained(problem, source) from None
        if not layout.parts[0].located:
            layout = replace(layout, problems=tuple(_caused(one, source) for one in layout.problems))
        span.set(tensors=len(layout.records), keys=len(layout.metadata))
    if memory is not None:
        memory.parsed(source, layout)
    return layout


def named(source: ByteSource, format: str, layout: Layout) -> Layout:
    """The layout with what its name, and the place that it is read from, give to say."""
    said = (*source.notes, *misnamed(source.path, format))
    return replace(layout, problems=(*layout.problems, *said)) if said else layout


def part(path: str, format: str, sources: list[ByteSource | None], memory: Memory | None) -> tuple[ByteSource, Layout]:
    """One more file of a set, which is added to `sources`; it must be of the set's format."""
    source = open_source(path)
    sources.append(source)
    found, known = recalled(source, memory)
    if found != format:
        text = f"A part of the set should be {format}, but its content is {found}."
        raise error(finding("shard_mismatch", text, path=source.path, expected=format, found=found))
    return source, named(source, format, known or parsed(source, format, memory))


def _caused(one: Finding, source: ByteSource) -> Finding:
    return _explained(error(one), source).finding if one.severity == "error" else one


def _explained(problem: WeightFileError, source: ByteSource) -> WeightFileError:
    return repeats.explained(line_ends.explained(problem, source), source)
