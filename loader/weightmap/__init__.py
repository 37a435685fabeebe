"""weightmap opens GGUF and safetensors weight files: zero-copy views, exact decoding, findings, measures. Needs numpy only.

weights = weightmap.load_weights("model.gguf")          # strict: a name gives a numpy array
with weightmap.open("model.gguf") as model:             # tolerant: whatever can be read, and findings
    print(model.status, model.tensors["output.weight"].statistics())
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weightmap.version import __version__

if TYPE_CHECKING:
    from weightmap import distributed, errors, telemetry
    from weightmap.api import find_models, load_weights, open
    from weightmap.asked import nearest_name
    from weightmap.comparing import compare, measure_pair
    from weightmap.comparison import Comparison, PairError
    from weightmap.composed import Composed, Layer
    from weightmap.errors import (
        Cancelled,
        ClosedError,
        CorruptWeightError,
        FileChangedError,
        MissingFileError,
        MissingPackageError,
        SeveralModelsError,
        TruncatedFileError,
        UnreadableFileError,
        UnsupportedFormatError,
        WeightFileError,
        printable,
    )
    from weightmap.findings import Finding, Severity
    from weightmap.formats.layout import Part
    from weightmap.frameworks import to_jax, to_torch
    from weightmap.integrity.digests import Digest, FileDigest, digest
    from weightmap.integrity.outcome import Mismatch, Missing, Verification
    from weightmap.integrity.verification import verify
    from weightmap.measure.binning import Histogram
    from weightmap.measure.block_health import BlockHealth
    from weightmap.measure.blocks import Block, BlockNumber
    from weightmap.measure.differences import RowError
    from weightmap.measure.heatmap import Heatmap
    from weightmap.measure.statistics import Statistics
    from weightmap.model import WeightFile
    from weightmap.pair_values import PairValues, can_be_fresh
    from weightmap.pairing.tensor_pair import TensorPair, Unpaired
    from weightmap.pairs import Pairs, pair_models
    from weightmap.report.write import write_report
    from weightmap.requantize import WhatIf, whatif, whatif_types
    from weightmap.source.address import basename as file_name
    from weightmap.source.address import is_url
    from weightmap.tensor import Tensor
    from weightmap.types.anatomy import Field as BlockField
    from weightmap.types.base import StoredType
    from weightmap.types.coded import CodedType
    from weightmap.types.registry import register as register_type
    from weightmap.validation import Verdict, validate
    from weightmap.weights import Weights
    from weightmap.writing import write_values

__all__ = [
    "Block",
    "BlockField",
    "BlockHealth",
    "BlockNumber",
    "Cancelled",
    "ClosedError",
    "CodedType",
    "Comparison",
    "Composed",
    "CorruptWeightError",
    "Digest",
    "FileChangedError",
    "FileDigest",
    "Finding",
    "Heatmap",
    "Histogram",
    "Layer",
    "Mismatch",
    "Missing",
    "MissingFileError",
    "MissingPackageError",
    "PairError",
    "PairValues",
    "Pairs",
    "Part",
    "RowError",
    "SeveralModelsError",
    "Severity",
    "Statistics",
    "StoredType",
    "Tensor",
    "TensorPair",
    "TruncatedFileError",
    "Unpaired",
    "UnreadableFileError",
    "UnsupportedFormatError",
    "Verdict",
    "Verification",
    "WeightFile",
    "WeightFileError",
    "Weights",
    "WhatIf",
    "__version__",
    "can_be_fresh",
    "compare",
    "digest",
    "distributed",
    "errors",
    "file_name",
    "find_models",
    "is_url",
    "load_weights",
    "measure_pair",
    "nearest_name",
    "open",
    "pair_models",
    "printable",
    "register_type",
    "telemetry",
    "to_jax",
    "to_torch",
    "validate",
    "verify",
    "whatif",
    "whatif_types",
    "write_report",
    "write_values",
]

# Names are fetched on first use: a command that only prints its help, or is interrupted, has not loaded numpy yet.
_HOMES = {
    "distributed": "weightmap.distributed",
    "errors": "weightmap.errors",
    "telemetry": "weightmap.telemetry",
    "find_models": "weightmap.api",
    "load_weights": "weightmap.api",
    "open": "weightmap.api",
    "nearest_name": "weightmap.asked",
    "Cancelled": "weightmap.errors",
    "ClosedError": "weightmap.errors",
    "CorruptWeightError": "weightmap.errors",
    "FileChangedError": "weightmap.errors",
    "MissingFileError": "weightmap.errors",
    "MissingPackageError": "weightmap.errors",
    "SeveralModelsError": "weightmap.errors",
    "TruncatedFileError": "weightmap.errors",
    "UnreadableFileError": "weightmap.errors",
    "UnsupportedFormatError": "weightmap.errors",
    "WeightFileError": "weightmap.errors",
    "printable": "weightmap.errors",
    "Finding": "weightmap.findings",
    "Severity": "weightmap.findings",
    "Part": "weightmap.formats.layout",
    "Digest": "weightmap.integrity.digests",
    "FileDigest": "weightmap.integrity.digests",
    "digest": "weightmap.integrity.digests",
    "Mismatch": "weightmap.integrity.outcome",
    "Missing": "weightmap.integrity.outcome",
    "Verification": "weightmap.integrity.outcome",
    "verify": "weightmap.integrity.verification",
    "Heatmap": "weightmap.measure.heatmap",
    "Block": "weightmap.measure.blocks",
    "BlockField": "weightmap.types.anatomy:Field",
    "BlockHealth": "weightmap.measure.block_health",
    "BlockNumber": "weightmap.measure.blocks",
    "Histogram": "weightmap.measure.binning",
    "to_jax": "weightmap.frameworks",
    "to_torch": "weightmap.frameworks",
    "Statistics": "weightmap.measure.statistics",
    "WeightFile": "weightmap.model",
    "compare": "weightmap.comparing",
    "Comparison": "weightmap.comparison",
    "PairError": "weightmap.comparison",
    "measure_pair": "weightmap.comparing",
    "PairValues": "weightmap.pair_values",
    "can_be_fresh": "weightmap.pair_values",
    "RowError": "weightmap.measure.differences",
    "Composed": "weightmap.composed",
    "Layer": "weightmap.composed",
    "TensorPair": "weightmap.pairing.tensor_pair",
    "Unpaired": "weightmap.pairing.tensor_pair",
    "Pairs": "weightmap.pairs",
    "pair_models": "weightmap.pairs",
    "file_name": "weightmap.source.address:basename",
    "is_url": "weightmap.source.address",
    "Tensor": "weightmap.tensor",
    "StoredType": "weightmap.types.base",
    "CodedType": "weightmap.types.coded",
    "register_type": "weightmap.types.registry:register",
    "Verdict": "weightmap.validation",
    "validate": "weightmap.validation",
    "Weights": "weightmap.weights",
    "write_values": "weightmap.writing",
    "WhatIf": "weightmap.requantize",
    "whatif": "weightmap.requantize",
    "write_report": "weightmap.report.write",
    "whatif_types": "weightmap.requantize",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, _, other = _HOMES[name].partition(":")
    module = import_module(home)
    value = globals()[name] = (
        module if name in ("distributed", "errors", "telemetry") else getattr(module, other or name)
    )
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
