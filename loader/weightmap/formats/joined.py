"""The parts of a set as one Layout."""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.findings import Finding
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.formats.metadata import Entry, Metadata
from weightmap.source.address import shown


def joined(path: str, paths: Sequence[str], parts: Sequence[Layout | None], problems: list[Finding]) -> Layout:
    """One Layout over all parts. The metadata has what each part says under keys that no part before it has."""
    present = [part for part in parts if part is not None]
    files: list[Part] = []
    records: list[TensorRecord] = []
    entries: list[Entry] = []
    met: set[str] = set()
    for number, part in enumerate(parts):
        files.append(Part(shown(paths[number]), None) if part is None else part.parts[0])
        records += [r._replace(part=number) for r in part.records] if part is not None and number else []
        records += part.records if part is not None and not number else ()
    for part in present:
        own = [entry for entry in part.metadata.entries if entry.key not in met]
        met.update(entry.key for entry in own)
        entries += own
    first = present[0] if present else None
    said = [problem for part in present for problem in part.problems]
    return Layout(
        format=first.format if first else "safetensors",
        path=path,
        parts=tuple(files),
        records=tuple(records),
        metadata=Metadata(tuple(entries)),
        version=first.version if first else None,
        byte_order=first.byte_order if first else "little",
        alignment=first.alignment if first else 1,
        problems=(*said, *problems),
        absent=tuple(name for part in present for name in part.absent),
        headers=tuple(part.metadata for part in present),
    )
