"""ComfyUI's formats of integers: 8 bits, and 4 bits in pairs, some of them rotated before they were quantized."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from weightmap.companions.base import Claim, Refusal, Shape, Values, named, remark, shown
from weightmap.companions.grids.grid import Grid, in_groups
from weightmap.companions.grids.orders import Turned
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.order import reading, said_of, sizes_of
from weightmap.companions.integers.packed import Along
from weightmap.companions.integers.upright import TurnedGrid
from weightmap.companions.packing.packed import codebook, lowered, signed
from weightmap.companions.packing.rows import SixInPlanes
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.rotated import Rotated, is_size
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.companions.schemes.asymmetric import Asymmetric, Shifted
from weightmap.companions.schemes.comfy_formats import Described, rows_grid
from weightmap.errors import printable
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import Elements
from weightmap.types.base import StoredType
from weightmap.types.registry import by_name


def int8(one: Described) -> Claim | Refusal:
    """Codes times one scale, or one per row; turned back where `convrot` says so."""
    return _by_rows(one, "comfy_int8", None, one.weight.shape)


def convrot_w4a4(one: Described) -> Claim | Refusal:
    """Signed nibbles times one scale per row, turned back."""
    if one.settings.get("convrot") is False:
        text = (
            f"{one.said_by} says that {named(one.weight)} is in the format convrot_w4a4, but was not rotated (convrot)."
        )
        return one.refused("quant_metadata", text, at=one.marker)
    return _by_rows(one, "comfy_int4", signed(), _doubled(one.weight.shape), turned=True)


def _by_rows(
    one: Described, scheme: str, type: StoredType | None, shape: Shape, *, turned: bool = False
) -> Claim | Refusal:
    scale = one.beside("weight_scale")
    if scale is None:
        return one.missing("weight_scale")
    grid = rows_grid(shape, scale) if scale.type.name in FLOATS else None
    if grid is None or len(shape) != 2:
        return one.misfit(scale, "one floating-point scale, or one per row,")
    size = _rotation(one, shape, turned=turned)
    if isinstance(size, Refusal):
        return size
    bits = "I8" if type is None else "I4"
    each = "" if scale.count == 1 else " per row"
    back = f", turned back in pieces of {size:,}" if size else ""
    return Claim(
        name=one.name,
        scheme=f"{scheme}_convrot" if size else scheme,
        about=f"{bits} codes times one {scale.type.name} scale{each}{back}",
        shape=shape,
        sources=one.sources(scale),
        build=partial(_rows, one.weight, scale, type, shape, grid, size, one.parts),
        findings=tuple(odd_scales(one.weight, scale, one.parts, few=True)),
        usual=f"{bits}:channel" if scale.count > 1 else f"{bits}:tensor",
    )


def _rows(
    weight: TensorRecord,
    scale: TensorRecord,
    type: StoredType | None,
    shape: Shape,
    grid: Grid,
    size: int,
    parts: Parts,
) -> Values:
    values = Scaled(parts.stored(weight, type, shape), parts.stored(scale), grid)
    return Rotated(values, size) if size else values


def asym_w4a8(one: Described) -> Claim | Refusal:
    """Codes of 4 bits into a codebook, or of 6 bits, times a relative scale and rounded to int8, times one scale per row,
    plus a correction per group where there is one, turned back.
    """
    ends = ("s_rel", "s_channel", "codebook", "correction")
    relative, rows, book, correction = (one.beside(f"weight_{end}") for end in ends)
    if relative is None or rows is None:
        return one.missing("weight_s_rel" if relative is None else "weight_s_channel")
    stored = one.weight.shape
    if len(stored) != 2 or len(relative.shape) != 2 or relative.shape[0] != stored[0] or not relative.count:
        return one.misfit(relative, "some scales for each row")
    told = one.settings.get("group_size", 16)
    wide, six = _geometry(stored[1], relative.shape[1], told if type(told) is int else 0)
    shape = stored[0], wide * relative.shape[1]
    if not wide or relative.type.name not in FLOATS | {"F8_E4M3", "U8"}:
        return one.misfit(relative, f"floating-point scales, a whole number of groups for rows of {stored[1]:,} bytes,")
    if rows.count != shape[0] or rows.type.name not in FLOATS:
        return one.misfit(rows, f"{shape[0]:,} floating-point numbers, one per row,")
    if book is not None and (book.count != 16 or book.type.name not in FLOATS or six):
        return one.misfit(book, "16 floating-point numbers for codes of 4 bits")
    if correction is not None and (correction.shape != relative.shape[::-1] or correction.type.name not in FLOATS):
        return one.misfit(correction, f"floating-point numbers of {shown(relative.shape[::-1])}")
    size = _rotation(one, shape, turned=True)
    if isinstance(size, Refusal):
        return size
    sources = one.sources(relative, rows, book, correction)
    return Claim(
        name=one.name,
        scheme="comfy_w6a8" if six else "comfy_w4a8",
        about=f"{6 if six else 4}-bit codes, a relative scale per {wide:,} values, rounded to I8, times one scale per row",
        shape=shape,
        sources=sources,
        build=partial(_asymmetric, one.weight, (relative, rows, book, correction), shape, wide, six, size, one.parts),
        findings=(*_other_groups(one, wide), *odd_scales(one.weight, rows, one.parts, few=True)),
        usual="I6:group" if six else "I4:group",
    )


def _geometry(stored: int, groups: int, told: int) -> tuple[int, bool]:
    """(values of a group, whether codes have 6 bits) for rows of so many bytes: as told where that fits, else of 4 bits."""
    for bits in (4, 6):
        if told > 0 and told * groups * bits == stored * 8:
            return told, bits == 6
    wide, rest = divmod(2 * stored, groups)
    return (0 if rest else wide), False


def _asymmetric(
    weight: TensorRecord,
    companions: tuple[TensorRecord, TensorRecord, TensorRecord | None, TensorRecord | None],
    shape: Shape,
    wide: int,
    six: bool,
    size: int,
    parts: Parts,
) -> Values:
    relative, rows, book, correction = companions
    numbers = None if book is None else parts.values(book).reshape(-1)
    codes: Elements = SixInPlanes(parts.stored(weight, by_name("U8")), shape)
    if not six:
        codes = parts.stored(weight, lowered() if numbers is None else codebook(numbers), shape)
    scales = parts.stored(relative, by_name("F8_E4M3") if relative.type.name == "U8" else None)
    values: Values = Asymmetric(codes, scales, parts.stored(rows), in_groups(shape, wide))
    if correction is not None:
        values = Shifted(values, Turned(parts.stored(correction)), in_groups(shape, wide))
    return Rotated(values, size) if size else values


def awq_w4a16(one: Described) -> Claim | Refusal:
    """(code - 8) * scale + zero, scales and zeros (groups, rows)."""
    scale, zero = one.beside("weight_scale"), one.beside("weight_zeros")
    if scale is None or zero is None:
        return one.missing("weight_scale" if scale is None else "weight_zeros")
    shape = _doubled(one.weight.shape)
    for record in (scale, zero):
        fits = len(record.shape) == 2 == len(shape) and record.shape[1] == shape[0] and record.shape[0] > 0
        if not fits or record.type.name not in FLOATS or record.shape != scale.shape:
            return one.misfit(record, "floating-point numbers of (groups, rows)")
    told = one.settings.get("group_size")
    wide, *others = sizes_of(shape[1], scale.shape[0], told if type(told) is int and told > 0 else None)
    return Claim(
        name=one.name,
        scheme="comfy_awq",
        about=f"(code - 8) times one {scale.type.name} scale per {wide:,} values of a row, plus an offset",
        shape=shape,
        sources=one.sources(scale, zero),
        build=partial(_offset, one.weight, scale, zero, shape, wide, one.parts),
        assumed=said_of((wide, *others)),
        others={reading(other): partial(_offset, one.weight, scale, zero, shape, other, one.parts) for other in others},
        findings=(*_other_groups(one, wide), *odd_scales(one.weight, scale, one.parts, few=False)),
        usual="I4:group",
    )


def _offset(
    weight: TensorRecord, scale: TensorRecord, zero: TensorRecord, shape: Shape, wide: int, parts: Parts
) -> Values:
    groups, rows = scale.shape
    return Grouped(
        shape,
        Along(parts.stored(weight), 4, weight.shape[-1]),
        TurnedGrid(parts.stored(scale), groups, rows),
        Groups(wide),
        zero=8,
        offset=TurnedGrid(parts.stored(zero), groups, rows),
    )


def _other_groups(one: Described, wide: int) -> Iterator[Finding]:
    """What is said of groups of another size than the scales are for."""
    told = one.settings.get("group_size")
    if type(told) is int and told > 0 and told != wide:
        text = (
            f"{one.said_by} says groups of {str(told)[:40]} for {named(one.weight)}, but its scales are one for each {wide:,} "
            "values of a row."
        )
        yield remark("quant_config", text, one.marker or one.weight, one.parts)


def _doubled(shape: Shape) -> Shape:
    return (*shape[:-1], 2 * shape[-1]) if shape else shape


def _rotation(one: Described, shape: Shape, *, turned: bool) -> int | Refusal:
    """Over how many values the weight was rotated, 0 where it was not; `turned`: whether it was where nothing is said.

    A refusal where what is said is neither yes nor no, or that is no size of such a rotation.
    """
    said = one.settings.get("convrot", turned)
    if type(said) is not bool:
        text = (
            f"{one.said_by} says {printable(str(said)[:40])} of whether {named(one.weight)} was rotated (convrot), which is "
            "neither true nor false."
        )
        return one.refused("quant_metadata", text, at=one.marker)
    if not said:
        return 0
    size = one.settings.get("convrot_groupsize", 256)
    if type(size) is not int or not is_size(size) or shape[-1] % size:
        text = (
            f"{one.said_by} says that {named(one.weight)} was rotated in pieces of {str(size)[:40]}; rows of "
            f"{shown(shape[-1:])} values are no whole number of pieces of a power of four."
        )
        return one.refused("quant_metadata", text, at=one.marker)
    return size
