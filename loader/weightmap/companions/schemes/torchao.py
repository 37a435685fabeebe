"""torchao's tensors as safetensors has them: one entry per part, and in the header a description of each by its class."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, remark, shown
from weightmap.companions.grids.grid import in_blocks, one_for_all
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.packed import Along
from weightmap.companions.integers.per_group import Grid, Single, Zeros
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord
from weightmap.types.base import StoredType
from weightmap.types.float8 import Float8, table

KNOWN = ("Int8Tensor", "Float8Tensor")


class TorchAo(Scheme):
    """X's parent._weight_qdata with _weight_scale and _weight_zero_point: Int8Tensor and Float8Tensor."""

    name, endings, types = "torchao", ("._weight_qdata",), frozenset()

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        name = f"{stem}.weight"
        scale, zero = parts.get(f"{stem}._weight_scale"), parts.get(f"{stem}._weight_zero_point")
        said = parts.header(name)
        kind = said.get("_type") if isinstance(said, dict) else None
        sources = tuple(part for part in (record, scale, zero) if part is not None)
        if kind is None:
            kind = "Int8Tensor" if record.type.name == "I8" else "Float8Tensor"
        if kind not in KNOWN or not (record.type.name == "I8" or _is_number(record.type)):
            text = f"{named(record)} is part of torchao's {str(kind)[:60]} ({record.type.name}), which is not decoded here."
            return refusal("unknown_scheme", text, name, self.name, sources, parts, severity=Severity.INFO)
        scheme = f"torchao_{kind.lower()}"
        if (kind == "Int8Tensor") != (record.type.name == "I8"):
            text = f"The header says {kind} for {name}, but {named(record)} is stored as {record.type.name}."
            return refusal("dtype_mismatch", text, name, scheme, sources, parts)
        if scale is None:
            text = f"{named(record)} holds codes, but their scales, {stem}._weight_scale, are not there."
            return refusal("scale_missing", text, name, scheme, sources, parts)
        listed = said.get("_tensor_data_names") if isinstance(said, dict) else None
        if zero is None and isinstance(listed, list) and "zero_point" in listed:
            text = f"The header lists zeros for {name}, but {stem}._weight_zero_point is not there."
            return refusal("scale_missing", text, name, scheme, sources, parts)
        lying = _grid(record.shape, scale.shape)
        if scale.type.name not in FLOATS:
            text = f"{named(scale)}, the scales of {named(record)}, are stored as {scale.type.name}."
            return refusal("dtype_mismatch", text, name, scheme, sources, parts, at=scale)
        if lying is None:
            text = f"{named(scale)} has shape {shown(scale.shape)}, which does not share out codes of {shown(record.shape)} evenly."
            return refusal("scale_shape", text, name, scheme, sources, parts, at=scale)
        unlike = zero is not None and zero.shape != scale.shape and zero.count > 1
        if zero is not None and (zero.count != scale.count or unlike or zero.type.name != "I8"):
            text = (
                f"{named(zero)} ({zero.type.name}, {shown(zero.shape)}) are no zeros of whole numbers for the scales of "
                f"{named(record)}, {shown(scale.shape)}."
            )
            return refusal("scale_shape", text, name, scheme, sources, parts, at=zero)
        tall, wide = lying
        findings = [*odd_scales(record, scale, parts, few=prod(scale.shape[-1:]) == 1)]
        block = _block(said)
        if block is not None and block[-2:] != [tall, wide]:
            text = f"The header says blocks of {block} for {name}, but {named(scale)} is for blocks of {tall:,} × {wide:,}."
            findings.append(remark("quant_config", text, scale, parts))
        less = ", less their zeros," if zero is not None else ""
        return Claim(
            name=name,
            scheme=scheme,
            about=f"{record.type.name} codes{less} times one {scale.type.name} scale per {tall:,} × {wide:,}",
            shape=record.shape,
            sources=sources,
            build=partial(_values, record, scale, zero, tall, wide, parts),
            runtime=scale.type.name,
            findings=tuple(findings),
            usual=f"{record.type.name}:{'channel' if wide == record.shape[-1] else 'group'}",
        )


def _is_number(type: StoredType) -> bool:
    """Whether this is an 8-bit float that weights are rounded to; E8M0 has no sign and no fraction, it is of scales."""
    return isinstance(type, Float8) and type.name != "F8_E8M0"


def _block(said: Any) -> list[int] | None:
    """The block size that the header says."""
    data = said.get("_data") if isinstance(said, dict) else None
    block = data.get("block_size") if isinstance(data, dict) else None
    if isinstance(block, list) and len(block) >= 2 and all(type(n) is int for n in block):
        return block
    return None


def _grid(shape: Shape, scales: Shape) -> tuple[int, int] | None:
    """(rows, columns) that share a scale; None where the scales do not share out the codes evenly."""
    if len(shape) < 2 or not prod(shape):
        return None
    if prod(scales) == 1:
        return shape[-2], shape[-1]
    if scales == shape[:-1]:
        scales = (*scales, 1)
    if len(scales) != len(shape) or scales[:-2] != shape[:-2]:
        return None
    down, across = scales[-2:]
    if not down or not across or shape[-2] % down or shape[-1] % across:
        return None
    return shape[-2] // down, shape[-1] // across


def _values(
    codes: TensorRecord, scale: TensorRecord, zero: TensorRecord | None, tall: int, wide: int, parts: Parts
) -> Values:
    if zero is None:
        lying = one_for_all(codes.shape) if scale.count == 1 else in_blocks(codes.shape, tall, wide)
        return Scaled(parts.stored(codes), parts.stored(scale), lying)

    def grid(record: TensorRecord) -> Grid:
        stored = parts.stored(record)
        return Single(stored) if record.count == 1 else Grid(stored, codes.shape[-1] // wide, tall)

    float8 = isinstance(codes.type, Float8)
    return Grouped(
        codes.shape,
        Along(parts.stored(codes), 8, codes.shape[-1], signed=not float8),
        grid(scale),
        Groups(wide),
        zero=Zeros(grid(zero)) if zero is not None else 0,
        table=table(codes.type) if isinstance(codes.type, Float8) else None,
    )
