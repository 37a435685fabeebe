"""bitsandbytes: 4-bit codes of a table in blocks that run over the ends of rows, and int8 rows scaled to 127."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, shown
from weightmap.companions.integers.grouped import Grouped
from weightmap.companions.integers.groups import Groups
from weightmap.companions.integers.packed import Along
from weightmap.companions.integers.per_group import Grid
from weightmap.companions.integers.tabled import Nested, Tabled
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FLOATS, odd_scales
from weightmap.companions.schemes.four_bit_tables import odd_table
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord
from weightmap.types.fields import Floats
from weightmap.types.registry import by_name

STATES = (".bitsandbytes__nf4", ".bitsandbytes__fp4")
_STATE = ".quant_state"
MOST = 1 << 48
LARGEST = float(np.finfo(np.float32).max)
PER_127 = np.float32(0.007874015718698502)


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """What the JSON of a 4-bit weight says, checked for its kinds."""

    kind: str
    shape: Shape
    block: int
    nested_block: int
    nested_offset: float
    dtype: str


class _Lying(NamedTuple):
    """The tensors that a 4-bit weight lies in; the last two where its scales are scaled in turn."""

    codes: TensorRecord
    absmax: TensorRecord
    table: TensorRecord
    nested: TensorRecord | None
    nested_table: TensorRecord | None


class FourBits(Scheme):
    """W, W.absmax, W.quant_map and W.quant_state.bitsandbytes__nf4 or __fp4, which alone knows the shape."""

    name, endings, types = "bnb_4bit", (*STATES, ".absmax"), frozenset()

    def weight(self, stem: str) -> str:
        """The stem without what stands between it and a state."""
        return stem.removesuffix(_STATE)

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        name = self.weight(stem)
        codes, absmax = parts.get(name), parts.get(f"{name}.absmax")
        if codes is None:
            return None
        table, nested, nested_table = (
            parts.get(f"{name}{end}") for end in (".quant_map", ".nested_absmax", ".nested_quant_map")
        )
        states = [found for end in STATES if (found := parts.get(f"{name}{_STATE}{end}")) is not None]
        sources = (codes, absmax, table, nested, nested_table, *states)
        if not states:
            text = f"{named(codes)} has {named(absmax)}, but its quant_state, which knows type, blocks and shape, is not there."
            return refusal("quant_metadata", text, name, self.name, sources, parts)
        if len(states) > 1:
            text = f"{named(*states)} are both descriptions of {named(codes)}: there is one for each weight."
            return refusal("quant_metadata", text, name, self.name, sources, parts, at=states[1])
        state = _read(states[0], codes, parts, nested=nested is not None)
        if isinstance(state, str):
            return refusal("quant_metadata", state, name, self.name, sources, parts, at=states[0])
        for part, what in ((absmax, "absmax"), (table, "quant_map")):
            if part is None:
                text = f"{named(codes)} has a quant_state, but {name}.{what} is not there."
                return refusal("scale_missing", text, name, self.name, sources, parts, shape=state.shape)
        assert absmax is not None and table is not None
        lying = _Lying(codes, absmax, table, nested, nested_table)
        wrong = _misfit(lying, state)
        if wrong is not None:
            return refusal(wrong[0], wrong[1], name, self.name, sources, parts, shape=state.shape, at=wrong[2])
        scheme = f"bnb_{state.kind}" + ("_nested" if nested is not None else "")
        scaled = ", which are scaled in turn" if nested is not None else ""
        scale = absmax if nested is None else nested
        return Claim(
            name=name,
            scheme=scheme,
            about=f"4-bit codes of a table ({state.kind}) times one scale per {state.block:,} values{scaled}",
            shape=state.shape,
            sources=tuple(source for source in sources if source is not None),
            build=partial(_four_bits, lying, state, parts),
            runtime=state.dtype or None,
            findings=(
                *odd_scales(codes, scale, parts, few=False),
                *odd_table(codes, table, state.kind, parts),
                *(() if nested_table is None else odd_scales(codes, nested_table, parts, few=False, signed=True)),
            ),
            usual=state.kind.upper(),
        )


def _read(record: TensorRecord, codes: TensorRecord, parts: Parts, *, nested: bool) -> _State | str:
    """The state that the JSON spells; a sentence where it does not."""
    try:
        said = parts.json(record)
    except ValueError as problem:
        return f"{named(record)} {problem}: what {named(codes)} holds cannot be told."
    if not isinstance(said, dict):
        return f"{named(record)} is no JSON object: what {named(codes)} holds cannot be told."
    shape, block, inner = said.get("shape"), said.get("blocksize"), said.get("nested_blocksize", 256)
    kind, offset = said.get("quant_type"), said.get("nested_offset", None if nested else 0.0)
    if not isinstance(shape, list) or len(shape) > 8 or not all(type(n) is int and 0 <= n < MOST for n in shape):
        return f"{named(record)} says no shape of {named(codes)}."
    if kind not in ("nf4", "fp4"):
        return f"{named(record)} says the quantization {str(kind)[:40]!r} for {named(codes)}, which is not known."
    if not (type(block) is int and 0 < block < MOST and type(inner) is int and 0 < inner < MOST):
        return f"{named(record)} says no usable sizes of blocks for {named(codes)}."
    if not isinstance(offset, int | float) or not abs(offset) <= LARGEST:
        return f"{named(record)} says no finite offset for the scales of {named(codes)}."
    dtype = said.get("dtype")
    return _State(kind, tuple(shape), block, inner, float(offset), dtype if isinstance(dtype, str) else "")


def _misfit(lying: _Lying, state: _State) -> tuple[str, str, TensorRecord] | None:
    """(code, sentence, tensor) of the first part whose size is not what the shape needs."""
    codes, absmax, table, nested, nested_table = lying
    count = prod(state.shape)
    blocks = -(-count // state.block)
    if codes.nbytes != -(-count // 2):
        text = (
            f"{named(codes)} has {codes.nbytes:,} bytes, but its quant_state says the shape {shown(state.shape)}, which "
            f"needs {-(-count // 2):,}."
        )
        return "packed_size", text, codes
    if absmax.count != blocks:
        text = f"{named(absmax)} has {absmax.count:,} scales for {blocks:,} blocks of {state.block:,} values of {named(codes)}."
        return "scale_shape", text, absmax
    if table.count != 16 or table.type.name not in FLOATS:
        return "scale_shape", f"{named(table)} has {table.count:,} values ({table.type.name}) for 16 codes.", table
    if absmax.type.name in FLOATS and nested is None:
        return None
    if absmax.type.name != "U8" or nested is None or nested_table is None:
        text = (
            f"{named(absmax)} is stored as {absmax.type.name}: bytes need nested_absmax and nested_quant_map of {named(codes)}, "
            "and floats have none."
        )
        return "scale_missing" if absmax.type.name == "U8" else "dtype_mismatch", text, absmax
    wanted = -(-blocks // state.nested_block)
    if nested.count != wanted or nested.type.name not in FLOATS:
        text = f"{named(nested)} has {nested.count:,} scales ({nested.type.name}) for {wanted:,} blocks of scales."
        return "scale_shape", text, nested
    if nested_table.count != 256 or nested_table.type.name not in FLOATS:
        text = f"{named(nested_table)} has {nested_table.count:,} values ({nested_table.type.name}) for 256 codes."
        return "scale_shape", text, nested_table
    return None


def _four_bits(lying: _Lying, state: _State, parts: Parts) -> Values:
    codes, absmax, table, nested, nested_table = lying

    def numbers(record: TensorRecord) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            return parts.values(record).astype(np.float32).reshape(-1)

    inner = None
    if nested is not None and nested_table is not None:
        with np.errstate(over="ignore"):
            offset = np.float32(state.nested_offset)
        inner = Nested(numbers(nested_table), parts.stored(nested), state.nested_block, offset)
    stored = parts.stored(codes, by_name("U8"), (codes.nbytes,))  # whatever type the bytes are kept in
    return Tabled(state.shape, stored, numbers(table), parts.stored(absmax), state.block, inner)


class EightBitRows(Scheme):
    """LLM.int8: M.weight of I8, its rows' largest magnitudes in M.SCB, and M.weight_format 0 for rows as they are."""

    name, endings, types = "bnb_int8", (".SCB", ".weight_format"), frozenset()

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        name = f"{stem}.weight"
        codes, scale, form = parts.get(name), parts.get(f"{stem}.SCB"), parts.get(f"{stem}.weight_format")
        if codes is None or codes.type.name != "I8" or len(codes.shape) < 2:
            return None
        if scale is None:
            text = f"{named(codes)} has {named(form)}, but its scales, {stem}.SCB, are not there."
            return refusal("scale_missing", text, name, self.name, (codes,), parts)
        if scale.type.name not in FLOATS:
            text = f"{named(scale)}, the scales of {named(codes)}, are stored as {scale.type.name}."
            return refusal("dtype_mismatch", text, name, self.name, (codes, scale), parts, at=scale)
        if scale.count != prod(codes.shape[:-1]):
            text = f"{named(scale)} ({scale.type.name}) has {scale.count:,} scales for the {prod(codes.shape[:-1]):,} rows."
            return refusal("scale_shape", text, name, self.name, (codes, scale), parts, at=scale)
        if form is not None and form.count == 1 and (told := parts.values(form).reshape(-1)[0]) != 0:
            text = f"{named(form)} says layout {told:g} of {named(codes)}, an order for a GPU that is not decoded here."
            return refusal(
                "unknown_scheme", text, name, self.name, (codes, scale), parts, at=form, severity=Severity.INFO
            )
        return Claim(
            name=name,
            scheme=self.name,
            about=f"I8 codes times one {scale.type.name} scale per row, divided by 127",
            shape=codes.shape,
            sources=(codes, scale),
            build=partial(_rows, codes, scale, parts),
            runtime="F16",
            findings=tuple(odd_scales(codes, scale, parts, few=True)),
            usual="I8:channel",
        )


def _rows(codes: TensorRecord, scale: TensorRecord, parts: Parts) -> Values:
    return Grouped(
        codes.shape,
        Along(parts.stored(codes), 8, codes.shape[-1], signed=True),
        Grid(parts.stored(scale), 1),
        Groups(max(codes.shape[-1], 1)),
        factor=PER_127,
    )
