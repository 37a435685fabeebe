"""What is left once every weight was put together: scales that belong to nothing, or lie beside weights read without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from weightmap.companions.base import Claim, Refusal, few, remark
from weightmap.companions.gate import CODES, LEFT
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FLOATS, same_numbers
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord

_SCALES = (
    *(
        *LEFT,
        ".weight_scale_inv",
        ".qscale_weight",
        ".weight_scales",
        ".weight_s_rel",
        ".weight_s_channel",
        "_proj_scale",
    ),
    *(".weight_zero_point", ".qzeros", ".qweight", ".weight_packed", "_blocks", ".comfy_quant"),
)
_MLX = (".scales", ".biases")
_LINEAR = (
    "_proj",
    "lm_head",
    "embed_tokens",
    ".fc1",
    ".fc2",
    ".gate",
    ".query",
    ".key",
    ".value",
    ".dense",
    ".c_attn",
    ".c_fc",
)
_WEAK = (*_MLX, ".qbiases", "_scales", ".scale")
"""Endings that other tensors have as well: meant where they hold bytes, or where weights here have parts that are called so."""

_FACTORS = (".weight_scale", ".weight_scale_inv", "_scale_inv", ".scale_weight", ".qscale_weight")
"""Endings of scales that are multiplied with the weight beside them."""

_BYTES = ("U8", "F8_E8M0")


def leftovers(parts: Parts, entries: Mapping[str, Claim | Refusal], owner: Mapping[str, str]) -> Iterator[Finding]:
    """Findings about tensors that are in no composed weight."""
    alone = parts.layout.partial
    orphans: list[TensorRecord] = []
    unread: list[TensorRecord] = []
    floats: list[TensorRecord] = []
    for name, record in parts.records.items():
        if name in owner or (ending := _ending(record, parts, owner)) is None:
            continue
        stem = name[: -len(ending)]
        weights = [entry for each in (stem, f"{stem}.weight") if (entry := entries.get(each)) is not None]
        plain = [found for each in (stem, f"{stem}.weight") if (found := parts.get(each)) is not None]
        if weights:
            unread += [] if _repeats(record, weights[0], parts) else [record]
        elif not plain:
            orphans.append(record)
        elif plain[0].type.name in CODES:
            unread += [record] if record.count != 1 else []
        elif ending in _FACTORS and _of_plain(record, ending, plain[0], parts, owner):
            floats.append(record)
    if orphans and not alone:
        belong = "belongs" if len(orphans) == 1 else "belong"
        text = f"{few(orphans)} {belong} to a quantized weight, but no tensor here is that weight."
        yield remark("orphan_scale", text, orphans[0], parts, expected="the weight's codes", found="none")
    if unread:
        lies = "lies" if len(unread) == 1 else "lie"
        text = f"{few(unread)} {lies} beside codes that are read without: nothing says what that is for."
        yield remark(
            "orphan_scale", text, unread[0], parts, expected="a part of the weight", found="none of its scheme"
        )
    if floats:
        lies = "lies" if len(floats) == 1 else "lie"
        text = (
            f"{few(floats)} {lies} beside weights that are stored as plain floats, which are shown as they are; a loader that "
            "takes them for quantized, as others here are, would scale them."
        )
        yield remark("orphan_scale", text, floats[0], parts, expected="codes", found="plain floats")
    yield from _doubled(parts, entries)


def _ending(record: TensorRecord, parts: Parts, owner: Mapping[str, str]) -> str | None:
    """The ending that makes a tensor a part of a quantized weight; None where it is none."""
    for endings in (_SCALES, _WEAK):
        if record.name.endswith(endings):
            ending = max((ending for ending in endings if record.name.endswith(ending)), key=len)
            shared = ending != ".scale" and any(name.endswith(ending) for name in owner)
            meant = record.type.name in _BYTES or shared or _of_mlx(record.name.removesuffix(ending), parts, owner)
            return ending if endings is _SCALES or meant else None
    return None


def _of_plain(record: TensorRecord, ending: str, weight: TensorRecord, parts: Parts, owner: Mapping[str, str]) -> bool:
    """Whether scales beside a plain matrix are such as weights here have, and would change it."""
    if len(weight.shape) < 2 or record.type.name not in FLOATS or not any(name.endswith(ending) for name in owner):
        return False
    numbers = parts.looked_at(record)
    return numbers is not None and bool((numbers != 1).any())


def _of_mlx(module: str, parts: Parts, owner: Mapping[str, str]) -> bool:
    """Whether scales and offsets of one shape are left of a weight: of MLX, beside quantized ones, or of a usual layer."""
    scales, offsets = (parts.get(module + ending) for ending in _MLX)
    if scales is None or offsets is None or scales.shape != offsets.shape or len(scales.shape) < 2:
        return False
    said = (
        owner
        or parts.config.method == "mlx"
        or parts.layout.metadata.get("format") == "mlx"
        or module.endswith(_LINEAR)
    )
    return bool(said) and f"{module}.weight" not in parts.records


def _repeats(record: TensorRecord, weight: Claim | Refusal, parts: Parts) -> bool:
    """Whether a tensor only says again what a part of the weight says, or nothing can be told of that weight anyway."""
    return isinstance(weight, Refusal) or any(same_numbers(record, source, parts) for source in weight.sources[1:])


def _doubled(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Finding]:
    """Weights that are there as plain tensors, too."""
    plain = [
        parts.records[name]
        for name, entry in entries.items()
        if isinstance(entry, Claim) and name in parts.records and all(source.name != name for source in entry.sources)
    ]
    if plain:
        text = (
            f"{few(plain)}, stored plainly, and the parts of a quantized weight beside it are both that weight: shown is what "
            "the parts make."
        )
        yield remark("doubled_weight", text, plain[0], parts, expected="one of them", found="both")
