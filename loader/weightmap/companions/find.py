"""Which tensors of a model belong together: every scheme looks at the tensors whose names end as its own do, the first one wins."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from weightmap.checks.extent import unreadable
from weightmap.companions.base import Claim, Refusal, Scheme, remark
from weightmap.companions.checking.lacking import lacking
from weightmap.companions.checking.leftovers import leftovers
from weightmap.companions.checking.low_rank import with_low_rank
from weightmap.companions.checking.out_of_reach import out_of_reach
from weightmap.companions.checking.stale import contradictions
from weightmap.companions.config import read_quant_config
from weightmap.companions.gate import Found
from weightmap.companions.parts import Parts
from weightmap.companions.schemes.inputs import with_inputs
from weightmap.companions.schemes.registry import SCHEMES
from weightmap.errors import WeightFileError, printable
from weightmap.findings import MORE, Finding, Severity
from weightmap.folding import opening
from weightmap.formats.layout import Layout, TensorRecord
from weightmap.source.byte_source import ByteSource

MOST = {Severity.INFO: 1}
"""So many findings of one kind are given one by one (of the others OTHERWISE); the rest is counted."""

OTHERWISE = 8


def find(layout: Layout, sources: Sequence[ByteSource | None]) -> Found:
    """Put the tensors of a model together; small companions and the config are read.

    Raises FileChangedError and the like, never for what tensors hold.
    """
    records: dict[str, TensorRecord] = {}
    for record in layout.records:
        records.setdefault(record.name, record)
    parts = Parts(layout, sources, read_quant_config(layout), records)
    entries: dict[str, Claim | Refusal] = {}
    owner: dict[str, str] = {}
    for scheme, stem, record in _candidates(records):
        if record.name in owner:
            continue
        entry = _looked_at(scheme, stem, record, parts)
        if entry is not None and entry.name not in entries:
            entries[entry.name] = entry
            owner.update((source.name, entry.name) for source in entry.sources)
    lost = set()
    for refused in out_of_reach(parts, entries) if layout.absent else ():
        lost.add(refused.name)
        entries[refused.name] = refused
        owner.update((source.name, refused.name) for source in refused.sources)
    place = {name: at for at, name in enumerate(records)}
    ordered = dict(sorted(entries.items(), key=lambda item: place.get(item[1].sources[0].name, 0)))
    said = [*parts.config.findings, *_said(ordered, lost), *leftovers(parts, ordered, owner)]
    said += [*lacking(parts, ordered, owner), *contradictions(parts, ordered)]
    return Found(ordered, owner, tuple(said))


def _candidates(records: Mapping[str, TensorRecord]) -> Iterator[tuple[Scheme, str, TensorRecord]]:
    """(scheme, name without the ending, record) in the order of the schemes, then of the file."""
    known: dict[tuple[str, str], list[tuple[int, int]]] = {}
    found: list[list[tuple[str, TensorRecord]]] = [[] for _ in SCHEMES]
    for name, record in records.items():
        tail, kind = name[max(name.rfind("."), 0) :], record.type.name
        fitting = known.get((tail, kind))
        if fitting is None:
            fitting = known[tail, kind] = _fitting(tail, kind)
        for number, length in fitting:
            found[number].append((name[: len(name) - length], record))
    for scheme, several in zip(SCHEMES, found, strict=True):
        for stem, record in several:
            yield scheme, stem, record


def _fitting(tail: str, kind: str) -> list[tuple[int, int]]:
    """(number of the scheme, length of the ending) of every scheme that a name with this last part may belong to."""
    fitting = []
    for number, scheme in enumerate(SCHEMES):
        if scheme.types and kind not in scheme.types:
            continue
        lengths = [len(ending) for ending in scheme.endings if tail.endswith(ending)]
        fitting += [(number, max(lengths))] if lengths else []
    return fitting


def _looked_at(scheme: Scheme, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
    """What the scheme says; a refusal where a tensor that it needs cannot be read."""
    try:
        entry = scheme.find(stem, record, parts)
    except WeightFileError as problem:
        if problem.tensor is None or problem.code in ("file_changed", "closed", "read_error"):
            raise
        return Refusal(scheme.weight(stem), scheme.name, record.shape, (record,), problem.finding, known=True)
    if isinstance(entry, Claim):
        for source in entry.sources:
            if (finding := unreadable(parts.layout, source)) is not None:
                return Refusal(entry.name, entry.scheme, entry.shape, entry.sources, finding, known=True)
        return with_inputs(with_low_rank(_with_assumption(entry, parts), parts), parts)
    if entry is not None and any(unreadable(parts.layout, source) is not None for source in entry.sources):
        return replace(entry, known=True)  # what is wrong with a tensor is said of it
    return entry


def _with_assumption(claim: Claim, parts: Parts) -> Claim:
    """The claim, with a note of what it assumes."""
    if claim.assumed is None:
        return claim
    others = ", ".join(f'"{printable(name)}"' for name in claim.others)
    text = f"{claim.assumed} The weight is {printable(claim.name)}" + (
        f"; it can be read otherwise: {others}." if others else "."
    )
    return replace(claim, findings=(*claim.findings, remark("assumed_reading", text, claim.sources[0], parts)))


def _said(entries: Mapping[str, Claim | Refusal], lost: Container[str]) -> list[Finding]:
    """Every finding of the weights; of many of one kind the first ones, the last of which says how many more there are. Of those
    that are `lost` with a part of the set, which is said of it, the first one.
    """
    kept: list[Finding] = []
    places: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    more: Counter[int] = Counter()
    for name, entry in entries.items():
        own = entry.findings if isinstance(entry, Claim) else () if entry.known else (entry.finding,)
        for finding in own:
            most = 1 if name in lost else MOST.get(finding.severity, OTHERWISE)
            told = places[finding.code, finding.severity, most, opening(finding)]
            if len(told) < most:
                told.append(len(kept))
                kept.append(finding)
            else:
                more[told[-1]] += 1
    return [
        replace(one, message=one.message + MORE.format(more[at])) if at in more else one for at, one in enumerate(kept)
    ]
