"""ComfyUI's formats of floats: 8 bits with one scale, and MXFP8 and NVFP4 with scales in the tiles of matrix units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, NamedTuple

from weightmap.companions.base import Build, Claim, Refusal, Shape, Values, named, refusal, shown
from weightmap.companions.grids.grid import Grid, in_groups, one_for_all
from weightmap.companions.grids.orders import Swizzled, padded_shape
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.companions.schemes import fours
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import Elements
from weightmap.types.registry import by_name

OTHER_ORDER = "low nibble first"


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """One weight with its description. `module` is the path of both, `marker` the tensor that holds the description."""

    name: str
    weight: TensorRecord
    marker: TensorRecord | None
    description: Any
    module: str
    parts: Parts

    @property
    def settings(self) -> Mapping[str, Any]:
        """The description as a mapping, `params` laid over it; empty where it is something else."""
        told = self.description if isinstance(self.description, dict) else {}
        more = told.get("params")
        return told | more if isinstance(more, dict) else told

    @property
    def said_by(self) -> str:
        """Who says it, for a sentence."""
        return "The file's header" if self.marker is None else named(self.marker)

    def beside(self, ending: str) -> TensorRecord | None:
        """A companion in the module: "weight_scale"."""
        return self.parts.get(f"{self.module}.{ending}")

    def sources(self, *records: TensorRecord | None) -> tuple[TensorRecord, ...]:
        """The weight, these, and the marker; what is not there is left out."""
        return tuple(record for record in (self.weight, *records, self.marker) if record is not None)

    def refused(
        self, code: str, text: str, *, at: TensorRecord | None = None, severity: Severity | None = None
    ) -> Refusal:
        """A refusal of this weight."""
        sources = self.sources(self.beside("weight_scale"), self.beside("weight_scale_2"))
        return refusal(code, text, self.name, "comfy", sources, self.parts, at=at, severity=severity)

    def missing(self, ending: str) -> Refusal:
        """A refusal for want of a companion."""
        form = self.settings.get("format")
        text = f"{named(self.weight)} is in the format {form}, but its {ending} is not there: {self.module}.{ending}."
        return self.refused("scale_missing", text)

    def misfit(self, record: TensorRecord, wanted: str) -> Refusal:
        """A refusal for the shape or type of a companion."""
        text = (
            f"{named(record)} ({record.type.name}, {shown(record.shape)}) should be {wanted} for {named(self.weight)}."
        )
        return self.refused("scale_shape", text, at=record)


def eight_bit_floats(one: Described) -> Claim | Refusal:
    """Codes times one scale."""
    scale = one.beside("weight_scale")
    if scale is None:
        return one.missing("weight_scale")
    if scale.count != 1 or scale.type.name not in FLOATS:
        return one.misfit(scale, "one floating-point number")
    parts, weight = one.parts, one.weight
    return Claim(
        name=one.name,
        scheme="comfy_fp8",
        about=f"{weight.type.name} codes times one {scale.type.name} scale",
        shape=weight.shape,
        sources=one.sources(scale),
        build=partial(_single, weight, scale, parts),
        findings=tuple(odd_scales(weight, scale, parts, few=True)),
        usual=f"{weight.type.name}:tensor",
    )


def _single(weight: TensorRecord, scale: TensorRecord, parts: Parts) -> Values:
    return Scaled(parts.stored(weight), parts.stored(scale), one_for_all(weight.shape))


def mxfp8(one: Described) -> Claim | Refusal:
    """Codes times a power of two per 32; codes padded to 32 × 32, scales in tiles."""
    scale = one.beside("weight_scale")
    if scale is None:
        return one.missing("weight_scale")
    stored = one.weight.shape
    if (wrong := _tiles_misfit(one, scale, stored, 32, ("U8", "F8_E8M0"))) is not None:
        return wrong
    shape = _cropped(one, stored, 32)
    return Claim(
        name=one.name,
        scheme="comfy_mxfp8",
        about="F8_E4M3 codes times one E8M0 scale per 32 values of a row, the scales in tiles of 128 × 4",
        shape=shape,
        sources=one.sources(scale),
        build=partial(_swizzled_eights, one.weight, scale, stored, shape, one.parts),
        findings=tuple(odd_scales(one.weight, scale, one.parts, few=False)),
        usual="MXFP8",
    )


def _swizzled_eights(weight: TensorRecord, scale: TensorRecord, stored: Shape, shape: Shape, parts: Parts) -> Values:
    scales = Swizzled(parts.stored(scale, by_name("F8_E8M0")), stored[0], -(-stored[1] // 32))
    return Scaled(parts.stored(weight, None, shape), scales, in_groups(shape, 32))


def nvfp4(one: Described) -> Claim | Refusal:
    """E2M1 codes, the high nibble first, times an E4M3 scale per 16, itself times one scale; scales in tiles."""
    scale, second = one.beside("weight_scale"), one.beside("weight_scale_2")
    if scale is None:
        return one.missing("weight_scale")
    if second is None:
        return one.missing("weight_scale_2")
    form = fours.nvfp4("comfy_nvfp4", high=True)
    stored = form.shape(one.weight.shape) if one.weight.shape else ()
    orders = _orders(one, scale, stored)
    if orders[0].tiled and (wrong := _tiles_misfit(one, scale, stored, 16, ("U8", "F8_E4M3"))) is not None:
        return wrong
    if second.count != 1 or second.type.name not in FLOATS:
        return one.misfit(second, "one floating-point number")
    shape = _cropped(one, stored, 16)
    first, *others = orders
    tiles = " in tiles of 128 × 4," if first.tiled else ""

    def build(order: _Order) -> Build:
        return partial(_fours, order, one.weight, scale, second, stored, shape, one.parts)

    return Claim(
        name=one.name,
        scheme="comfy_nvfp4",
        about=f"{form.words},{tiles} itself × one {second.type.name} scale; the {'high' if first.high else 'low'} nibble is first",
        shape=shape,
        sources=one.sources(scale, second),
        build=build(first),
        others={order.words: build(order) for order in others},
        assumed=_assumed_order(first) if _by_modelopt(one) else None,
        findings=(
            *odd_scales(one.weight, scale, one.parts, few=False, type=by_name("F8_E4M3")),
            *fours.second_findings(one.weight, second, one.parts, divides=False),
        ),
        usual="NVFP4",
    )


class _Order(NamedTuple):
    """Whether the first value of a byte is in its high nibble, and whether scales lie in tiles; `words` names it as a reading."""

    words: str
    high: bool
    tiled: bool


def _orders(one: Described, scale: TensorRecord, stored: Shape) -> list[_Order]:
    """The orders that codes and scales may have, the likeliest first. ModelOpt writes the header that ComfyUI reads with its own
    orders: the low nibble first, and scales in rows as well.
    """
    tiles = [_Order("high nibble first", True, True), _Order(OTHER_ORDER, False, True)]
    rows = [_Order(f"{half} nibble first, scales in rows", half == "high", False) for half in ("low", "high")]
    fits = len(stored) == 2 and scale.shape == (stored[0], -(-stored[1] // 16)) and scale.type.name in ("U8", "F8_E4M3")
    if not fits or not prod(stored) or not _by_modelopt(one):
        return tiles
    return [*tiles, *rows] if scale.shape == padded_shape(*scale.shape) else rows


def _by_modelopt(one: Described) -> bool:
    written = one.parts.header("quantization_config")
    producer = written.get("producer") if isinstance(written, dict) else None
    return isinstance(producer, dict) and producer.get("name") == "modelopt"


def _assumed_order(order: _Order) -> str:
    if not order.tiled:
        return (
            "The first value of a byte is assumed to be in its low nibble, as ModelOpt has it, which wrote this file; ComfyUI "
            "has it in the high one."
        )
    return (
        "The first value of a byte is assumed to be in its high nibble, as ComfyUI has it; ModelOpt, which wrote this file, "
        "also writes the low one first."
    )


def _fours(
    order: _Order,
    weight: TensorRecord,
    scale: TensorRecord,
    second: TensorRecord,
    stored: Shape,
    shape: Shape,
    parts: Parts,
) -> Values:
    form = fours.nvfp4("comfy_nvfp4", high=order.high)
    scales: Elements = parts.stored(scale, by_name(form.scale))
    if order.tiled:
        scales = Swizzled(parts.stored(scale, by_name(form.scale)), stored[0], -(-stored[1] // form.group))
    return fours.scaled(form, weight, scales, shape, in_groups(shape, form.group), parts, second)


def _tiles_misfit(
    one: Described, scale: TensorRecord, stored: Shape, group: int, types: tuple[str, ...]
) -> Refusal | None:
    if len(stored) != 2 or not prod(stored):
        text = f"{named(one.weight)} has shape {shown(one.weight.shape)}; scales in tiles need a matrix."
        return one.refused("packed_size", text)
    wanted = padded_shape(stored[0], -(-stored[1] // group))
    turned = len(scale.shape) == 2 and scale.shape != wanted  # as many, but in another order
    if scale.type.name not in types or scale.count != prod(wanted) or turned:
        return one.misfit(scale, f"{' or '.join(types)} scales of {shown(wanted)}, padded to tiles of 128 × 4,")
    return None


def _cropped(one: Described, stored: Shape, unit: int) -> Shape:
    """Without the rows that were padded to a whole unit, where the bias tells how many there are."""
    bias = one.beside("bias")
    if bias is None or len(bias.shape) != 1:
        return stored
    rows = bias.shape[0]
    return (rows, stored[1]) if 0 < rows < stored[0] and -(-rows // unit) * unit == stored[0] else stored


def rows_grid(shape: Shape, scale: TensorRecord) -> Grid | None:
    """One scale for all, or one for each row; None where it is neither."""
    if scale.count == 1:
        return one_for_all(shape)
    if len(shape) == 2 and scale.count == shape[0] and scale.shape[0] == shape[0]:
        return Grid(shape[0], 1, shape[1], max(shape[1], 1))
    return None
