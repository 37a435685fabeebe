"""Each tensor by itself: whether its values can be had. One cause, few findings, however many tensors it hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import add

from weightmap.checks.extent import MOST_DIMS, left_out, needed, unreadable
from weightmap.errors import printable
from weightmap.findings import Finding, finding, limited
from weightmap.formats.layout import Layout, TensorRecord, listed
from weightmap.types.base import StoredType

PAST_THE_END = ("truncated", "out_of_bounds")


def check(layout: Layout, suspects: Sequence[TensorRecord]) -> list[Finding]:
    """Findings about single tensors, of which only `suspects` need a look, and about the file having none."""
    found: list[Finding] = []
    damaged = [(record, problem) for record in suspects if (problem := unreadable(layout, record)) is not None]
    for _, pairs in groupby(sorted(damaged, key=_part_of), _part_of):
        found += _past_the_end(layout, list(pairs))
    found += limited(problem for _, problem in damaged if problem.code not in PAST_THE_END)
    most_dims = max(map(len, layout.columns.shapes), default=0)
    if layout.format == "gguf" and most_dims > 4:  # elsewhere kernels over time and space have five
        found += limited(_many_dims(layout, record) for record in layout.records if 4 < len(record.shape) <= MOST_DIMS)
    if not layout.records and all(
        part.located and part.size is not None and not left_out(layout, part) for part in layout.parts
    ):
        found.append(finding("no_tensors", "The file has no tensors (0 tensors).", path=layout.path))
    return found


def suspects(layout: Layout) -> list[TensorRecord]:
    """Records that `unreadable` may have a reason for, in file order.

    In a part that tells no tensor's place none is listed: the reason stands among the layout's problems once.
    """
    if _ordinary(layout):
        return []
    sizes = [-1 if part.size is None else part.size for part in layout.parts]
    located = [part.located for part in layout.parts]
    needs: dict[tuple[StoredType, tuple[int, ...]], int] = {}  # a model has few kinds
    found = []
    for r in layout.records:
        kind = r.type, r.shape
        need = needs.get(kind)
        if need is None:
            need = needs[kind] = needed(*kind)
        if not 0 < r.nbytes == need <= sizes[r.part] - r.offset and located[r.part]:
            found.append(r)
    return found


def _ordinary(layout: Layout) -> bool:
    """Whether all tensors lie in one file, and `suspects` has none, told by kinds of tensors instead of one by one."""
    part, columns = layout.parts[0], layout.columns
    if len(layout.parts) > 1 or not part.located or part.size is None:
        return False
    kinds = set(zip(columns.types, columns.shapes, columns.nbytes, strict=True))
    return all(0 < nbytes == needed(type, shape) for type, shape, nbytes in kinds) and (
        max(map(add, columns.offsets, columns.nbytes), default=0) <= part.size
    )


def _part_of(damaged: tuple[TensorRecord, Finding]) -> int:
    return damaged[0].part


def _past_the_end(layout: Layout, damaged: list[tuple[TensorRecord, Finding]]) -> list[Finding]:
    """Of one file: each wrong offset; of tensors that a cut took away the first one, and once how many it took whole."""
    wrong = limited(problem for _, problem in damaged if problem.code == "out_of_bounds")
    cut = sorted((pair for pair in damaged if pair[1].code == "truncated"), key=lambda pair: pair[0].offset)
    if not cut:
        return wrong
    first, problem = cut[0]
    part = layout.parts[first.part]
    size = part.size or 0
    total = len(layout.of_part(first.part))
    end = max(record.offset + record.nbytes for record, _ in cut)
    verb = "is" if len(cut) == 1 else "are"
    found = [replace(problem, message=f"{problem.message} {len(cut):,} of {total:,} tensors {verb} affected.")]
    if lost := [record for record, _ in cut if record is not first]:
        name = printable(lost[0].name)
        which = f"1 more tensor, {name}, lies" if len(lost) == 1 else f"{len(lost):,} more tensors, from {name} on, lie"
        text = (
            f"{which} past the end of the file, which has {size:,} bytes: {end - size:,} bytes are missing altogether."
        )
        needed, there = f"a file of {end:,} bytes", f"{size:,} bytes"
        found.append(finding("truncated", text, path=part.path, offset=size, expected=needed, found=there))
    return found + wrong


def _many_dims(layout: Layout, record: TensorRecord) -> Finding:
    dims = len(record.shape)
    return finding(
        "too_many_dims",
        f"Tensor {printable(record.name)} has {dims} dimensions; llama.cpp stops at four.",
        **listed(layout.parts[record.part], record),
        expected="at most 4",
        found=dims,
        advice="It reads well here; other loaders may refuse the file.",
    )
