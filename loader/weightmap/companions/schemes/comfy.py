"""ComfyUI's quantized weights: each says in JSON beside it, or in the file's header, what its format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weightmap.companions.base import Claim, Refusal, Scheme, named, refusal
from weightmap.companions.parts import Parts
from weightmap.companions.scales import FLOATS
from weightmap.companions.schemes.comfy_formats import Described, eight_bit_floats, mxfp8, nvfp4
from weightmap.companions.schemes.comfy_integers import asym_w4a8, awq_w4a16, convrot_w4a4, int8
from weightmap.errors import printable
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord

HEADER = "_quantization_metadata"
PREFIX = 8  # parts of a path that may stand before those that the header has
_PREFIXES = ("", "model.diffusion_model.", "diffusion_model.", "model.")

FORMATS: dict[str, tuple[frozenset[str], Callable[[Described], Claim | Refusal]]] = {
    "float8_e4m3fn": (frozenset({"F8_E4M3"}), eight_bit_floats),
    "float8_e5m2": (frozenset({"F8_E5M2"}), eight_bit_floats),
    "mxfp8": (frozenset({"F8_E4M3"}), mxfp8),
    "nvfp4": (frozenset({"U8"}), nvfp4),
    "int8_tensorwise": (frozenset({"I8"}), int8),
    "convrot_w4a4": (frozenset({"I8"}), convrot_w4a4),
    "asym_w4a8_int8": (frozenset({"I8"}), asym_w4a8),
    "awq_w4a16": (frozenset({"I8"}), awq_w4a16),
}
"""By name of the format the types that its codes are stored in, and what reads it."""

NAMED = frozenset({"svdquant_w4a4"})
"""Formats that are known by name alone."""


class ComfyQuant(Scheme):
    """`M.comfy_quant` beside `M.weight`, or an entry for M in the header."""

    name, endings = "comfy", (".comfy_quant", ".weight")
    types = frozenset({"U8", "I8", "F8_E4M3", "F8_E5M2"})

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        name = f"{stem}.weight"
        marker = record if record.name.endswith(".comfy_quant") else parts.get(f"{stem}.comfy_quant")
        weight = parts.get(name)
        if marker is None:
            described = _layers(parts)
            if described is None and f"{name}_scale" in parts.records:
                text = (
                    f"The header's {HEADER} is no JSON of layers, so how {named(record)} is quantized cannot be told."
                )
                sources = (record, parts.get(f"{name}_scale"), parts.get(f"{name}_scale_2"))
                return refusal("quant_metadata", text, name, self.name, sources, parts)
            if not described or stem not in described:
                return _undescribed(name, record, parts)
            return _read(Described(name, record, None, described[stem], stem, parts))
        if weight is None:
            return None
        # an early end of the JSON leaves nothing to go by
        sources = (weight, parts.get(f"{name}_scale"), marker)
        try:
            described = parts.json(marker)
        except ValueError as problem:
            text = f"{named(marker)}, which says how {named(weight)} is quantized, {problem}."
            return refusal("quant_metadata", text, name, self.name, sources, parts, at=marker)
        one = Described(name, weight, marker, described, stem, parts)
        other = Described(name, weight, None, (_layers(parts) or {}).get(stem), stem, parts).settings
        formats = [settings.get("format") for settings in (one.settings, other or one.settings)]
        if formats[0] != formats[1]:
            first, second = (printable(str(form)[:80]) for form in formats)
            text = (
                f"{named(marker)} and the header's {HEADER} name two formats of {named(weight)}: {first} and {second}."
            )
            return one.refused("quant_metadata", text, at=marker)
        return _read(one)


def _undescribed(name: str, weight: TensorRecord, parts: Parts) -> Refusal | None:
    """The refusal of a weight whose scales may lie in tiles or in rows: the header that would say it speaks of others alone."""
    scale = parts.get(f"{name}_scale")
    if scale is None or scale.count == 1 or scale.type.name in FLOATS:
        return None
    if not any(header["layers"] for header in parts.headers(HEADER)):
        return None
    text = (
        f"The header's {HEADER} says how the weights here are quantized, but not how {named(weight)} is: in which order its "
        f"scales, {named(scale)}, lie cannot be told."
    )
    return refusal("quant_metadata", text, name, "comfy", (weight, scale, parts.get(f"{name}_scale_2")), parts)


def _read(one: Described) -> Claim | Refusal:
    form = one.settings.get("format")
    if not isinstance(form, str):
        text = f"{one.said_by} names no format for {named(one.weight)}."
        return one.refused("quant_metadata", text, at=one.marker)
    if form in NAMED:
        text = f"{named(one.weight)} is in ComfyUI's format {form}, which is not decoded here: it is shown as it is stored."
        return one.refused("unknown_scheme", text, at=one.weight, severity=Severity.INFO)
    if form not in FORMATS:
        text = f"{one.said_by} says that {named(one.weight)} is in the format {printable(form[:80])}, which is not known here."
        return one.refused("unknown_scheme", text, at=one.marker)
    types, read = FORMATS[form]
    if one.weight.type.name not in types:
        wanted = " or ".join(sorted(types))
        text = (
            f"{one.said_by} says that {named(one.weight)} is in the format {form}, whose codes are {wanted}; they are stored "
            f"as {one.weight.type.name}."
        )
        return one.refused("dtype_mismatch", text, at=one.weight)
    return read(one)


def _layers(parts: Parts) -> Mapping[str, Any] | None:
    """What the header says of each module, by its path in the file; empty where it says nothing, None where it is no JSON."""

    def read() -> Mapping[str, Any] | None:
        told: dict[str, Any] = {}
        for header in parts.headers(HEADER):
            modules = header.get("layers") if isinstance(header, dict) else None
            if not isinstance(modules, dict):
                return None
            told |= modules
        found: dict[str, Any] = {}
        for key, described in told.items():
            for module in _meant(key.removesuffix(".weight"), parts):
                found.setdefault(module, described)
        return found

    return parts.once(HEADER, read)


def _meant(key: str, parts: Parts) -> Sequence[str]:
    """The modules here that a module of the header is: called so, under or without a usual prefix, or those that end so."""
    bare = (key.removeprefix(prefix) for prefix in reversed(_PREFIXES))
    for module in (*(prefix + key for prefix in _PREFIXES), *bare):
        if f"{module}.weight" in parts.records:
            return (module,)
    return parts.once(f"{HEADER} ends", lambda: _ends(parts)).get(key, ())


def _ends(parts: Parts) -> dict[str, list[str]]:
    """By each end of a path the modules with scales that end so."""
    found: dict[str, list[str]] = {}
    for name in parts.records:
        module = name.removesuffix(".weight_scale")
        end = module if module != name and f"{module}.weight" in parts.records else ""
        for _ in range(PREFIX):
            if not (end := end.partition(".")[2]):
                break
            found.setdefault(end, []).append(module)
    return found
