"""Weights of 4- and 6-bit floats in groups, MXFP4, MXFP6 and NVFP4: their arithmetic and what their scales must be.

MX has one power of two per 32 values. NVFP4 has an E4M3 scale per 16 values and one scale for all of these, which
compressed-tensors divides by and ModelOpt multiplies with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from weightmap.companions.base import Claim, Refusal, Shape, Values, named, refusal, remark, shown
from weightmap.companions.grids.factors import Second
from weightmap.companions.grids.grid import Grid, in_groups
from weightmap.companions.packing.packed import e2m1, six_bits
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import Elements
from weightmap.types.base import StoredType
from weightmap.types.registry import by_name

MX, NV = 32, 16  # values of a group
STACK = 1 << 20  # matrices: the scales of so many are held in memory, and no model has nearly as many experts


@dataclass(frozen=True, slots=True)
class Form:
    """How the codes of one weight are packed: `scheme` and `words` name it, `group` values share a scale of type `scale`."""

    scheme: str
    words: str
    type: StoredType
    group: int
    scale: str
    usual: str

    def shape(self, stored: Shape) -> Shape:
        """Shape of the weight whose codes are stored as bytes of this shape."""
        return (*stored[:-1], stored[-1] // self.type.bytes * self.type.elements)


def mxfp4(scheme: str) -> Form:
    """4-bit floats with a power of two per 32."""
    return Form(scheme, "E2M1 codes times one E8M0 scale per 32 values of a row", e2m1(), MX, "F8_E8M0", "MXFP4")


def mxfp6(scheme: str, *, long: bool = False) -> Form:
    """6-bit floats with a power of two per 32; with a `long` exponent of three bits, whose usual error is not known."""
    words = f"{'E3M2' if long else 'E2M3'} codes times one E8M0 scale per 32 values of a row"
    return Form(scheme, words, six_bits(long=long), MX, "F8_E8M0", "" if long else "MXFP6")


def nvfp4(scheme: str, *, high: bool = False) -> Form:
    """4-bit floats with an E4M3 scale per 16."""
    words = "E2M1 codes times one E4M3 scale per 16 values of a row"
    return Form(scheme, words, e2m1(high=high), NV, "F8_E4M3", "NVFP4")


def grouped(
    name: str,
    form: Form,
    codes: TensorRecord,
    scale: TensorRecord,
    parts: Parts,
    *,
    shape: Shape | None = None,
    runtime: str | None = None,
) -> Claim | Refusal:
    """A weight of groups with one scale each, the scales stored as (..., rows, groups)."""
    shape = form.shape(codes.shape) if shape is None else shape
    if (wrong := misfit(name, form, codes, scale, shape, parts)) is not None:
        return wrong
    return Claim(
        name=name,
        scheme=form.scheme,
        about=form.words,
        shape=shape,
        sources=(codes, scale),
        build=partial(values, form, codes, scale, shape, parts),
        runtime=runtime,
        findings=tuple(odd_scales(codes, scale, parts, few=False, type=by_name(form.scale))),
        usual=form.usual,
    )


def twice_scaled(
    name: str,
    form: Form,
    codes: TensorRecord,
    scale: TensorRecord,
    second: TensorRecord,
    parts: Parts,
    *,
    divides: bool,
    shape: Shape | None = None,
) -> Claim | Refusal:
    """The same where the scales are scaled by one number, or one for each matrix of a stack."""
    shape = form.shape(codes.shape) if shape is None else shape
    sources = codes, scale, second
    if (wrong := misfit(name, form, codes, scale, shape, parts, second)) is not None:
        return wrong
    if second.count not in (1, shape[0] if len(shape) > 2 else 1) or second.type.name not in FLOATS:
        text = (
            f"{named(second)} ({second.type.name}, {shown(second.shape)}) should be one floating-point number"
            + (f", or {shape[0]:,} for the matrices" if len(shape) > 2 else "")
            + f", to scale the scales in {named(scale)}."
        )
        return refusal("scale_shape", text, name, form.scheme, sources, parts, at=second)
    if second.count > STACK:
        text = f"{named(second)} is said to scale the scales of {second.count:,} matrices in {named(scale)}: no stack has so many."
        return refusal("scale_shape", text, name, form.scheme, sources, parts, at=second)
    how = "÷" if divides else "×"
    return Claim(
        name=name,
        scheme=form.scheme,
        about=f"{form.words}, itself {how} one {second.type.name} scale",
        shape=shape,
        sources=sources,
        build=partial(values, form, codes, scale, shape, parts, second, divides),
        findings=(
            *odd_scales(codes, scale, parts, few=False, type=by_name(form.scale)),
            *second_findings(codes, second, parts, divides=divides),
        ),
        usual=form.usual,
    )


def misfit(
    name: str, form: Form, codes: TensorRecord, scale: TensorRecord, shape: Shape, parts: Parts, *more: TensorRecord
) -> Refusal | None:
    """Why scales do not fit the codes, or None where they do."""
    sources = codes, scale, *more
    if scale.type.name not in ("U8", form.scale):
        text = f"{named(scale)} is stored as {scale.type.name}; the scales of {form.scheme} are {form.scale}."
        return refusal("dtype_mismatch", text, name, form.scheme, sources, parts, at=scale, expected=form.scale)
    if codes.shape != shape and codes.shape[-1] % form.type.bytes:
        text = f"{named(codes)} has rows of {codes.shape[-1]:,} bytes, no whole number of {form.type.bytes}."
        return refusal("packed_size", text, name, form.scheme, sources, parts)
    wanted = (*shape[:-1], -(-shape[-1] // form.group))
    if scale.shape != wanted:
        text = (
            f"{named(scale)} has shape {shown(scale.shape)}, but a weight of {shown(shape)} in groups of {form.group} has "
            f"{shown(wanted)} scales."
        )
        return refusal(
            "scale_shape", text, name, form.scheme, sources, parts, at=scale, expected=wanted, found=scale.shape
        )
    return None


def values(
    form: Form,
    codes: TensorRecord,
    scale: TensorRecord,
    shape: Shape,
    parts: Parts,
    second: TensorRecord | None = None,
    divides: bool = False,
) -> Values:
    """The values, scales in the order of rows."""
    scales = parts.stored(scale, by_name(form.scale))
    grid = in_groups(shape, form.group)
    if second is not None and second.count > 1:
        grid = Grid(shape[-2], 1, shape[-1], form.group)
    return scaled(form, codes, scales, shape, grid, parts, second, divides)


def scaled(
    form: Form,
    codes: TensorRecord,
    scales: Elements,
    shape: Shape,
    grid: Grid,
    parts: Parts,
    second: TensorRecord | None = None,
    divides: bool = False,
) -> Values:
    """The values, the scales in whatever order they are read."""
    factor = None
    if second is not None:
        numbers = np.asarray(parts.values(second), np.float32).reshape(-1)
        factor = Second(second.name.rpartition(".")[2], numbers, divides)
    return Scaled(parts.stored(codes, form.type, shape), scales, grid, second=factor)


def second_findings(codes: TensorRecord, second: TensorRecord, parts: Parts, *, divides: bool) -> list[Finding]:
    """What is odd about the scale of the scales; one on the other side of 1 than its direction asks for is."""
    found = [*odd_scales(codes, second, parts, few=True)]
    numbers = parts.looked_at(second)
    if found or numbers is None:
        return found
    odd = np.abs(numbers) < 1 if divides else np.abs(numbers) > 1
    if odd.any():
        number = float(numbers.reshape(-1)[int(np.argmax(odd.reshape(-1)))])
        side = (
            "below 1, though scales are divided by it" if divides else "above 1, though scales are multiplied with it"
        )
        text = f"{named(second)} is {number:.6g}, {side}: its writer may have meant the reciprocal. It scales {named(codes)}."
        found.append(remark("odd_scale", text, second, parts, found=f"{number:.6g}"))
    return found
