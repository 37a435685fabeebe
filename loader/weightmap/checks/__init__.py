"""Judges a layout: whether what the headers say makes sense together. Findings only; nothing here changes or raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from weightmap.findings import Finding
from weightmap.formats.layout import Layout
from weightmap.formats.metadata import Metadata
from weightmap.source.address import basename
from weightmap.source.byte_source import ByteSource

__all__ = ["check"]

NONSENSE = ("bad_length", "bad_count", "unknown_kv_type", "too_many_dims")
"""What is said of a GGUF's header where reading it ended, other than with the file."""


def check(
    layout: Layout, *, errors_only: bool = False, sources: Sequence[ByteSource | None] = ()
) -> tuple[Finding, ...]:
    """Everything that is said about headers and metadata, in a stable order: what the parser met first, then structure.

    With `errors_only` checks that cannot find an error are left out. `sources`, one per part, let the padding between
    tensors be looked at; without them it is not.
    """
    from weightmap.checks import (
        names,
        placement,
        structure,
        surplus,
    )  # opening and reading load none of this
    from weightmap.checks.spans import spans

    suspects, read = structure.suspects(layout), _read(layout)
    found = [*layout.problems, *structure.check(layout, suspects), *names.duplicates(read)]
    lying = spans(layout, suspects)
    found += surplus.check(layout, placement.check(layout, lying), sources)
    if not errors_only:
        from weightmap.checks import (  # their tables are not for who only loads
            architecture,
            emptied,
            file_type,
            metadata,
            padding,
            tail,
            unwritten,
        )

        found += names.check(read)
        found += metadata.check(layout)
        found += architecture.check(layout)
        found += emptied.check(layout)
        found += file_type.check(layout)
        found += padding.check(layout, lying, sources)
        holes = unwritten.check(lying, sources)
        told = {one.path for one in holes}  # of zeros up to their end as well, where that is a hole
        found += [*holes, *tail.check(layout, [span for span in lying if span.part.path not in told], sources)]
    return (
        tuple(found) if len(layout.parts) == 1 else tuple(_naming_part(layout, one) for one in _of_parts(layout, found))
    )


def _read(layout: Layout) -> Layout:
    """The layout without what was read of headers that make no sense at some place: what its names say is the same fault."""
    lost = {
        number
        for number, part in enumerate(layout.parts)
        if not part.located and any(one.path == part.path and one.code in NONSENSE for one in layout.problems)
    }
    if not lost:
        return layout
    records = tuple(record for record in layout.records if record.part not in lost)
    return replace(layout, records=records, metadata=Metadata(()) if 0 in lost else layout.metadata)


def _of_parts(layout: Layout, found: Sequence[Finding]) -> Iterator[Finding]:
    """Of a set: the findings, those about a key with the path of the file that has it instead of the set's."""
    holders: dict[str, str] = {}
    for part, header in zip((part for part in layout.parts if part.size is not None), layout.headers, strict=False):
        for key in header:
            holders.setdefault(key, part.path)
    first = layout.parts[0].path if layout.format == "gguf" else layout.path
    for one in found:
        if one.key is None or one.tensor is not None or one.path != layout.path:
            yield one
        else:
            yield replace(one, path=holders.get(one.key, first))


def _naming_part(layout: Layout, one: Finding) -> Finding:
    """Of a set: the same finding with the name of its file in the sentence, which many places show without the path."""
    name = basename(one.path or "")
    of_all = one.path == layout.path and (one.tensor, one.key, one.offset) == (None, None, None)
    if of_all or (one.path == layout.path and not any(part.path == one.path for part in layout.parts[1:])):
        return one
    if name in one.message:
        return one
    return replace(one, message=f"In {name}: {one.message}")
