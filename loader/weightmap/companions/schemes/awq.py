"""AWQ: nibbles of words in an order of their own, the weight stored turned round (GEMM); or in natural order, padded (GEMV)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, remark, shown
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.order import plausible, reading, said_of, sizes_of
from weightmap.companions.integers.packed import Along
from weightmap.companions.integers.per_group import Grid, Zeros
from weightmap.companions.integers.turned import Turned
from weightmap.companions.integers.upright import TurnedGrid, TurnedZeros
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

BITS, PER_WORD, MIDDLE = 4, 8, 8
LOOKED_AT = 64  # rows whose scales tell which columns of them are padding


class Awq(Scheme):
    """GEMM: qweight (columns, rows / 8), scales (groups, rows). GEMV: qweight (rows, columns / 8), scales (rows, padded)."""

    name, endings, types = "awq", (".qweight",), frozenset({"I32", "U32", "I16"})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scales, zeros = parts.get(f"{stem}.scales"), parts.get(f"{stem}.qzeros")
        name, codes = f"{stem}.weight", record.shape
        if scales is None:
            return None
        sources = [part for part in (record, scales, zeros, parts.get(f"{stem}.g_idx")) if part is not None]
        if record.type.name == "I16":
            text = f"{named(record)} holds codes as AWQ's GEMV_FAST interleaves them, which are not decoded here."
            return refusal("unknown_scheme", text, name, "awq_gemv_fast", sources, parts, severity=Severity.INFO)
        if scales.type.name not in FLOATS:
            text = f"{named(scales)}, the scales of {named(record)}, are stored as {scales.type.name}."
            return refusal("dtype_mismatch", text, name, self.name, sources, parts, at=scales)
        if zeros is None and parts.config.weights(stem).get("zero_point") is not False:
            text = f"{named(record)} has scales, but its zeros, {stem}.qzeros, are not there, and no config says that it has none."
            return refusal("scale_missing", text, name, self.name, sources, parts)
        if zeros is not None and zeros.type.name not in ("I32", "U32"):
            text = f"{named(zeros)}, the zeros of {named(record)}, are stored as {zeros.type.name}."
            return refusal("dtype_mismatch", text, name, self.name, sources, parts, at=zeros)
        if len(codes) == len(scales.shape) > 1:
            if codes[-1] * PER_WORD == scales.shape[-1] and codes[:-2] == scales.shape[:-2]:
                return _gemm(stem, record, scales, zeros, parts)
            if codes[:-1] == scales.shape[:-1]:
                return _gemv(stem, record, scales, zeros, parts)
        text = (
            f"{named(record)} has shape {shown(codes)} and {named(scales)} {shown(scales.shape)}, which are the codes and "
            "scales of one weight neither in GPTQ nor in AWQ."
        )
        return refusal("scale_shape", text, name, self.name, sources, parts, at=scales)


def _gemm(
    stem: str, codes: TensorRecord, scales: TensorRecord, zeros: TensorRecord | None, parts: Parts
) -> Claim | Refusal:
    rows, columns, groups = scales.shape[-1], codes.shape[-2], scales.shape[-2]
    shape = (*codes.shape[:-2], rows, columns)
    wanted = (*scales.shape[:-1], codes.shape[-1])
    if not 0 < groups <= columns:
        text = f"{named(scales)} has {groups:,} groups for {columns:,} columns of {named(codes)}."
        return refusal("scale_shape", text, f"{stem}.weight", "awq_gemm", (codes, scales, zeros), parts, at=scales)
    if zeros is not None and zeros.shape != wanted:
        return _odd_zeros(stem, "awq_gemm", codes, scales, zeros, wanted, parts)
    sizes = sizes_of(columns, groups, parts.config.group(stem, columns))
    build = partial(_gemm_values, codes, scales, zeros, shape, parts)
    return _claim(stem, "awq_gemm", codes, scales, zeros, shape, sizes, parts, build)


def _gemv(
    stem: str, codes: TensorRecord, scales: TensorRecord, zeros: TensorRecord | None, parts: Parts
) -> Claim | Refusal:
    columns = codes.shape[-1] * PER_WORD
    shape = (*codes.shape[:-1], columns)
    wanted = (*scales.shape[:-1], -(-scales.shape[-1] // PER_WORD))
    if zeros is not None and zeros.shape != wanted:
        return _odd_zeros(stem, "awq_gemv", codes, scales, zeros, wanted, parts)
    used = _used(scales, parts)
    told = parts.config.group(stem, columns)
    sizes = sizes_of(columns, max(used, 1), told)
    if told is not None and used <= -(-columns // told) <= scales.shape[-1] and not plausible(columns, used):
        sizes = (told,)
    if not used or not 0 < -(-columns // sizes[0]) <= scales.shape[-1]:
        text = f"{named(scales)} has {scales.shape[-1]:,} scales per row, {used:,} other than zero, for {columns:,} columns."
        return refusal("scale_shape", text, f"{stem}.weight", "awq_gemv", (codes, scales, zeros), parts, at=scales)
    build = partial(_gemv_values, codes, scales, zeros, shape, parts)
    return _claim(stem, "awq_gemv", codes, scales, zeros, shape, sizes, parts, build)


def _odd_zeros(
    stem: str,
    scheme: str,
    codes: TensorRecord,
    scales: TensorRecord,
    zeros: TensorRecord,
    wanted: Shape,
    parts: Parts,
) -> Refusal:
    text = (
        f"{named(zeros)} has shape {shown(zeros.shape)}, but the scales {named(scales)} need zeros of {shown(wanted)}."
    )
    return refusal("scale_shape", text, f"{stem}.weight", scheme, (codes, scales, zeros), parts, at=zeros)


def _claim(
    stem: str,
    scheme: str,
    codes: TensorRecord,
    scales: TensorRecord,
    zeros: TensorRecord | None,
    shape: Shape,
    sizes: tuple[int, ...],
    parts: Parts,
    build: Callable[[int], Values],
) -> Claim:
    size = sizes[0]
    said = [*odd_scales(codes, scales, parts, few=False)]
    told, config = parts.config.group(stem, shape[-1]), parts.config
    if told is not None and told != size and min(told, shape[-1]) != size:
        text = (
            f"{parts.config_name} says groups of {told:,}, but the scales {named(scales)} are one per {size:,} values."
        )
        said.append(remark("quant_config", text, scales, parts))
    bits = config.number("bits", stem) or config.number("w_bit", stem)
    if bits is not None and bits != BITS:
        text = f"{parts.config_name} says {bits} bits, but the shapes of {named(codes)} and {named(scales)} are those of {BITS}."
        said.append(remark("quant_config", text, codes, parts))
    version = config.word("version", stem)
    if config.method == "awq" and version in ("gemm", "gemv") and version != scheme.removeprefix("awq_"):
        text = (
            f"{parts.config_name} says {version}, but the shapes of {named(codes)} and {named(scales)} are those of "
            f"{scheme.removeprefix('awq_')}."
        )
        said.append(remark("quant_config", text, codes, parts))
    if config.method == "gptq" and not config.word("packing_format").startswith("auto_round:awq"):
        text = f"{parts.config_name} says GPTQ, but the shapes of {named(codes)} and {named(scales)} are those of AWQ."
        said.append(remark("quant_config", text, codes, parts))
    less = "less their zeros" if zeros is not None else f"less {MIDDLE}"
    return Claim(
        name=f"{stem}.weight",
        scheme=scheme,
        about=f"4-bit codes {less} times one {scales.type.name} scale per {size:,} values of a row",
        shape=shape,
        sources=(codes, scales) if zeros is None else (codes, scales, zeros),
        build=partial(build, size),
        runtime=scales.type.name,
        assumed=said_of(sizes),
        others={reading(other): partial(build, other) for other in sizes[1:]},
        findings=tuple(said),
        usual="I4:group",
    )


def _gemm_values(
    codes: TensorRecord, scales: TensorRecord, zeros: TensorRecord | None, shape: Shape, parts: Parts, size: int
) -> Values:
    rows, columns, groups = shape[-2], shape[-1], scales.shape[-2]

    def along(record: TensorRecord) -> Along:
        return Along(parts.stored(record), BITS, record.shape[-1] * 4, "interleaved")

    return Grouped(
        shape,
        Turned(along(codes), rows, columns),
        TurnedGrid(parts.stored(scales), groups, rows),
        Groups(size),
        zero=MIDDLE if zeros is None else Zeros(TurnedZeros(along(zeros), groups, rows)),
    )


def _gemv_values(
    codes: TensorRecord, scales: TensorRecord, zeros: TensorRecord | None, shape: Shape, parts: Parts, size: int
) -> Values:
    def along(record: TensorRecord) -> Along:
        return Along(parts.stored(record), BITS, record.shape[-1] * 4)

    return Grouped(
        shape,
        along(codes),
        Grid(parts.stored(scales), scales.shape[-1]),
        Groups(size),
        zero=MIDDLE if zeros is None else Zeros(along(zeros)),
    )


def _used(scales: TensorRecord, parts: Parts) -> int:
    """Scales of a row up to the last one that is not zero in most of the first rows: those behind it are padding."""
    wide = scales.shape[-1]
    rows = np.empty((min(scales.count // max(wide, 1), LOOKED_AT), wide), parts.stored(scales).value)
    if not rows.size:
        return 0
    parts.stored(scales).gather(np.arange(len(rows), dtype=np.int64) * wide, wide, rows, Workspace())
    used = np.flatnonzero(2 * np.count_nonzero(rows, axis=0) >= len(rows))
    return int(used[-1]) + 1 if len(used) else 0
