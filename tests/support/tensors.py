"""One tensor in a real file, opened, of given values or of random blocks: what the tests of the views look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from support.blocks import finite_blocks
from support.build import gguf, safetensors

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
KINDS = {kind.name: kind for kind in weightmap.whatif_types()}


def stored(folder: Path, values: Any, name: str = "t") -> weightmap.Tensor:
    """The values (an array of a dtype that safetensors knows) as the only tensor of a file in `folder`."""
    array = np.asarray(values)
    path = folder / f"{len(list(folder.iterdir()))}.safetensors"
    path.write_bytes(safetensors([(name, DTYPES[array.dtype.name], array.shape, array.tobytes())]))
    return weightmap.open(str(path)).tensors[name]


def in_blocks(
    folder: Path, name: str, shape: tuple[int, ...], spoil: dict[int, float] | None = None
) -> weightmap.Tensor:
    """Random blocks of a type by its name; `spoil` puts scales into blocks by number."""
    kind = KINDS[name]
    blocks = finite_blocks(kind, int(np.prod(shape)) // kind.elements, seed=3)
    for number, scale in (spoil or {}).items():
        blocks[number, :2] = np.float16(scale).reshape(1).view(np.uint8)
    path = folder / f"{len(list(folder.iterdir()))}.gguf"
    path.write_bytes(gguf(tensors=[("w", shape, kind.id, blocks.tobytes())]))
    return weightmap.open(path).tensors["w"]
