"""Whether the config speaks of another quantization than the tensors show: of the whole model, or of some of its weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from weightmap.companions.base import Claim, Refusal, named, remark
from weightmap.companions.config import QuantConfig
from weightmap.companions.parts import Parts
from weightmap.errors import printable
from weightmap.findings import Finding

_FLOATS = ("fp8", "int8", "mx", "nvfp4", "int4", "float4")
SCHEMES: dict[str, tuple[str, ...]] = {
    "fp8": ("fp8", "mx"),
    "fbgemm_fp8": ("fp8",),
    "compressed-tensors": (*_FLOATS, "pack", "ct_", "marlin"),
    "modelopt": (*_FLOATS, "comfy"),
    "gptq": ("gptq", "awq"),
    "awq": ("awq", "gptq"),
    "bitsandbytes": ("bnb",),
    "mxfp4": ("mxfp4",),
    "bitnet": ("bitnet",),
    "mlx": ("mlx",),
    "torchao": ("torchao",),
    "hqq": ("hqq",),
    "eetq": ("eetq",),
    "aqlm": ("aqlm",),
    "vptq": ("vptq",),
    "higgs": ("higgs",),
    "quanto": ("quanto",),
}
"""By method of a config the beginnings of the names of schemes that it stands for."""

MXFP8 = ("mxfp8", "fp8_channel_e8m0", "fp8_tensor_e8m0")  # rows of one group have one exponent each

FORMATS: dict[str, tuple[str, ...]] = {
    "float-quantized": ("fp8", "mxfp8"),
    "naive-quantized": ("fp8", "int8"),
    "int-quantized": ("int8",),
    "pack-quantized": ("pack_quantized",),
    "nvfp4-pack-quantized": ("nvfp4",),
    "mxfp4-pack-quantized": ("mxfp4",),
    "mxfp6-pack-quantized": ("mxfp6",),
    "mxfp8-quantized": MXFP8,
}
"""The same by format of compressed-tensors, which may be another one for some weights."""

ALGORITHMS = (
    ("nvfp4", ("nvfp4",)),
    ("mxfp8", MXFP8),
    ("mxfp4", ("mxfp4",)),
    ("fp8_pb_wo", ("fp8_block",)),
    ("w4a", ("int4",)),
    ("int4", ("int4",)),
    ("w8a", ("int8",)),
    ("int8", ("int8",)),
    ("fp8", ("fp8",)),
)
"""Parts of names of ModelOpt's algorithms, the first that fits counts, and the schemes that these stand for."""


def contradictions(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Finding]:
    """A finding where a config names a method that is known, and none of the weights is in one of its schemes; else one for each
    kind of weights that are in another scheme than the config says for them, and one for those that it leaves out.
    """
    yield from _left_out(parts, entries)
    method = parts.config.method
    starts = SCHEMES.get(method)
    if starts is None or not entries:
        return
    if any(entry.scheme.startswith((method, *starts)) for entry in entries.values()):
        yield from _of_weights(parts, entries)
        return
    first = next(iter(entries.values()))
    schemes = ", ".join(sorted({entry.scheme for entry in entries.values()})[:3])
    text = (
        f"{parts.config_name} says that the model is quantized by {printable(method)}, but its weights are {schemes}; they are "
        "read as what they are."
    )
    yield remark("quant_config", text, first.sources[0], parts, expected=method, found=schemes)


def _of_weights(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Finding]:
    odd: dict[tuple[str, str], list[Claim]] = {}
    for name, entry in entries.items():
        told, starts = _told(parts.config, name.removesuffix(".weight"))
        if isinstance(entry, Claim) and starts and not entry.scheme.removeprefix("comfy_").startswith(starts):
            odd.setdefault((told, entry.scheme), []).append(entry)
    for (told, scheme), several in odd.items():
        codes = several[0].sources[0]
        more = f" So it is with {len(several) - 1:,} more." if len(several) > 1 else ""
        text = (
            f"{parts.config_name} says {printable(told)} for {named(codes)}, but its tensors are those of {scheme}, as which it is "
            f"read.{more}"
        )
        yield remark("quant_config", text, codes, parts, expected=told, found=scheme)


def _left_out(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Finding]:
    """One finding of the weights that are quantized though the config says that they are not."""
    several = [
        entry
        for name, entry in entries.items()
        if isinstance(entry, Claim) and parts.config.leaves_out(name.removesuffix(".weight"))
    ]
    if several:
        first = several[0]
        more = f" So it is with {len(several) - 1:,} more." if len(several) > 1 else ""
        text = (
            f"{parts.config_name} says that {printable(first.name)} is not quantized, but its tensors are those of "
            f"{first.scheme}, as which it is read.{more}"
        )
        yield remark("quant_config", text, first.sources[0], parts, expected="not quantized", found=first.scheme)


def _told(config: QuantConfig, module: str) -> tuple[str, tuple[str, ...]]:
    """(what the config says of a module, beginnings of the schemes that it stands for); none where it leaves that open."""
    if config.method == "compressed-tensors":
        form = config.word("format", module)
        return form, FORMATS.get(form, ())
    if config.method == "modelopt":
        algorithm = config.word("quant_algo", module)
        return algorithm, next((schemes for part, schemes in ALGORITHMS if part in algorithm), ())
    if config.method == "bitsandbytes":  # each weight says itself which 4-bit codes it has
        for key, schemes in (("load_in_8bit", ("bnb_int8",)), ("load_in_4bit", ("bnb_nf4", "bnb_fp4"))):
            if config.values.get(key) is True:
                kind = config.word("bnb_4bit_quant_type") if "4" in key else ""
                return (kind, (f"bnb_{kind}",)) if kind in ("nf4", "fp4") else (key, schemes)
    return "", ()
