"""GPTQ: codes packed down the columns of a weight stored turned round, zeros packed along them, an order of groups.

Writers of version 1 stored zeros less one, those of version 2 as they are, and configs are often wrong about which. Symmetric
zeros tell themselves; others do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, remark, shown
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.order import Order, order_of, reading
from weightmap.companions.integers.packed import Along, Down
from weightmap.companions.integers.per_group import Zeros
from weightmap.companions.integers.turned import Turned
from weightmap.companions.integers.upright import TurnedGrid, TurnedZeros
from weightmap.companions.integers.zero_points import convention_of, same_for_all
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord

WIDTHS = (4, 8, 3, 2)
WORDS = ("I32", "U32")
OTHERS = ("I8", "I16", "I64")  # words that gptqmodel packs into when it is told to


@dataclass(frozen=True, slots=True, eq=False)
class _Tensors:
    """The records of one weight and what their shapes say; `zeros` may be missing where the config says symmetric."""

    name: str
    codes: TensorRecord
    scales: TensorRecord
    zeros: TensorRecord | None
    order: TensorRecord | None
    bits: int = 0

    def all(self) -> tuple[TensorRecord, ...]:
        several = (self.codes, self.scales, self.zeros, self.order)
        return tuple(record for record in several if record is not None)

    @property
    def columns(self) -> int:
        """Columns of the weight."""
        return self.codes.shape[-2] * 32 // self.bits

    @property
    def shape(self) -> Shape:
        """Shape of the weight."""
        return (*self.codes.shape[:-2], self.codes.shape[-1], self.columns)

    @property
    def known(self) -> Shape | None:
        """The same, where the bits of a code are known."""
        return self.shape if self.bits else None


class Gptq(Scheme):
    """M.qweight (columns * bits / 32, rows), M.scales (groups, rows), M.qzeros (groups, rows * bits / 32), M.g_idx."""

    name, endings, types = "gptq", (".qweight",), frozenset({*WORDS, *OTHERS})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scales, zeros, order = (parts.get(stem + end) for end in (".scales", ".qzeros", ".g_idx"))
        name = f"{stem}.weight"
        if record.type.name in OTHERS:
            if zeros is None or zeros.type.name != record.type.name or scales is None:
                return None
            text = f"{named(record)} holds codes packed into words of {record.type.name}, which are not decoded here."
            of = _Tensors(name, record, scales, zeros, order)
            return self.refused("unknown_scheme", text, of, parts, severity=Severity.INFO)
        if scales is None:
            if zeros is None and order is None:
                return None
            text = f"{named(record)} holds packed codes, but their scales, {stem}.scales, are not there."
            return refusal("scale_missing", text, name, self.name, (record, zeros, order), parts)
        if len(record.shape) < 2 or len(scales.shape) != len(record.shape):
            return None
        if order is None and (scales.shape[-1] != record.shape[-1] or _rows_of_awq(record, scales, parts, stem)):
            return None  # AWQ
        of = _Tensors(name, record, scales, zeros, order)
        if scales.type.name not in FLOATS:
            text = f"{named(scales)}, the scales of {named(record)}, are stored as {scales.type.name}."
            return self.refused("dtype_mismatch", text, of, parts, at=scales, shape=of.known)
        if (planes := self._planes(stem, of, parts)) is not None:
            return planes
        bits = _bits(stem, of, parts)
        if isinstance(bits, str):
            return self.refused("packed_size", bits, of, parts, shape=of.known)
        sized = [self._sized(stem, _Tensors(name, record, scales, zeros, order, each), parts) for each in bits]
        claims = {each: one for each, one in zip(bits, sized, strict=True) if isinstance(one, Claim)}
        return _likeliest(claims, named(record)) if claims else sized[0]

    def _planes(self, stem: str, of: _Tensors, parts: Parts) -> Refusal | None:
        """Codes of 5, 6 or 7 bits, which only gptqmodel writes, in planes of bits."""
        form = parts.config.word("checkpoint_format", stem) or parts.config.word("format", stem)
        told = parts.config.number("bits", stem)
        if form != "gptq_p" and (told not in (5, 6, 7) or _holds_others(of, told)):
            return None
        text = f"{named(of.codes)} holds codes in planes of bits (gptq_p), which are not decoded here."
        return self.refused("unknown_scheme", text, of, parts, severity=Severity.INFO, shape=of.known)

    def _sized(self, stem: str, of: _Tensors, parts: Parts) -> Claim | Refusal:
        rows, groups = of.codes.shape[-1], of.scales.shape[-2]
        stack = of.codes.shape[:-2]
        if of.scales.shape != (*stack, groups, rows) or not 0 < groups <= of.columns:
            text = (
                f"{named(of.scales)} has shape {shown(of.scales.shape)}, but {shown(of.shape)} need {rows:,} per group."
            )
            return self.refused("scale_shape", text, of, parts, at=of.scales, shape=of.known)
        packed = (*stack, groups, -(-rows * of.bits // 32))
        if of.zeros is None and not parts.config.weights(stem).get("sym"):
            text = f"{named(of.codes)} has scales, but its zeros, {stem}.qzeros, are not there, and no config says symmetric."
            return self.refused("scale_missing", text, of, parts, shape=of.known)
        if of.zeros is not None and (of.zeros.shape != packed or of.zeros.type.name not in WORDS):
            text = (
                f"{named(of.zeros)} ({of.zeros.type.name}) has shape {shown(of.zeros.shape)}, but {groups:,} groups of "
                f"{rows:,} zeros of {of.bits} bits need {shown(packed)}."
            )
            return self.refused("scale_shape", text, of, parts, at=of.zeros, shape=of.known)
        if of.order is None and groups > 1 and parts.config.weights(stem).get("desc_act") is True:
            text = f"{parts.config_name} says that the columns of {named(of.codes)} have an order, but {stem}.g_idx is not there."
            return self.refused("scale_missing", text, of, parts, shape=of.known)
        told = parts.config.group(stem, of.columns)
        order = order_of(of.order, of.columns, groups, told, parts)
        if order.wrong is not None:
            return self.refused("group_index", order.wrong, of, parts, at=of.order, shape=of.known)
        return self._claimed(stem, of, order, told, parts)

    def _claimed(self, stem: str, of: _Tensors, order: Order, told: int | None, parts: Parts) -> Claim:
        said = [*odd_scales(of.codes, of.scales, parts, few=False)]
        groups = of.scales.shape[-2]
        if told is not None and -(-of.columns // told) != groups:
            text = f"{parts.config_name} says groups of {told:,}, but {named(of.scales)} has {groups:,} for {of.columns:,} columns."
            said.append(remark("quant_config", text, of.scales, parts))
        config = parts.config.number("bits", stem)
        if config is not None and config != of.bits and parts.config.method in ("gptq", "auto-round"):
            text = f"{parts.config_name} says {config} bits, but the shapes of {named(of.codes)} and its scales say {of.bits}."
            said.append(remark("quant_config", text, of.codes, parts))
        if order.indexed and of.order is not None and parts.config.weights(stem).get("desc_act") is False:
            text = (
                f"{parts.config_name} says that columns are in no order of their own (desc_act), but {named(of.order)} gives "
                "them one, in which they are read; loaders that go by the config read them as they lie."
            )
            said.append(remark("quant_config", text, of.order, parts))
        if (odd := order.uneven or order.unset) is not None and of.order is not None:
            said.append(remark("group_index", odd, of.order, parts, severity=Severity.WARNING))
        if parts.config.method == "awq":
            text = f"{parts.config_name} says AWQ, but the shapes of {named(of.codes)} and {named(of.scales)} are those of GPTQ."
            said.append(remark("quant_config", text, of.codes, parts))
        found = convention_of(stem, of.zeros, of.bits, of.codes.shape[-1], parts)
        build = partial(_values, of, order, parts)
        ordered = "per group of a tensor of indices" if order.indexed else f"per {order.size:,} values of a row"
        return Claim(
            name=of.name,
            scheme=found.scheme,
            about=f"{of.bits}-bit codes less their zeros, times one {of.scales.type.name} scale {ordered}; {found.words}",
            shape=of.shape,
            sources=of.all(),
            build=partial(build, found.added),
            runtime=of.scales.type.name,
            assumed=" ".join(filter(None, (found.assumed, order.assumed))) or None,
            others={words: partial(build, added) for words, added in found.others}
            | {reading(size): partial(_values, of, Order(size), parts, found.added) for size in order.others},
            findings=(*said, *found.said),
            usual=f"I{of.bits}:group",
        )


def _holds_others(of: _Tensors, told: int) -> bool:
    """Whether there are indices of more or fewer columns than codes of this many bits have here."""
    return of.order is not None and of.codes.shape[-2] * 32 // told != of.order.count


def _rows_of_awq(codes: TensorRecord, scales: TensorRecord, parts: Parts, stem: str) -> bool:
    """Whether codes and scales of one shape are rather the rows of AWQ's GEMV, whose padding may make them equally long."""
    named_so = parts.config.method == "awq" and "gemv" in (
        parts.config.word("version", stem),
        parts.config.word("format", stem),
    )
    return named_so and codes.shape == scales.shape


def _likeliest(claims: Mapping[int, Claim], codes: str) -> Claim:
    """The first of the claims by bits of a code; where there are more, said to be assumed, and the others its other readings."""
    (bits, first), *others = claims.items()
    if not others:
        return first
    fit = " and ".join(f"{other}" for other, _ in others)
    text = f"Nothing says how many bits the codes of {codes} have: {bits} are assumed, and {fit} would fit as well."
    return replace(
        first,
        assumed=" ".join(filter(None, (text, first.assumed))),
        others={**first.others, **{f"{other} bits": claim.build for other, claim in others}},
        shapes={f"{other} bits": claim.shape for other, claim in others},
    )


def _bits(stem: str, of: _Tensors, parts: Parts) -> tuple[int, ...] | str:
    """Bits of a code: what the number of columns says, else the zeros, else the config; a sentence where nothing fits.

    More than one, the likeliest first, where zeros of few rows take as many words for each, and no config says.
    """
    lines, rows = of.codes.shape[-2:]
    told = parts.config.number("bits", stem)
    order = tuple(sorted(WIDTHS, key=lambda bits: bits != told))
    whole = [bits for bits in order if lines * 32 % bits == 0]
    if of.order is not None and of.order.count:
        fitting = tuple(bits for bits in whole if lines * 32 // bits == of.order.count)
        if fitting:
            return fitting[:1]
        return (
            f"{named(of.codes)} has {lines:,} words per column, which hold {of.order.count:,} codes, as many as {named(of.order)} "
            "has indices, with no number of bits."
        )
    if of.zeros is not None:
        fitting = tuple(bits for bits in whole if -(-rows * bits // 32) == (of.zeros.shape or (0,))[-1])
        if fitting:
            return fitting[:1] if fitting[0] == told else fitting
    if told in whole:
        return (told,)
    return f"Neither a tensor of indices nor zeros nor a config says how many bits the codes of {named(of.codes)} have."


def _values(of: _Tensors, order: Order, parts: Parts, added: int) -> Values:
    rows, columns, groups = of.codes.shape[-1], of.columns, of.scales.shape[-2]
    zero: int | Zeros = 1 << of.bits - 1
    if of.zeros is not None:
        same = same_for_all(of.zeros, of.bits, rows, parts)
        line = Along(parts.stored(of.zeros), of.bits, of.zeros.shape[-1] * 4)
        zero = Zeros(TurnedZeros(line, groups, rows), added, same)
    indexed = None if of.order is None or not order.indexed else parts.stored(of.order)
    return Grouped(
        of.shape,
        Turned(Down(parts.stored(of.codes), of.bits, columns, rows), rows, columns),
        TurnedGrid(parts.stored(of.scales), groups, rows),
        Groups(order.size, indexed),
        zero=zero,
    )
