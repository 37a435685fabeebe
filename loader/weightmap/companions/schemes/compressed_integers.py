"""Packed integers of compressed-tensors: `weight_packed` of words, `weight_shape`, zeros packed along the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, remark, shown
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.order import Order, order_of, plausible, reading
from weightmap.companions.integers.packed import Along, Down
from weightmap.companions.integers.per_group import Grid, Single, Zeros
from weightmap.companions.integers.widths import Packing, packing_of
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.layouts import other_strategy
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.findings import Finding, Severity
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

LOOKED_AT = 64  # rows and groups whose zeros are looked at
ZEROS = ("I32", "U32", "I8", "U8")
_ENDINGS = ("_scale", "_shape", "_zero_point", "_g_idx")


@dataclass(frozen=True, slots=True, eq=False)
class _Tensors:
    """The records of one weight; those behind `scale` may be missing."""

    name: str
    codes: TensorRecord
    scale: TensorRecord
    shape: TensorRecord | None
    zero: TensorRecord | None
    order: TensorRecord | None

    def all(self) -> tuple[TensorRecord, ...]:
        several = (self.codes, self.scale, self.shape, self.zero, self.order)
        return tuple(record for record in several if record is not None)


class PackedIntegers(Scheme):
    """`pack-quantized`: 1 to 8 bits, as dense streams or aligned to words, with or without zeros and order."""

    name, endings, types = "pack_quantized", (".weight_packed",), frozenset({"I32", "U32"})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        name = f"{stem}.weight"
        scale, shape, zero, order = (parts.get(name + end) for end in _ENDINGS)
        if scale is None:
            text = f"{named(record)} holds packed codes, but their scales, {name}_scale, are not there."
            return refusal("scale_missing", text, name, self.name, (record, shape, zero, order), parts)
        of = _Tensors(name, record, scale, shape, zero, order)
        if scale.type.name not in FLOATS:
            text = f"{named(scale)}, the scales of {named(record)}, are stored as {scale.type.name}."
            return self.refused("dtype_mismatch", text, of, parts, at=scale)
        if len(record.shape) < 2:
            text = f"{named(record)} of shape {shown(record.shape)} holds no rows of packed codes."
            return self.refused("packed_size", text, of, parts)
        size = _shape(of, parts)
        if isinstance(size, str):
            return self.refused("packed_size", size, of, parts)
        packing = packing_of(stem, record, zero, size, parts)
        if isinstance(packing, str):
            return self.refused("packed_size", packing, of, parts, shape=size)
        return self._grouped(stem, of, size, packing, parts)

    def _grouped(self, stem: str, of: _Tensors, shape: Shape, packing: Packing, parts: Parts) -> Claim | Refusal:
        columns, told = shape[-1], parts.config.group(stem, shape[-1])
        groups = _groups(of.scale.shape, shape)
        if groups is None or not 0 < groups <= columns:
            text = (
                f"{named(of.scale)} has shape {shown(of.scale.shape)}, but a weight of {shown(shape)} has one scale for "
                "all, one per row, or one per row and group."
            )
            return self.refused("scale_shape", text, of, parts, at=of.scale, shape=shape)
        said = []
        if told is not None and -(-columns // told) != groups and of.scale.count > 1:
            text = (
                f"{named(of.scale)} has {groups:,} scales per row, but {parts.config_name} says groups of {told:,}: "
                f"{columns:,} columns have {-(-columns // told):,}."
            )
            if packing.said:  # neither bits nor groups are what the config says: rather the shape is wrong
                return self.refused("packed_size", f"{packing.said[0].message} {text}", of, parts, shape=shape)
            if not plausible(columns, groups):
                return self.refused("scale_shape", text, of, parts, at=of.scale, shape=shape)
            said.append(remark("quant_config", text, of.scale, parts))
        elif (other := other_strategy(shape, of.scale.count, parts.config, stem)) is not None:
            text = f"{parts.config_name} says {other} for {named(of.codes)}."
            said.append(remark("quant_config", text, of.scale, parts))
        order = order_of(of.order, columns, groups, told, parts)
        if order.wrong is not None:
            return self.refused("group_index", order.wrong, of, parts, at=of.order, shape=shape)
        if of.zero is None and parts.config.weights(stem).get("symmetric") is False:
            text = (
                f"{parts.config_name} says that {named(of.codes)} was quantized with zeros, but {of.name}_zero_point is not "
                "there."
            )
            return self.refused("scale_missing", text, of, parts, shape=shape)
        if of.zero is not None and of.zero.type.name not in ZEROS:
            text = f"{named(of.zero)}, the zeros of {named(of.codes)}, are stored as {of.zero.type.name}."
            return self.refused("dtype_mismatch", text, of, parts, at=of.zero, shape=shape)
        single = of.zero is not None and of.zero.count == of.scale.count == 1 and not packing.packs(of.zero)
        if of.zero is not None and not single and of.zero.shape != packing.zeros((*shape[:-1], groups), of.zero):
            wanted = packing.zeros((*shape[:-1], groups), of.zero)
            text = f"{named(of.zero)} has shape {shown(of.zero.shape)}, but zeros of {packing.bits} bits need {shown(wanted)}."
            return self.refused("scale_shape", text, of, parts, at=of.zero, shape=shape)
        if order.uneven is not None and of.order is not None:
            said.append(remark("group_index", order.uneven, of.order, parts, severity=Severity.WARNING))
        said += [*packing.said, *_not_symmetric(stem, of, shape, groups, packing, parts)]
        return self._claimed(of, shape, groups, packing, order, tuple(said), parts)

    def _claimed(
        self,
        of: _Tensors,
        shape: Shape,
        groups: int,
        packing: Packing,
        order: Order,
        said: tuple[Finding, ...],
        parts: Parts,
    ) -> Claim:
        kind = "tensor" if of.scale.count == 1 else "channel" if groups == 1 else "group"
        shared = {"tensor": "scale", "channel": "scale per row", "group": f"scale per {order.size:,} values of a row"}
        zeros = ", less their zeros," if of.zero is not None else ""
        ordered = ", which a tensor of indices groups" if order.indexed else ""
        build = partial(_values, of, shape, groups, order, parts)
        return Claim(
            name=of.name,
            scheme=f"{self.name}_{kind}",
            about=f"{packing.words}{zeros} times one {of.scale.type.name} {shared[kind]}{ordered}",
            shape=shape,
            sources=of.all(),
            build=partial(build, packing),
            runtime=of.scale.type.name,
            assumed=" ".join(filter(None, (packing.assumed, order.assumed, _unordered(of, groups, parts)))) or None,
            others={other.words: partial(build, other) for other in packing.others}
            | {
                reading(size): partial(_values, of, shape, groups, Order(size), parts, packing) for size in order.others
            },
            findings=(*said, *odd_scales(of.codes, of.scale, parts, few=kind != "group")),
            usual=f"I{packing.bits}:{kind}",
        )


def _shape(of: _Tensors, parts: Parts) -> Shape | str:
    """Shape of the weight: the rows of its codes, and the columns that `weight_shape` says; or what is wrong."""
    stored = of.codes.shape
    if of.shape is None:
        return f"{of.name}_shape, which alone says how many columns {named(of.codes)} holds, is not there."
    if of.shape.type.value.kind not in "iu" or not 2 <= of.shape.count <= 8:
        return f"{named(of.shape)} ({of.shape.type.name}, {shown(of.shape.shape)}) is no shape."
    said = tuple(int(n) for n in parts.values(of.shape).reshape(-1))
    if said[-2] != stored[-2] or said[-1] < 1 or (len(said) == len(stored) and said[:-1] != stored[:-1]):
        return f"{named(of.shape)} says {shown(said)}, but {named(of.codes)} has {shown(stored[:-1])} rows of codes."
    return (*stored[:-1], said[-1])


def _unordered(of: _Tensors, groups: int, parts: Parts) -> str | None:
    """What is assumed where the config says that groups follow activations, and nothing says which column is in which."""
    if of.order is not None or groups < 2 or parts.config.word("actorder", of.name.removesuffix(".weight")) != "group":
        return None
    return (
        f"{parts.config_name} says that the columns were put into groups by activations, but {of.name}_g_idx, which would say "
        "how, is not there: neighbours are assumed to share a group."
    )


def _groups(scales: Shape, shape: Shape) -> int | None:
    """Scales of one row; None where the shape of the scales fits no way of sharing them."""
    if int(np.prod(scales, dtype=object)) == 1 or scales == shape[:-1]:
        return 1
    return scales[-1] if scales[:-1] == shape[:-1] else None


def _values(of: _Tensors, shape: Shape, groups: int, order: Order, parts: Parts, packing: Packing) -> Values:
    bits, scale = packing.bits, parts.stored(of.scale)
    zero = 1 << bits - 1 if of.zero is None else _zeros(of.zero, shape, groups, packing, parts)
    indexed = None if of.order is None or not order.indexed else parts.stored(of.order)
    return Grouped(
        shape,
        Along(parts.stored(of.codes), bits, of.codes.shape[-1] * 4, packing.how),
        Single(scale) if scale.count == 1 else Grid(scale, groups),
        Groups(order.size, indexed),
        zero=zero,
    )


def _zeros(record: TensorRecord, shape: Shape, groups: int, packing: Packing, parts: Parts) -> Zeros:
    stored = parts.stored(record)
    if packing.packs(record):
        return Zeros(Down(stored, packing.bits, shape[-2], groups, packing.how))
    return Zeros(Single(stored) if record.count == 1 else Grid(stored, groups), 1 << packing.bits - 1)  # signed numbers


def _not_symmetric(
    module: str, of: _Tensors, shape: Shape, groups: int, packing: Packing, parts: Parts
) -> Iterator[Finding]:
    """A finding where the config says symmetric, and zeros of the first rows are others than the middle of the codes."""
    if of.zero is None or parts.config.weights(module).get("symmetric") is not True:
        return
    zeros, rows = _zeros(of.zero, shape, groups, packing, parts), np.arange(min(shape[-2], LOOKED_AT), dtype=np.int64)
    if (zeros.read(rows, 0, min(groups, LOOKED_AT), Workspace(), "zeros") != 1 << packing.bits - 1).any():
        text = f"{parts.config_name} says that {named(of.codes)} is symmetric, but it has zeros of its own, {named(of.zero)}."
        yield remark("quant_config", text, of.zero, parts)
