"""Plain pairs of int8 codes and a floating-point scale that numpy would broadcast over them, under the many names they have."""

from __future__ import annotations

from functools import partial
from math import prod

from weightmap.companions.base import Claim, Refusal, Scheme, Values, named, refusal, shown
from weightmap.companions.grids.grid import Grid, Shape, one_for_all, per_leading, without_ones
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord

_CODES = (".qweight", ".weight_q", "_q", ".q", ".int8")
_PACKERS = ("gptq", "awq", "auto-round")  # which write BitBLAS' layouts, too
_SCALES = (".scale", "_scale", ".scales", ".weight_scale")


class Int8Pairs(Scheme):
    """X.qweight and X.scale, and their kin: the weight is X."""

    name, endings, types = "int8_channel", _CODES, frozenset({"I8", "F8_E4M3", "F8_E5M2"})
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scale = next((found for end in _SCALES if (found := parts.get(stem + end)) is not None), None)
        if scale is None or stem in parts.records:
            return None
        bits = parts.config.number("bits", stem)
        if record.name.endswith(".qweight") and bits not in (None, 8) and parts.config.method in _PACKERS:
            text = (
                f"{named(record)} holds codes of {bits} bits, as {parts.config_name} says, packed into bytes in an order that is "
                "not known here."
            )
            name = f"{stem}.weight"
            return refusal("unknown_scheme", text, name, "gptq", (record, scale), parts, severity=Severity.INFO)
        if scale.type.name not in FLOATS:
            if not record.name.endswith(".qweight"):
                return None
            text = f"{named(scale)}, the scales of {named(record)}, are stored as {scale.type.name}."
            return refusal("dtype_mismatch", text, stem, self.name, (record, scale), parts, at=scale)
        grid = _broadcast(record.shape, scale.shape)
        if grid is None:
            text = f"{named(scale)} of shape {shown(scale.shape)} cannot be spread over {named(record)}, {shown(record.shape)}."
            return refusal("scale_shape", text, stem, self.name, (record, scale), parts, at=scale)
        return Claim(
            name=stem,
            scheme=self.name if scale.count > 1 else "int8_tensor",
            about=f"{record.type.name} codes times {scale.type.name} scales of shape {shown(scale.shape)}",
            shape=record.shape,
            sources=(record, scale),
            build=partial(_values, record, scale, grid, parts),
            findings=tuple(odd_scales(record, scale, parts, few=True)),
            usual=f"{record.type.name}:channel" if scale.count > 1 else f"{record.type.name}:tensor",
        )


def _values(record: TensorRecord, scale: TensorRecord, grid: Grid, parts: Parts) -> Values:
    return Scaled(parts.stored(record), parts.stored(scale), grid)


def _broadcast(shape: Shape, scales: Shape) -> Grid | None:
    """The grid of scales that numpy would spread over the shape: one, one per leading axes, or one per column."""
    if prod(scales) == 1:
        return one_for_all(shape)
    bare = without_ones(scales)
    if bare and len(scales) == len(shape) and bare == shape[: len(bare)]:
        return per_leading(shape, len(bare))
    if len(scales) == 1 and len(shape) > 1 and scales[0] == shape[0]:
        return per_leading(shape, 1)
    if shape and scales[-1:] == shape[-1:] and prod(scales) == shape[-1] and len(scales) <= len(shape):
        rows = max(prod(shape[:-1]), 1)
        return Grid(rows, rows, shape[-1], 1)
    return None
