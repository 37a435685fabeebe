"""Who writes weights of 4- and 6-bit floats, and under which names: the schemes of `fours`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from weightmap.companions.base import Claim, Refusal, Scheme, Values, named, refusal, remark, shown
from weightmap.companions.grids.grid import Shape, in_groups
from weightmap.companions.integers.order import POWERS, reading, said_of, sizes_of
from weightmap.companions.packing.rows import PairedRows
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import EXPONENTS, FLOATS, odd_scales
from weightmap.companions.schemes.float8 import scale_of
from weightmap.companions.schemes.fours import Form, grouped, mxfp4, mxfp6, nvfp4, twice_scaled
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord


class GptOss(Scheme):
    """gpt-oss: blocks of 16 bytes and one exponent for each, (experts, rows, groups, 16) and (experts, rows, groups)."""

    name, endings, types = "mxfp4_blocks", ("_blocks", ".blocks"), frozenset({"U8"})
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        ending = record.name[len(stem) :]
        beside = stem + ending.replace("blocks", "scales")
        scale = parts.get(beside)
        if scale is None and (len(record.shape) < 4 or record.shape[-1] != 16):
            return None
        form = mxfp4(self.name)
        if len(record.shape) < 3 or record.shape[-1] != 16:
            text = f"{named(record)} has shape {shown(record.shape)}, but blocks of MXFP4 are rows of 16 bytes in each group."
            return refusal("packed_size", text, stem, self.name, (record, scale), parts)
        if scale is None:
            text = f"{named(record)} holds blocks of MXFP4, but their exponents, {beside}, are not there."
            return refusal("scale_missing", text, stem, self.name, (record,), parts)
        shape = (*record.shape[:-2], record.shape[-2] * 32)
        found = grouped(stem, form, record, scale, parts, shape=shape, runtime="BF16")
        return replace(found, turned=True) if isinstance(found, Claim) else found


class PackedFloats(Scheme):
    """compressed-tensors: `weight_packed` of bytes with `weight_scale`, and for NVFP4 `weight_global_scale`."""

    name, endings, types = "float4", (".weight_packed",), frozenset({"U8"})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        name = f"{stem}.weight"
        scale, second = parts.get(f"{name}_scale"), parts.get(f"{name}_global_scale")
        if scale is None:
            text = f"{named(record)} holds packed codes, but their scales, {name}_scale, are not there."
            return refusal("scale_missing", text, name, self.name, (record,), parts)
        if len(record.shape) < 2:
            text = f"{named(record)} of shape {shown(record.shape)} holds no rows of packed codes."
            return refusal("packed_size", text, name, self.name, (record, scale, second), parts)
        if second is not None:
            return twice_scaled(name, nvfp4("nvfp4-pack-quantized"), record, scale, second, parts, divides=True)
        if scale.type.name == "F8_E4M3":
            text = f"{named(scale)} are scales of NVFP4, but {name}_global_scale, which scales them, is not there."
            return refusal("scale_missing", text, name, "nvfp4-pack-quantized", (record, scale), parts, at=scale)
        four, six = mxfp4("mxfp4-pack-quantized"), mxfp6("mxfp6-pack-quantized")
        said = six if "6" in parts.config.word("format", stem) or parts.config.number("num_bits", stem) == 6 else four
        fitting = [form for form in (said, four, six) if _groups(form, record) == scale.shape[-1:]]
        return grouped(name, fitting[0] if fitting else said, record, scale, parts, runtime=None)


def _groups(form: Form, record: TensorRecord) -> Shape:
    if record.shape[-1] % form.type.bytes:
        return ()
    return (-(-form.shape(record.shape)[-1] // form.group),)


class ModelOptBytes(Scheme):
    """ModelOpt: bytes under the weight's own name. NVFP4 with `weight_scale_2`, else MXFP4, or INT4 with rows packed in pairs."""

    name, endings, types = "modelopt", ("",), frozenset({"U8"})
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        if len(record.shape) < 2:
            return None
        for ending in ("_scale", "_weight_scale"):
            scale, second = parts.get(stem + ending), parts.get(f"{stem}{ending}_2")
            if scale is None and second is None:
                continue
            if scale is None:
                text = f"{named(record)} has {named(second)}, but the scales that it scales, {stem}{ending}, are not there."
                return refusal("scale_missing", text, stem, "nvfp4_modelopt", (record, second), parts)
            if second is not None and scale.type.name in FLOATS and scale.shape[:-1] == _pairs(record.shape)[:-1]:
                text = (
                    f"{named(record, scale, second)} are INT4 codes with scales that are scaled (W4A8), which are not decoded "
                    "here."
                )
                shape, sources = _pairs(record.shape), (record, scale, second)
                return refusal(
                    "unknown_scheme", text, stem, "int4_w4a8", sources, parts, shape=shape, severity=Severity.INFO
                )
            if second is not None:
                return twice_scaled(stem, nvfp4("nvfp4_modelopt"), record, scale, second, parts, divides=False)
            if scale.type.name == "F8_E4M3":
                text = f"{named(scale)} are scales of NVFP4, but {stem}{ending}_2, which scales them, is not there."
                return refusal("scale_missing", text, stem, "nvfp4_modelopt", (record, scale), parts, at=scale)
            if scale.type.name in EXPONENTS and len(scale.shape) > 1:
                return grouped(stem, mxfp4("mxfp4_modelopt"), record, scale, parts)
            if scale.type.name in FLOATS and len(scale.shape) > 1 and scale.count > 1:
                return _paired_rows(stem, record, scale, parts)
        return None


def _pairs(stored: Shape) -> Shape:
    """Shape of a weight that has two rows in each row of bytes."""
    return (*stored[:-2], 2 * stored[-2], stored[-1])


def _paired_rows(name: str, record: TensorRecord, scale: TensorRecord, parts: Parts) -> Claim | Refusal:
    shape = _pairs(record.shape)
    sources, groups = (record, scale), scale.shape[-1]
    if scale.shape[:-1] != shape[:-1] or not 0 < groups <= shape[-1]:
        text = (
            f"{named(scale)} has shape {shown(scale.shape)}, but a weight of {shown(shape)}, two rows in a byte, has "
            f"{shape[-2]:,} rows of scales."
        )
        return refusal("scale_shape", text, name, "int4_modelopt", sources, parts, at=scale)
    told = parts.config.number("group_size", name.removesuffix(".weight"))
    wide, *others = sizes_of(shape[-1], groups, told)
    if groups > 1 and wide not in POWERS and wide != told and shape[-1] % groups:
        text = (
            f"{named(scale)} has {groups:,} scales per row, which share out the {shape[-1]:,} columns of "
            f"{named(record)} in groups of no usual size."
        )
        return refusal("scale_shape", text, name, "int4_modelopt", sources, parts, at=scale)
    said = []
    if told is not None and told != wide:
        text = (
            f"{parts.config_name} says groups of {told:,}, but the scales {named(scale)} are one per {wide:,} values."
        )
        said.append(remark("quant_config", text, scale, parts))
    return Claim(
        name=name,
        scheme="int4_modelopt",
        about=f"I4 codes, two rows in a byte, times one {scale.type.name} scale per {wide:,} values of a row",
        shape=shape,
        sources=sources,
        build=partial(_rows, record, scale, shape, wide, parts),
        assumed=said_of((wide, *others)),
        others={reading(other): partial(_rows, record, scale, shape, other, parts) for other in others},
        findings=(*said, *odd_scales(record, scale, parts, few=False)),
        usual="I4:group",
    )


def _rows(record: TensorRecord, scale: TensorRecord, shape: Shape, wide: int, parts: Parts) -> Values:
    return Scaled(PairedRows(parts.stored(record), shape), parts.stored(scale), in_groups(shape, wide))


class BytesOfFours(Scheme):
    """DeepSeek: MXFP4 packed into I8, its exponents F8_E8M0 with a sixteenth as many columns."""

    name, endings, types = "mxfp4_in_i8", ("",), frozenset({"I8"})
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scale = scale_of(stem, parts)
        if scale is None or scale.type.name not in EXPONENTS or len(record.shape) < 2:
            return None
        if scale.shape != (*record.shape[:-1], -(-record.shape[-1] // 16)):
            return None
        return grouped(stem, mxfp4(self.name), record, scale, parts)
