"""Floats of 4 and 6 bits in the types that safetensors has for them: the weight's own shape is stored; else as MX and NVFP4."""

from __future__ import annotations

from dataclasses import replace

from weightmap.companions.base import Claim, Refusal, Scheme, named, refusal
from weightmap.companions.parts import Parts
from weightmap.companions.scales import EXPONENTS
from weightmap.companions.schemes.float8 import scale_of
from weightmap.companions.schemes.fours import grouped, mxfp4, mxfp6, nvfp4, twice_scaled
from weightmap.formats.layout import TensorRecord


class StoredFours(Scheme):
    """W of F4 with exponents per 32 values, or E4M3 scales per 16 and one scale for these."""

    name, endings, types = "fp4", ("",), frozenset({"F4"})
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scale = scale_of(stem, parts)
        if scale is None or len(record.shape) < 2:
            return None
        times, over = parts.get(f"{scale.name}_2"), parts.get(f"{stem}_global_scale")
        second = times or over
        if second is not None:
            shape, divides = record.shape, times is None
            return twice_scaled(stem, nvfp4("nvfp4"), record, scale, second, parts, shape=shape, divides=divides)
        if scale.type.name == "F8_E4M3":
            text = f"{named(scale)} are scales of NVFP4, but what scales them, {scale.name}_2 or {stem}_global_scale, is not there."
            return refusal("scale_missing", text, stem, "nvfp4", (record, scale), parts, at=scale)
        if scale.type.name not in EXPONENTS:
            return None
        return grouped(stem, mxfp4("mxfp4"), record, scale, parts, shape=record.shape)


class StoredSixes(Scheme):
    """W of F6_E2M3 or F6_E3M2 with exponents per 32 values; in which order codes lie in bytes is assumed, as of any such tensor."""

    name, endings, types = "fp6", ("",), frozenset({"F6_E2M3", "F6_E3M2"})
    suffix = ""

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        scale = scale_of(stem, parts)
        if scale is None or len(record.shape) < 2 or scale.type.name not in EXPONENTS:
            return None
        form = mxfp6("mxfp6", long=record.type.name == "F6_E3M2")
        found = grouped(stem, form, record, scale, parts, shape=record.shape)
        return replace(found, assumed=record.type.assumed) if isinstance(found, Claim) else found
