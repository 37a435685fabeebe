"""MLX: words of codes with a scale and an offset per group (affine), or 4- and 8-bit floats with a byte of scale.

Shapes tell only how many bits a group takes, not how many codes these are. A config says it; else the codes do, for MLX makes
the smallest and the largest value of a group the first and the last code.
"""

from __future__ import annotations

from functools import partial

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, remark, shown
from weightmap.companions.grids.grid import in_groups
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.packed import Along
from weightmap.companions.integers.per_group import Grid
from weightmap.companions.integers.told_by_codes import reading, width
from weightmap.companions.packing.packed import e2m1
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.formats.layout import TensorRecord
from weightmap.types.registry import by_name

WIDTHS = (8, 6, 5, 4, 3, 2, 1)
SIZES = (32, 64, 128)
FORMS = {64: ("nvfp4", 4, 16, "F8_E4M3"), 128: ("mxfp4", 4, 32, "F8_E8M0"), 256: ("mxfp8", 8, 32, "F8_E8M0")}


class Mlx(Scheme):
    """M.weight of U32, M.scales, and M.biases (M.qbiases) where it is affine."""

    name, endings, types = "mlx", (".weight",), frozenset({"U32"})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scales = parts.get(f"{stem}.scales")
        offsets = parts.get(f"{stem}.biases") or parts.get(f"{stem}.qbiases")
        name = record.name
        if scales is None and offsets is None:
            return None
        if scales is None:
            text = f"{named(record)} has {named(offsets)}, but its scales, {stem}.scales, are not there."
            return refusal("scale_missing", text, name, self.name, (record, offsets), parts)
        sources = (record, scales, offsets)
        if len(record.shape) < 2 or scales.shape[:-1] != record.shape[:-1] or not scales.count or not record.count:
            text = f"{named(scales)} has shape {shown(scales.shape)}, but {named(record)} {shown(record.shape)} words."
            return refusal("scale_shape", text, name, self.name, sources, parts, at=scales)
        if offsets is not None and (offsets.shape != scales.shape or offsets.type.name not in FLOATS):
            text = (
                f"{named(offsets)} ({offsets.type.name}) has shape {shown(offsets.shape)}, but {named(scales)} has "
                f"{shown(scales.shape)}."
            )
            return refusal("scale_shape", text, name, self.name, sources, parts, at=offsets)
        words, groups = record.shape[-1], scales.shape[-1]
        if 32 * words % groups:
            text = f"{named(record)} has {words:,} words per row, which {named(scales)} shares out among {groups:,} groups."
            return refusal("scale_shape", text, name, self.name, sources, parts, at=scales)
        room = 32 * words // groups  # bits of the codes of a group
        if scales.type.name in ("U8", "F8_E4M3", "F8_E8M0"):
            return _floats(stem, record, scales, offsets, room, parts)
        if scales.type.name not in FLOATS:
            text = f"{named(scales)}, the scales of {named(record)}, are stored as {scales.type.name}."
            return refusal("dtype_mismatch", text, name, self.name, sources, parts, at=scales)
        if offsets is None:
            text = f"{named(scales)} are scales of MLX's affine mode, but the offsets, {stem}.biases, are not there."
            return refusal("scale_missing", text, name, "mlx_affine", (record, scales), parts, at=scales)
        return _affine(stem, record, scales, offsets, room, parts)


def _floats(
    stem: str, codes: TensorRecord, scales: TensorRecord, offsets: TensorRecord | None, room: int, parts: Parts
) -> Claim | Refusal:
    form, second = FORMS.get(room), parts.get(f"{stem}.global_scale")
    name = codes.name
    if form is None or offsets is not None:
        text = (
            f"{named(scales)} are bytes, one per {room:,} bits of {named(codes)}: those of mxfp4, mxfp8 and nvfp4 are one per "
            "128, 256 and 64 bits, without offsets."
        )
        return refusal("scale_shape", text, name, "mlx", (codes, scales, offsets), parts, at=scales)
    mode, bits, size, kind = form
    if second is not None:
        text = f"{named(second)} scales the scales of {named(codes)} in a way that is not known here."
        return refusal("unknown_scheme", text, name, f"mlx_{mode}", (codes, scales, second), parts, at=second)
    shape = (*codes.shape[:-1], codes.shape[-1] * 32 // bits)
    said = [*odd_scales(codes, scales, parts, few=False, type=by_name(kind))]
    told = parts.config.word("mode", stem)
    if told and told != mode:
        text = f"{parts.config_name} says {told} for {named(codes)}, but its scales are those of {mode}."
        said.append(remark("quant_config", text, scales, parts))
    return Claim(
        name=name,
        scheme=f"mlx_{mode}",
        about=f"{'E2M1' if bits == 4 else 'E4M3'} codes times one {kind[3:]} scale per {size} values of a row",
        shape=shape,
        sources=(codes, scales),
        build=partial(_float_values, codes, scales, shape, bits, size, kind, parts),
        runtime="BF16",
        findings=tuple(said),
        usual={"nvfp4": "NVFP4", "mxfp4": "MXFP4", "mxfp8": "MXFP8"}[mode],
    )


def _float_values(
    codes: TensorRecord, scales: TensorRecord, shape: Shape, bits: int, size: int, kind: str, parts: Parts
) -> Values:
    codes_ = parts.stored(codes, e2m1() if bits == 4 else by_name("F8_E4M3"), shape)
    return Scaled(codes_, parts.stored(scales, by_name(kind)), in_groups(shape, size))


def _affine(
    stem: str, codes: TensorRecord, scales: TensorRecord, offsets: TensorRecord, room: int, parts: Parts
) -> Claim | Refusal:
    possible = [bits for bits in WIDTHS if room % bits == 0 and room // bits in SIZES]
    told = parts.config.number("bits", stem)
    if told in WIDTHS and room % told == 0:
        possible = sorted({*possible, told}, reverse=True)
    if not possible:
        text = f"{named(codes)} has {room:,} bits for each of the scales {named(scales)}, which no groups of MLX have."
        return refusal("packed_size", text, codes.name, "mlx_affine", (codes, scales, offsets), parts)
    bits, assumed, said = width(stem, codes, room, possible, parts)
    if room // bits not in SIZES and said:
        text = f"{said[0].message} MLX makes no groups of that size: the scales, {named(scales)}, may be those of another weight."
        return refusal("scale_shape", text, codes.name, "mlx_affine", (codes, scales, offsets), parts, at=scales)
    if (mode := parts.config.word("mode", stem)) not in ("", "affine"):
        text = f"{parts.config_name} says {mode} for {named(codes)}, but its scales have offsets, as those of the affine mode."
        said = (*said, remark("quant_config", text, scales, parts))
    build = partial(_affine_values, codes, scales, offsets, room, parts)
    others = (
        {} if told in possible and not said else {reading(other, room): other for other in possible if other != bits}
    )
    return Claim(
        name=codes.name,
        scheme="mlx_affine",
        about=f"{bits}-bit codes times one {scales.type.name} scale plus an offset per {room // bits:,} values of a row",
        shape=_shape(codes, bits),
        sources=(codes, scales, offsets),
        build=partial(build, bits),
        runtime=scales.type.name,
        assumed=assumed,
        others={words: partial(build, other) for words, other in others.items()},
        shapes={words: _shape(codes, other) for words, other in others.items()},
        findings=(
            *said,
            *(odd for part in (scales, offsets) for odd in odd_scales(codes, part, parts, few=False, signed=True)),
        ),
        usual=f"I{bits}:group",
    )


def _shape(codes: TensorRecord, bits: int) -> Shape:
    return (*codes.shape[:-1], codes.shape[-1] * 32 // bits)


def _affine_values(
    codes: TensorRecord, scales: TensorRecord, offsets: TensorRecord, room: int, parts: Parts, bits: int
) -> Values:
    groups = scales.shape[-1]
    return Grouped(
        _shape(codes, bits),
        Along(parts.stored(codes), bits, codes.shape[-1] * 4),
        Grid(parts.stored(scales), groups),
        Groups(room // bits),
        offset=Grid(parts.stored(offsets), groups),
    )
