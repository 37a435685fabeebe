"""A file on one page: its headline, the state of its four parts, its types, and the sentence that says what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import weightmap
from tensorloupe.files import places
from tensorloupe.items.arrangement import Totals, totals, whole_totals
from tensorloupe.items.fileparts import PartState, located, part_states
from tensorloupe.items.findings import told
from tensorloupe.items.outline import Outline
from tensorloupe.items.standing import Scan, standing
from tensorloupe.style import text


class TypeRow(NamedTuple):
    """One stored type: how many tensors, how many of them are whole, how many bytes, which share of those is there; and of
    how many tensors nobody knows where they lie.
    """

    name: str
    tensors: int
    whole: int
    nbytes: int
    share: float
    of_largest: float
    unlocated: int


class Trouble(NamedTuple):
    """What a strip says: one sentence, and what follows from it."""

    status: str
    sentence: str
    consequence: str


class Summary(NamedTuple):
    """Everything that the file page shows beside the byte map; escaped text.

    counted  tensors that the file speaks of; more than were read where a header breaks off
    nothing  the sentence for where there are no types
    begins   where files begin anew inside themselves, as (part, byte)
    """

    name: str
    form: str
    architecture: str
    size: int
    promised: int
    counted: int
    totals: Totals
    status: str
    verdict: str
    note: str
    parts: tuple[PartState, ...]
    types: tuple[TypeRow, ...]
    trouble: Trouble | None
    nothing: str
    begins: tuple[tuple[int, int], ...]


def summarize(model: weightmap.WeightFile, outline: Outline, keys: int) -> Summary:
    """The page of an open model before anything in it was checked: `updated` adds what was found."""
    stands = standing(None)
    size = sum(part.size or 0 for part in model.parts)
    promised = sum(
        max(part.size or 0, end if part.located else 0) for part, end in zip(model.parts, _ends(model), strict=True)
    )
    whole = whole_totals(outline)
    counted = whole.tensors + _behind_breaks(model)
    architecture = model.metadata.get("general.architecture") if model.format == "gguf" else None
    return Summary(
        name=weightmap.printable(places.name(model.path)),
        form=form_of(model),
        architecture=weightmap.printable(architecture) if isinstance(architecture, str) else "",
        size=size,
        promised=promised,
        counted=counted,
        totals=whole,
        status=stands.status,
        verdict=stands.verdict,
        note=stands.note,
        parts=part_states(model, form_of(model), None, whole, keys, counted),
        types=_types(outline),
        trouble=None,
        begins=(),
        nothing="The file holds no tensors." if located(model) else "The header breaks off before its tensors.",
    )


def updated(
    summary: Summary, model: weightmap.WeightFile, findings: Sequence[weightmap.Finding], scan: Scan
) -> Summary:
    """The same page with what is known by now: findings may have come, and a look at the values begun or ended."""
    stands = standing(findings, scan)
    return summary._replace(
        status=stands.status,
        verdict=stands.verdict,
        note=stands.note,
        parts=part_states(model, form_of(model), findings, summary.totals, len(model.metadata), summary.counted),
        trouble=_trouble(findings, summary.totals, summary.promised - summary.size, stands.status),
        begins=_begins(model, findings),
    )


def form_of(model: weightmap.WeightFile) -> str:
    """The format in a word or two: "GGUF v3", "safetensors"."""
    name = {"gguf": "GGUF"}.get(model.format, model.format)
    return f"{name} v{model.version}" if model.version is not None else name


def _ends(model: weightmap.WeightFile) -> list[int]:
    ends = [0] * len(model.parts)
    for tensor in model.records:
        ends[tensor.part] = max(ends[tensor.part], tensor.offset + tensor.nbytes)
    return ends


def _behind_breaks(model: weightmap.WeightFile) -> int:
    """How many tensors headers speak of behind the places where they break off."""
    read = Counter(tensor.part for tensor in model.records)
    broken = [(number, part) for number, part in enumerate(model.parts) if part.breaks_in == "tensors"]
    return sum((part.counted or 0) - read[number] for number, part in broken)


def _begins(model: weightmap.WeightFile, findings: Sequence[weightmap.Finding]) -> tuple[tuple[int, int], ...]:
    places = {part.path: number for number, part in enumerate(model.parts)}
    anew = [one for one in findings if one.code == "begun_again" and one.path in places]
    return tuple((places[one.path], one.offset) for one in anew if one.path is not None and one.offset is not None)


def _types(outline: Outline) -> tuple[TypeRow, ...]:
    rows = []
    kinds = outline.types[: outline.stored]
    for name in dict.fromkeys(kinds):
        members = np.array([number for number, kind in enumerate(kinds) if kind == name], dtype=np.int64)
        held = totals(outline, members)
        rows.append((name, held))
    largest = max((held.nbytes for _, held in rows), default=0) or 1
    rows.sort(key=lambda row: -row[1].nbytes)
    return tuple(
        TypeRow(name, held.tensors, held.whole, held.nbytes, held.share, held.nbytes / largest, held.unlocated)
        for name, held in rows
    )


def _trouble(findings: Sequence[weightmap.Finding], whole: Totals, missing: int, status: str) -> Trouble | None:
    worst = next((finding for finding in findings if finding.severity == status), None)
    if status not in ("error", "warning") or worst is None:
        return None
    others = sum(1 for finding in findings if finding.severity in ("error", "warning")) - 1
    more = f" {text.counted(others, 'more finding')} under Findings." if others else ""
    if missing > 0 and whole.whole < whole.tensors and any(finding.code == "truncated" for finding in findings):
        lost = whole.tensors - whole.whole
        of = f"{text.count(whole.whole)} of {text.counted(whole.tensors, 'tensor')}"
        are = _is(whole.whole) if whole.tensors > 1 else "is"
        cut = f"{of} {are} whole and can be read. {text.count(lost)} {_is(lost)} cut or missing."
        return Trouble(status, f"The file ends {text.size(missing)} early.", cut)
    advice = f" {weightmap.printable(worst.advice)}" if worst.advice else ""
    return Trouble(status, told(worst), (advice + more).strip())


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
