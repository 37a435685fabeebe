"""What a weight lacks that others of its kind here have: codes their scales, weights their zeros or their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from weightmap.companions.base import Claim, Refusal, few, remark
from weightmap.companions.parts import Parts
from weightmap.findings import Finding, Severity

_OPTIONAL = (".qzeros", ".g_idx", "_g_idx", "_zero_point")
_FAMILIES = ("gptq", "pack", "int8", "torchao")
"""Parts that a weight of these schemes may do without."""

_IN_PLACE = (None, False, "weight", "static")  # words of compressed-tensors for columns that stay in their groups
_WHOLE = ("I8", "U8", "U32")  # types of codes that are no weight as they are
_EIGHTS = ("F8_E4M3", "F8_E5M2")


def lacking(parts: Parts, entries: Mapping[str, Claim | Refusal], owner: Mapping[str, str]) -> Iterator[Finding]:
    """A finding for each kind of part that some weights lack."""
    yield from _unscaled(parts, entries, owner)
    yield from _fewer(parts, entries)


def _unscaled(parts: Parts, entries: Mapping[str, Claim | Refusal], owner: Mapping[str, str]) -> Iterator[Finding]:
    """Codes without scales among others of their type that have some: of floats a note where ComfyUI's marker makes that normal."""
    scaled = {entry.sources[0].type.name for entry in entries.values() if isinstance(entry, Claim)}
    kinds = {kind for kind in scaled if kind in _WHOLE} | set(_EIGHTS if scaled.intersection(_EIGHTS) else ())
    bare = [
        record
        for name, record in parts.records.items()
        if record.type.name in kinds
        and len(record.shape) > 1
        and name.endswith("weight")
        and name not in owner
        and not parts.config.leaves_out(name.removesuffix(".weight"))
    ]
    if not bare:
        return
    marked = bare[0].type.name in _EIGHTS and any(name.endswith("scaled_fp8") for name in parts.records)
    what = "have" if len(bare) > 1 else "has"
    text = f"{few(bare)} {what} no scales, as other weights of {bare[0].type.name} here do: the codes are taken as the values."
    severity = Severity.INFO if marked else Severity.WARNING
    yield remark("scale_missing", text, bare[0], parts, severity=severity, expected="scales", found="none")


def _fewer(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Finding]:
    """Weights without zeros or an order, which most others of their family have: read as symmetric, and as neighbours share."""
    families: dict[str, list[Claim]] = defaultdict(list)
    for entry in entries.values():
        if isinstance(entry, Claim) and entry.scheme.startswith(_FAMILIES):
            families[entry.scheme.partition("_")[0]].append(entry)
    for claims in families.values():
        for ending in _OPTIONAL:
            bare = [one for one in claims if not any(source.name.endswith(ending) for source in one.sources)]
            without = [one.sources[0] for one in bare if not _denied(ending, one, parts)]
            if without and 2 * len(bare) < len(claims):
                what = "have" if len(without) > 1 else "has"
                text = f"{few(without)} {what} no {ending[1:]}, which the other weights here have: read as if none was meant."
                yield remark(
                    "scale_missing",
                    text,
                    without[0],
                    parts,
                    severity=Severity.WARNING,
                    expected=ending[1:],
                    found="none",
                )


def _denied(ending: str, claim: Claim, parts: Parts) -> bool:
    """Whether the config says of this weight that it has no such part: configs of several groups of modules differ in it."""
    said = parts.config.weights(claim.name.removesuffix(".weight"))
    if ending == "_zero_point":
        return said.get("symmetric") is True
    return ending == "_g_idx" and "actorder" in said and said["actorder"] in _IN_PLACE
