"""Weights of which an index or a header lists parts that no file tells how to read: what is there is read as no weight.

Codes without scales would pass for a plain cast, zeros that are gone for a symmetric weight, an order for none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from weightmap.companions.base import Claim, Refusal, named, refusal
from weightmap.companions.gate import CODES
from weightmap.companions.parts import Parts
from weightmap.errors import printable
from weightmap.formats.layout import TensorRecord

PARTS = (
    *("_scale", "_scale_inv", "_scale_2", "_global_scale", "_zero_point", "_shape", "_g_idx", "_s_rel", "_s_channel"),
    *("_codebook", "_correction", "_zeros", "_weight_scale", "_weight_scale_2", "_scales"),
    *(".scales", ".scale", ".qzeros", ".g_idx", ".biases", ".qbiases", ".SCB", ".comfy_quant", ".global_scale"),
    *(".scale_weight", ".qscale_weight", ".weight_scales", ".absmax", ".quant_map", ".nested_absmax"),
    *(".nested_quant_map", ".bitsandbytes__nf4", ".bitsandbytes__fp4", "._weight_scale", "._weight_zero_point"),
)
"""Endings of what a weight's values depend on, behind its own name or that of its module."""

_BETWEEN = ("", ".quant_state", ".weight")
SHOWN = 3


def out_of_reach(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Refusal]:
    """A refusal for each weight that can be read, or would pass for a plain one, and is not whole."""
    lost: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(parts.layout.absent):
        if name in parts.records:
            continue
        for owner in dict.fromkeys(_owners(name)):
            if isinstance(entries.get(owner), Claim) or _bare(owner, entries, parts) is not None:
                lost[owner].append(name)
                break
    for owner, names in lost.items():
        entry = entries.get(owner)
        record = parts.records[owner] if entry is None else entry.sources[0]
        shown = ", ".join(map(printable, names[:SHOWN])) + (
            f" and {len(names) - SHOWN:,} more" if names[SHOWN:] else ""
        )
        text = (
            f"{named(record)} belongs to {shown}, which is listed, but in no file at hand in a form that can be read: its values "
            "cannot be told."
        )
        scheme, shape, sources = (
            ("unscaled", record.shape, (record,)) if entry is None else (entry.scheme, entry.shape, entry.sources)
        )
        yield refusal("scale_missing", text, owner, scheme, sources, parts, shape=shape, expected=shown, found="none")


def _owners(name: str) -> Iterator[str]:
    """Names that a weight with a part of this name may have."""
    for ending in PARTS:
        if not name.endswith(ending):
            continue
        stem = name[: -len(ending)]
        for between in _BETWEEN:
            if stem.endswith(between):
                module = stem.removesuffix(between)
                yield from (module, f"{module}.weight")


def _bare(name: str, entries: Mapping[str, Claim | Refusal], parts: Parts) -> TensorRecord | None:
    """The tensor of this name, if it is no part of a weight and of a type that codes have."""
    record = parts.records.get(name)
    if record is None or name in entries or record.type.name not in CODES or len(record.shape) < 2:
        return None
    return record
