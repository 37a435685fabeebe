"""Codes that nothing above could read: their scales are missing where the config says that there are some, or are no scales."""

from __future__ import annotations

from weightmap.companions.base import Claim, Refusal, Scheme, named, refusal, shown
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FACTORS
from weightmap.companions.schemes.float8 import scale_of
from weightmap.formats.layout import TensorRecord

METHODS: dict[str, frozenset[str]] = {
    "U32": frozenset({"mlx"}),
    "U8": frozenset({"bitnet", "bitsandbytes", "modelopt", "mlx", "mxfp4"}),
    "I8": frozenset({"bitsandbytes"}),
}
"""By stored type of a matrix the methods of a config whose codes it can only be."""


class Unscaled(Scheme):
    """M.weight of bytes or words, which are no weights of a model as they are."""

    name, endings, types = "unscaled", (".weight",), frozenset(METHODS)

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        if len(record.shape) < 2 or parts.config.leaves_out(stem):
            return None
        method = parts.config.method
        scheme = method or self.name
        scale = scale_of(record.name, parts) if record.type.name == "U8" else None
        if scale is None:
            if method not in METHODS[record.type.name]:
                return None
            text = (
                f"{named(record)} holds {record.type.name} codes without scales, but {parts.config_name} says that the model "
                f"is quantized by {method}: what the codes stand for cannot be told."
            )
            return refusal(
                "scale_missing", text, record.name, scheme, (record,), parts, expected="scales", found="none"
            )
        sources = (record, scale)
        if scale.type.name not in FACTORS:
            text = f"{named(scale)}, the scale of {named(record)}, is stored as {scale.type.name}, which no scale is."
            return refusal("dtype_mismatch", text, record.name, scheme, sources, parts, at=scale)
        if scale.count == 1 and method != "bitnet":
            if method not in METHODS[record.type.name]:
                return None  # bytes of somebody's own
            text = (
                f"{named(scale)} is the only scale of {named(record)}, but bytes of {method}, by which {parts.config_name} says "
                "that the model is quantized, have one for each group: what they stand for cannot be told."
            )
            return refusal("scale_shape", text, record.name, scheme, sources, parts, at=scale)
        text = (
            f"{named(scale)} has shape {shown(scale.shape)}: neither one scale nor scales of groups in the rows of "
            f"{named(record)}, {shown(record.shape)} bytes."
        )
        return refusal("scale_shape", text, record.name, scheme, sources, parts, at=scale)
