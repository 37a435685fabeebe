"""Whether the config speaks of another quantization than the tensors show: one finding where nothing is as it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from weightmap.companions.base import Claim, Refusal, remark
from weightmap.companions.parts import Parts
from weightmap.errors import printable
from weightmap.findings import Finding

_FLOATS = ("fp8", "int8", "mx", "nvfp4", "int4", "float4")
SCHEMES: dict[str, tuple[str, ...]] = {
    "fp8": ("fp8", "mx"),
    "fbgemm_fp8": ("fp8",),
    "compressed-tensors": (*_FLOATS, "pack", "ct_", "marlin"),
    "modelopt": _FLOATS,
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


def contradictions(parts: Parts, entries: Mapping[str, Claim | Refusal]) -> Iterator[Finding]:
    """A finding where a config names a method that is known, and none of the weights is in one of its schemes."""
    method = parts.config.method
    starts = SCHEMES.get(method)
    if starts is None or not entries or any(entry.scheme.startswith((method, *starts)) for entry in entries.values()):
        return
    first = next(iter(entries.values()))
    schemes = ", ".join(sorted({entry.scheme for entry in entries.values()})[:3])
    text = (
        f"{parts.config_name} says that the model is quantized by {printable(method)}, but its weights are {schemes}; they are "
        "read as what they are."
    )
    yield remark("quant_config", text, first.sources[0], parts, expected=method, found=schemes)
