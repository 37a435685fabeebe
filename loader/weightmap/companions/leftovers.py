"""What is left once every weight was put together: scales that belong to nothing, and codes whose neighbours have scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from weightmap.companions.base import Claim, Refusal, named, remark
from weightmap.companions.parts import Parts
from weightmap.findings import Finding, Severity
from weightmap.formats.layout import TensorRecord

_SCALES: tuple[str, ...] = (
    ".weight_scale_inv",
    ".weight_scale",
    ".weight_scale_2",
    ".scale_weight",
    ".SCB",
    ".absmax",
    ".qzeros",
)
_SCALES += (".weight_global_scale", ".weight_packed", ".qweight", "_scale_inv", "_blocks", ".weight_zero_point")
_SCALES += (".comfy_quant", ".weight_s_rel", ".weight_s_channel")
_SCALES += (".biases", "._weight_scale")
_FLOATS = ("F8_E4M3", "F8_E5M2")
SHOWN = 3


def leftovers(parts: Parts, entries: Mapping[str, Claim | Refusal], owner: Mapping[str, str]) -> Iterator[Finding]:
    """Findings about tensors that are in no composed weight."""
    alone = any(problem.code in ("lone_shard", "missing_shard") for problem in parts.layout.problems)
    orphans = [
        record
        for name, record in parts.records.items()
        if name.endswith(_SCALES) and name not in owner and not _has_weight(name, parts)
    ]
    if orphans and not alone:
        text = f"{_few(orphans)} belong to a quantized weight, but no tensor here is that weight."
        text = text.replace(" belong ", " belongs ") if len(orphans) == 1 else text
        yield remark("orphan_scale", text, orphans[0], parts, expected="the weight's codes", found="none")
    yield from _unscaled(parts, entries, owner)


def _has_weight(name: str, parts: Parts) -> bool:
    """Whether the weight is there, stored plainly: what lies beside it then is no business of ours."""
    stem = next(name[: -len(ending)] for ending in _SCALES if name.endswith(ending))
    return stem in parts.records or f"{stem}.weight" in parts.records


def _unscaled(parts: Parts, entries: Mapping[str, Claim | Refusal], owner: Mapping[str, str]) -> Iterator[Finding]:
    """Weights of 8-bit floats without scales among others that have some: a note where ComfyUI's marker makes that normal."""
    scaled = any(entry.sources[0].type.name in _FLOATS for entry in entries.values() if isinstance(entry, Claim))
    bare = [
        record
        for name, record in parts.records.items()
        if record.type.name in _FLOATS and len(record.shape) > 1 and name.endswith("weight") and name not in owner
    ]
    if not scaled or not bare or parts.config.method:
        return
    marked = any(name.endswith("scaled_fp8") for name in parts.records)
    what = "have" if len(bare) > 1 else "has"
    text = f"{_few(bare)} {what} no scales, as other weights of {bare[0].type.name} here do: the codes are taken as the values."
    severity = Severity.INFO if marked else Severity.WARNING
    yield remark("scale_missing", text, bare[0], parts, severity=severity, expected="scales", found="none")


def _few(records: list[TensorRecord]) -> str:
    """The first names and how many more there are."""
    shown = named(*records[:SHOWN])
    return shown if len(records) <= SHOWN else f"{shown} and {len(records) - SHOWN:,} more"
