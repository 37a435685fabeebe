"""weightmap opens GGUF and safetensors weight files: zero-copy views, exact decoding, findings, measures. Needs numpy only.

weights = weightmap.load_weights("model.gguf")          # strict: a name gives a numpy array
with weightmap.open("model.gguf") as model:             # tolerant: whatever can be read, and findings
    print(model.status, model.tensors["output.weight"].statistics())
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weightmap import errors
from weightmap.api import find_models, load_weights, open
from weightmap.errors import (
    Cancelled,
    ClosedError,
    CorruptWeightError,
    FileChangedError,
    MissingFileError,
    SeveralModelsError,
    TruncatedFileError,
    UnreadableFileError,
    UnsupportedFormatError,
    WeightFileError,
    printable,
)
from weightmap.findings import Finding, Severity
from weightmap.formats.layout import Part
from weightmap.measure.heatmap import Heatmap
from weightmap.measure.histogram import Histogram
from weightmap.measure.statistics import Statistics
from weightmap.model import WeightFile
from weightmap.tensor import Tensor
from weightmap.types.base import StoredType
from weightmap.types.registry import register as register_type
from weightmap.weights import Weights

if TYPE_CHECKING:
    from weightmap.comparison import Comparison, PairError, compare
    from weightmap.pairing.tensor_pair import TensorPair, Unpaired
    from weightmap.pairs import Pairs, pair_models

__version__ = "0.1.0"

__all__ = [
    "Cancelled",
    "ClosedError",
    "Comparison",
    "CorruptWeightError",
    "FileChangedError",
    "Finding",
    "Heatmap",
    "Histogram",
    "MissingFileError",
    "PairError",
    "Pairs",
    "Part",
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
    "WeightFile",
    "WeightFileError",
    "Weights",
    "__version__",
    "compare",
    "errors",
    "find_models",
    "load_weights",
    "open",
    "pair_models",
    "printable",
    "register_type",
]

_LATER = {
    "comparison": ("Comparison", "PairError", "compare"),
    "pairing.tensor_pair": ("TensorPair", "Unpaired"),
    "pairs": ("Pairs", "pair_models"),
}


def __getattr__(name: str) -> Any:
    """Names of comparing, imported when first asked for: most programs only open files, and should start fast."""
    for module, names in _LATER.items():
        if name in names:
            found = getattr(import_module(f"weightmap.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'weightmap' has no attribute {name!r}")
