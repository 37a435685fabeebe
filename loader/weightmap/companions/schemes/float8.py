"""Codes of one byte with scales beside them: block, channel and tensor scales of fp8, and int8 in the same way.

Names differ with the writer, so what decides is the shape and the type of the scales.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from weightmap.companions.base import Claim, Refusal, Scheme, Shape, Values, named, refusal, remark, shown
from weightmap.companions.grids.grid import Grid
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.layouts import Fit, fit
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import EXPONENTS, FACTORS, exponent, odd_scales, same_numbers
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord

WIDEST = 128  # values of a row that share an exponent at the most
EIGHT_BITS = frozenset({"F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "I8"})
_BESIDE = ("_scale_inv", "_scale", "_weight_scale")
_IN_MODULE = (".scale_weight", ".scale", ".qscale_weight", ".weight_scales")
_FLOAT_METHODS = ("fp8", "fbgemm_fp8", "finegrained_fp8")


class EightBits(Scheme):
    """F8 or I8 weights with scales: DeepSeek, compressed-tensors, ModelOpt, FBGEMM, Mistral, ComfyUI's scaled fp8."""

    name, endings, types = "fp8", ("",), EIGHT_BITS
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        several = list(_scales(stem, parts))
        if not several:
            return _missing(record, parts)
        scale = several[0]
        if scale.type.name not in FACTORS:
            text = f"{named(scale)}, the scale of {named(record)}, is stored as {scale.type.name}, which no scale is."
            return refusal("dtype_mismatch", text, stem, self.name, (record, scale), parts, at=scale)
        found = fit(record.shape, scale.shape, scale.type.name, parts.config, _module(stem))
        if found is None:
            return None
        zero = parts.get(f"{stem}_zero_point")
        sources = (record, scale) if zero is None else (record, scale, zero)
        letters = "int8" if record.type.name == "I8" else "fp8"
        if isinstance(found, str):
            text = f"{named(scale)} has shape {shown(scale.shape)}, but {found}"
            return refusal("scale_shape", text, stem, letters, sources, parts, at=scale)
        if (rival := _rival(stem, several, record.shape, parts)) is not None:
            text = f"{named(scale, rival)} are both scales of {named(record)}, and differ: which of them count cannot be told."
            return refusal("several_scales", text, stem, letters, (*sources, rival), parts, at=rival)
        if zero is None and letters == "int8" and parts.config.weights(_module(stem)).get("symmetric") is False:
            text = f"{parts.config_name} says that {named(record)} was quantized with zeros, but {stem}_zero_point is not there."
            return refusal("scale_missing", text, stem, letters, sources, parts)
        if scale.type.name == "U8" and found.kind not in ("block", "group") and record.shape[-1:] > (WIDEST,):
            text = (
                f"{named(scale)} are bytes of shape {shown(scale.shape)}: exponents that 32 values of a row share, "
                f"or a block; a weight of {shown(record.shape)} has more of them."
            )
            return refusal("scale_shape", text, stem, letters, sources, parts, at=scale)
        unlike = zero is not None and zero.type.name == "U8"  # zeros of signed codes are signed
        if zero is not None and (zero.shape != scale.shape or zero.type.value.kind != "f" or unlike):
            text = (
                f"{named(zero)} ({zero.type.name}, {shown(zero.shape)}) does not fit the scales, {shown(scale.shape)}."
            )
            return refusal("scale_shape", text, stem, letters, sources, parts, at=zero)
        return _claim(stem, letters, sources, found, parts)


def _claim(name: str, letters: str, sources: tuple[TensorRecord, ...], found: Fit, parts: Parts) -> Claim:
    record, scale = sources[:2]
    power = scale.type.name in EXPONENTS and letters == "fp8"
    form = f"mx{letters}" if power and found.kind == "group" else f"{letters}_{found.kind}"
    scheme = f"{form}_e8m0" if power and not form.startswith("mx") else form
    findings = [*odd_scales(record, scale, parts, few=found.kind != "group")]
    if found.contradiction is not None:
        findings.append(
            remark("quant_config", f"{parts.config_name} says {found.contradiction} for {named(record)}.", scale, parts)
        )
    findings += _other_codes(record, zero=sources[2] if len(sources) > 2 else None, module=_module(name), parts=parts)
    kind = "E8M0" if power else scale.type.name
    return Claim(
        name=name,
        scheme=scheme,
        about=f"{record.type.name} codes times {found.words.format(kind)}",
        shape=record.shape,
        sources=sources,
        build=partial(_values, sources, found.grid, parts),
        runtime=None if power else scale.type.name,
        assumed=found.assumed,
        others={words: partial(_values, sources, grid, parts) for words, grid in found.others},
        findings=tuple(findings),
        usual="MXFP8" if scheme == "mxfp8" else f"{record.type.name}:{found.kind}",
    )


def _other_codes(record: TensorRecord, zero: TensorRecord | None, module: str, parts: Parts) -> Iterator[Finding]:
    """Where the config says another type of codes, or that they are symmetric, and they have zeros."""
    told = parts.config.word("fmt", module) if parts.config.method == "fp8" else ""
    if told in ("e4m3", "e5m2") and record.type.name in ("F8_E4M3", "F8_E5M2") and told not in record.type.name.lower():
        text = f"{parts.config_name} says {told} for {named(record)}, which is stored as {record.type.name}."
        yield remark("quant_config", text, record, parts)
    numbers = None if zero is None else parts.looked_at(zero)
    if numbers is not None and numbers.any() and parts.config.weights(module).get("symmetric") is True:
        text = (
            f"{parts.config_name} says that {named(record)} is symmetric, but it has zeros of its own, {named(zero)}."
        )
        yield remark("quant_config", text, record, parts)


def _values(sources: tuple[TensorRecord, ...], grid: Grid, parts: Parts) -> Values:
    record, scale, *zeros = sources
    scales = parts.stored(scale, exponent(scale))
    return Scaled(parts.stored(record), scales, grid, zeros=parts.stored(zeros[0]) if zeros else None)


def _module(stem: str) -> str:
    return stem.removesuffix(".weight")


def scale_of(stem: str, parts: Parts) -> TensorRecord | None:
    """The scales under any spelling: beside the parameter, or where it is a module's weight, in the module."""
    return next(_scales(stem, parts), None)


def _scales(stem: str, parts: Parts) -> Iterator[TensorRecord]:
    module = _module(stem)
    names = [stem + ending for ending in _BESIDE] + [module + ending for ending in _IN_MODULE if module != stem]
    yield from (found for name in names if (found := parts.get(name)) is not None)


def _rival(stem: str, several: Sequence[TensorRecord], shape: Shape, parts: Parts) -> TensorRecord | None:
    """Other scales than the first ones, under another spelling, that fit the weight as well; None where there are none."""
    scale, *others = several
    for other in others:
        if other.type.name not in FACTORS:
            continue
        fits = not isinstance(fit(shape, other.shape, other.type.name, parts.config, _module(stem)), str)
        if fits and not same_numbers(scale, other, parts):
            return other
    return None


def _missing(record: TensorRecord, parts: Parts) -> Refusal | None:
    """A cast without scales is legal; an error only where the config says that this weight has some."""
    if len(record.shape) < 2 or not record.name.endswith(("weight", "_proj")):
        return None
    module = _module(record.name)
    if parts.config.leaves_out(module) or not _demanded(record, parts, module):
        return None
    text = (
        f"{named(record)} holds {record.type.name} codes without scales, but {parts.config_name} says that the model is "
        f"quantized by {parts.config.method}: what the codes stand for cannot be told."
    )
    return refusal("scale_missing", text, record.name, "fp8", (record,), parts, expected="scales", found="none")


def _demanded(record: TensorRecord, parts: Parts, module: str) -> bool:
    config = parts.config
    integer = record.type.name == "I8"
    if config.method in _FLOAT_METHODS:
        return not integer
    if config.method == "compressed-tensors":
        kind = config.word("type", module) or ("int" if "int" in config.word("format", module) else "float")
        return config.number("num_bits", module) == 8 and kind == ("int" if integer else "float")
    if config.method == "modelopt":
        algorithm = config.word("quant_algo", module)
        return "fp8" in algorithm if not integer else algorithm.startswith("w8")
    return False
