"""BitNet: four ternary codes in a byte, of rows far apart, and one scale, which some layers divide by and others multiply with."""

from __future__ import annotations

from functools import partial

import numpy as np

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.packed import Planes
from weightmap.companions.integers.per_group import Single
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

SAMPLE = 1 << 16  # bytes of codes that are looked at
DIVIDED, TIMES = "divided by the scale", "times the scale"


class BitNet(Scheme):
    """M.weight (rows / 4, columns) of bytes and M.weight_scale, one number."""

    name, endings, types = "bitnet", (".weight",), frozenset({"U8"})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scale = parts.get(f"{stem}.weight_scale")
        if scale is None or scale.count != 1 or scale.type.name not in FLOATS or len(record.shape) != 2:
            return None
        if parts.get(f"{stem}.weight_scale_2") is not None or not record.count:
            return None
        meant = parts.config.method == "bitnet"
        if _holds_three(record, parts):
            if not meant:
                return None
            text = f"{named(record)} has codes 3, but ternary codes are 0, 1 and 2: {parts.config_name} says BitNet."
            return refusal("packed_size", text, record.name, self.name, (record, scale), parts)
        shape = (4 * record.shape[0], record.shape[1])
        divides = parts.config.word("linear_class", stem) != "autobitlinear"
        if not meant:  # one layer's scale is what the weights were multiplied with, the other's is small as weights are
            divides = abs(float(parts.values(scale).reshape(-1)[0])) >= 1
        build = partial(_values, record, scale, shape, parts)
        assumed, others = None, {}
        if not meant:
            one, other = (DIVIDED, TIMES) if divides else (TIMES, DIVIDED)
            assumed = f"Nothing says which kind of layer this is: codes are {one}, as its size suggests; they could be {other}."
            others = {other: partial(build, not divides)}
        return Claim(
            name=record.name,
            scheme="bitnet_bitlinear" if divides else "bitnet_autobitlinear",
            about=f"ternary codes, four in a byte, {DIVIDED if divides else TIMES} ({scale.type.name})",
            shape=shape,
            sources=(record, scale),
            build=partial(build, divides),
            runtime=scale.type.name,
            assumed=assumed,
            others=others,
            findings=tuple(odd_scales(record, scale, parts, few=True)),
            usual="ternary:tensor",
        )


def _holds_three(record: TensorRecord, parts: Parts) -> bool:
    """Whether a byte of those looked at has a field that no ternary code is."""
    many = min(record.count, SAMPLE)
    stored = np.empty(many, np.float32)
    parts.stored(record).read(0, many, stored, Workspace())
    codes = stored.astype(np.uint8)
    return bool((codes & (codes >> 1) & 0x55).any())


def _values(record: TensorRecord, scale: TensorRecord, shape: Shape, parts: Parts, divides: bool) -> Values:
    values = Grouped(
        shape,
        Planes(parts.stored(record), 2, *record.shape),
        Single(parts.stored(scale)),
        Groups(max(shape[1], 1)),
        zero=1,
        divide=divides,
    )
    with np.errstate(all="ignore"):
        number = np.abs(parts.values(scale).astype(np.float32).reshape(-1)[0])
        values.largest = float(np.float32(1) / number if divides else number)  # a fourth code would be twice as much
    return values
