"""A file on one page: its headline, the state of its four parts, its types, and the sentence that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import weightmap
from tensorloupe.files import places
from tensorloupe.items.arrangement import Totals, totals, whole_totals
from tensorloupe.items.findings import told
from tensorloupe.items.outline import Outline
from tensorloupe.items.standing import Scan, standing
from tensorloupe.style import text

_METADATA = {"unknown_kv_type", "nested_array", "nesting_too_deep", "duplicate_key", "bad_metadata", "missing_arch"}
_METADATA |= {"unknown_arch", "wrong_kv_type", "bad_bool", "chat_template", "hyperparameter"}
_DATA = {"truncated", "out_of_bounds", "overlap", "gap", "tensor_order", "unaligned_offset", "trailing_bytes"}
_DATA |= {"nonzero_padding", "missing_shard", "non_finite", "all_zero", "zeroed_stretch"}
_DATA |= {"text_mode", "begun_again", "unfinished_download"}
_HEADER = {"bad_header", "header_start", "bad_count", "bad_alignment", "unsupported_version", "old_version"}
_HEADER |= {"big_endian", "byte_swapped_magic", "extension_mismatch", "shard_mismatch", "lone_shard", "index_mismatch"}
_HEADER |= {"missing_index", "stale_index"}


class PartState(NamedTuple):
    """The state of header, metadata, tensor table or tensor data."""

    title: str
    status: str
    said: str


class TypeRow(NamedTuple):
    """One stored type: how many tensors, how many of them are whole, how many bytes, which share of those is there."""

    name: str
    tensors: int
    whole: int
    nbytes: int
    share: float
    of_largest: float


class Trouble(NamedTuple):
    """What a strip says: one sentence, and what follows from it."""

    status: str
    sentence: str
    consequence: str


class Summary(NamedTuple):
    """Everything that the file page shows beside the byte map; escaped text."""

    name: str
    form: str
    architecture: str
    size: int
    promised: int
    totals: Totals
    status: str
    verdict: str
    note: str
    parts: tuple[PartState, ...]
    types: tuple[TypeRow, ...]
    trouble: Trouble | None


def summarize(model: weightmap.WeightFile, outline: Outline, keys: int) -> Summary:
    """The page of an open model before anything in it was checked: `updated` adds what was found."""
    stands = standing(None)
    size = sum(part.size or 0 for part in model.parts)
    promised = sum(max(part.size or 0, end) for part, end in zip(model.parts, _ends(model), strict=True))
    whole = whole_totals(outline)
    architecture = model.metadata.get("general.architecture") if model.format == "gguf" else None
    return Summary(
        name=weightmap.printable(places.name(model.path)),
        form=form_of(model),
        architecture=weightmap.printable(architecture) if isinstance(architecture, str) else "",
        size=size,
        promised=promised,
        totals=whole,
        status=stands.status,
        verdict=stands.verdict,
        note=stands.note,
        parts=_states(model, None, whole, keys),
        types=_types(outline),
        trouble=None,
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
        parts=_states(model, findings, summary.totals, len(model.metadata)),
        trouble=_trouble(findings, summary.totals, summary.promised - summary.size, stands.status),
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


def _states(
    model: weightmap.WeightFile, findings: Sequence[weightmap.Finding] | None, whole: Totals, keys: int
) -> tuple[PartState, ...]:
    def state(title: str, belongs: Callable[[weightmap.Finding], bool], healthy: str, said: str) -> PartState:
        if findings is None:
            return PartState(title, "unchecked", said)
        own = [finding for finding in findings if belongs(finding)]
        rank = max((finding.severity for finding in own), key=lambda severity: severity.rank, default=None)
        status = "ok" if rank is None else str(rank)
        return PartState(title, status, said + (healthy if status in ("ok", "info") else f", {standing(own).verdict}"))

    order = f"{model.byte_order}-endian"
    data = f"{text.percent(whole.share, 1)} of {text.size(whole.nbytes)} is there"
    return (
        state("Header", lambda f: f.code in _HEADER, "", f"{form_of(model)}, {order}"),
        state("Metadata", _about_metadata, ", all complete" if keys else "", text.counted(keys, "key")),
        state("Tensor table", _about_table, ", all complete" if whole.tensors else "", _entries(whole.tensors)),
        state("Tensor data", lambda f: f.code in _DATA, ", all there" if whole.share >= 1 and whole.nbytes else "",
              text.size(whole.nbytes))
        if whole.share >= 1
        else PartState("Tensor data", "error", data),
    )  # fmt: skip


def _entries(count: int) -> str:
    return text.counted(count, "entry", "entries")


def _about_metadata(finding: weightmap.Finding) -> bool:
    return finding.code in _METADATA or (finding.key is not None and finding.code not in _HEADER | _DATA)


def _about_table(finding: weightmap.Finding) -> bool:
    return not _about_metadata(finding) and finding.code not in _HEADER | _DATA


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
        TypeRow(name, held.tensors, held.whole, held.nbytes, held.share, held.nbytes / largest) for name, held in rows
    )


def _trouble(findings: Sequence[weightmap.Finding], whole: Totals, missing: int, status: str) -> Trouble | None:
    worst = next((finding for finding in findings if finding.severity == status), None)
    if status not in ("error", "warning") or worst is None:
        return None
    others = sum(1 for finding in findings if finding.severity in ("error", "warning")) - 1
    more = f" {text.counted(others, 'more finding')} under Findings." if others else ""
    if missing > 0 and whole.whole < whole.tensors:
        lost = whole.tensors - whole.whole
        of = f"{text.count(whole.whole)} of {text.counted(whole.tensors, 'tensor')}"
        cut = f"{of} {_is(whole.whole)} whole and can be read. {text.count(lost)} {_is(lost)} cut or missing."
        return Trouble(status, f"The file ends {text.size(missing)} early.", cut)
    advice = f" {weightmap.printable(worst.advice)}" if worst.advice else ""
    return Trouble(status, told(worst), (advice + more).strip())


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
