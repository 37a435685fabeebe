"""One tensor of given values in a real file, opened: what the tests of the views look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from support.build import safetensors

import weightmap

DTYPES = {
    "bool": "BOOL",
    "int8": "I8",
    "int32": "I32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
}


def stored(folder: Path, values: Any, name: str = "t") -> weightmap.Tensor:
    """The values (an array of a dtype that safetensors knows) as the only tensor of a file in `folder`."""
    array = np.asarray(values)
    path = folder / f"{len(list(folder.iterdir()))}.safetensors"
    path.write_bytes(safetensors([(name, DTYPES[array.dtype.name], array.shape, array.tobytes())]))
    return weightmap.open(str(path)).tensors[name]
