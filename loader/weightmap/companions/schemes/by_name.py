"""Schemes that are known by the names of their tensors and not decoded here: named, and their codes left as they are stored."""

from __future__ import annotations

from typing import NamedTuple

from weightmap.companions.base import Claim, Refusal, Scheme, named, refusal
from weightmap.companions.parts import Parts
from weightmap.findings import Severity
from weightmap.formats.layout import TensorRecord


class Names(NamedTuple):
    """One scheme: its `name`, how it is `called`, the ending of its codes' name, and endings of which one must be beside it.

    `also` are endings of what else belongs to it; `types` those that its codes have, () for any.
    """

    name: str
    called: str
    codes: str
    beside: tuple[str, ...]
    also: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


_LOW_RANK = (".proj_down", ".proj_up", ".lora_down", ".lora_up")

_WORDS = ("I32", "U32")

KNOWN: tuple[Names, ...] = (
    Names("hqq", "HQQ", ".W_q", (".nbits", ".scale"), (".zero", ".group_size", ".shape", ".axis", ".packing")),
    Names("sinq", "SINQ", ".W_q", (".meta",)),
    Names("exl2", "EXL2", ".q_weight", (".q_scale",), (".q_scale_max", ".q_groups", ".q_invperm", ".q_perm")),
    Names("exl3", "EXL3", ".trellis", (".suh", ".su"), (".svh", ".sv", ".mcg", ".mul1")),
    Names("quanto", "quanto", "._data", ("._scale",), ("._shift",)),
    Names("eetq", "EETQ", ".weight", (".weight_scales",), (), ("I8",)),
    Names("fp_quant", "FP-Quant", ".qweight", (".dqweight",), (".scales",)),
    Names("higgs", "HIGGS", ".weight", (".tables2", ".tables"), (".scales",)),
    Names(
        "svdquant",
        "SVDQuant (4-bit codes, to which a low-rank product is added)",
        ".qweight",
        (".wscales",),
        (".smooth_factor", ".smooth_factor_orig", ".wzeros", ".wtscale", ".wcscales", *_LOW_RANK),
    ),
    Names("ct_sparse", "compressed-tensors' sparse bitmask", ".compressed", (".bitmask",), (".row_offsets", ".shape")),
    Names("marlin_24", "Marlin 2:4", ".weight_packed", (".meta",), (".scale_packed",)),
    Names("marlin", "Marlin", ".B", (".workspace", ".s"), (), _WORDS),
    Names("aqlm", "AQLM", ".codes", (".codebooks",), (".scales",), ("I8", "U8", "I16", "U16")),
    Names("vptq", "VPTQ", ".indices", (".centroids.weight", ".centroids"), (".weight_scale", ".weight_bias")),
    Names("spqr", "SpQR", ".dense_weights", (".row_offsets", ".first_stats"), (".second_stats",)),
    Names("gemma_qat", "Gemma's quantized embeddings", ".embedding_quantized", (".embedding_scale", ".scale")),
    Names("nvfp4_transformers", "NVFP4 of transformers", ".weight", (".weight_sf", ".weight_sf_rowmajor"), (), ("U8",)),
)


class ByName(Scheme):
    """One of the schemes above."""

    def __init__(self, known: Names) -> None:
        self.name, self.endings, self.types = known.name, (known.codes,), frozenset(known.types)
        self._known = known

    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        beside = [found for end in self._known.beside if (found := parts.get(stem + end)) is not None]
        if not beside or self._is_rows_scaled(record, beside[0]):
            return None
        others = [parts.get(stem + end) for end in self._known.also]
        text = (
            f"{named(record)} and {named(beside[0])} are parts of a weight quantized by {self._known.called}, which is not "
            "decoded here: they are shown as they are stored."
        )
        name = stem.removesuffix(".weight") + ".weight"
        return refusal(
            "unknown_scheme", text, name, self.name, (record, *beside, *others), parts, severity=Severity.INFO
        )

    def _is_rows_scaled(self, record: TensorRecord, beside: TensorRecord) -> bool:
        """Whether these only look like EETQ: its weights lie turned round, with a scale for each column."""
        return self.name == "eetq" and len(record.shape) == 2 and beside.shape != record.shape[1:]


SCHEMES = tuple(ByName(known) for known in KNOWN)
