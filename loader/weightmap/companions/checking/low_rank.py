"""Products of two narrow matrices that a layer adds to a quantized weight: said where they lie beside it, and not added.

SVDQuant takes such a product off before quantizing, adapters learn one afterwards. Either way the codes stand for a part of what
the layer computes with.
"""

from __future__ import annotations

from dataclasses import replace

from weightmap.companions.base import Claim, named, remark
from weightmap.companions.parts import Parts
from weightmap.errors import printable

PAIRS = (
    ("svdquant_lora_a", "svdquant_lora_b"),
    ("lora_A.weight", "lora_B.weight"),
    ("lora_A.default.weight", "lora_B.default.weight"),
    ("proj_down", "proj_up"),
    ("lora_down", "lora_up"),
)
"""Endings of both factors, (rank, columns) and (rows, rank) or turned round, as writers call them."""

_ENDS = tuple(f".{factor}" for pair in PAIRS for factor in pair)

_INNER = ".base_layer"  # where an adapter keeps the layer that it is put around


def with_low_rank(claim: Claim, parts: Parts) -> Claim:
    """The claim, with a note where a product is added to the weight."""
    if not parts.once("low rank", lambda: any(name.endswith(_ENDS) for name in parts.records)):
        return claim
    module = claim.name.removesuffix(".weight")
    for stem in dict.fromkeys((module, module.removesuffix(_INNER))):
        for down, up in PAIRS:
            first, second = parts.get(f"{stem}.{down}"), parts.get(f"{stem}.{up}")
            if first is None or second is None:
                continue
            text = (
                f"{named(first, second)} are the factors of a low-rank addition: the layer computes with {printable(claim.name)} "
                "plus their product. The values of the weight are shown without it."
            )
            said = remark("low_rank", text, claim.sources[0], parts)
            return replace(claim, findings=(*claim.findings, said))
    return claim
