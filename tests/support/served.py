"""Files to be served: a small GGUF, and a safetensors file far larger than what should travel of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.build import gguf

LARGE = 250_000_000


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype("<f4")


def small(path: Path) -> Path:
    """A GGUF with a plain, a half and a quantized tensor, each of more than one block of the cache."""
    dice = np.random.default_rng(1)
    blocks = dice.integers(1, 59, (256 * 1024 // 32, 34), dtype=np.uint8)
    tensors = [
        ("plain", (200, 500), 0, floats(200, 500).tobytes()),
        ("half", (300, 256), 1, floats(300, 256).astype("<f2").tobytes()),
        ("quantized", (256, 1024), 8, blocks.tobytes()),
    ]
    path.write_bytes(gguf(tensors=tensors))
    return path


def sparse(path: Path) -> Path:
    """A safetensors file of 250 MB that takes next to nothing on the disk: one small tensor behind a very large one."""
    size = LARGE - 8 - 4096 - 4000
    header = (
        f'{{"large":{{"dtype":"U8","shape":[{size}],"data_offsets":[0,{size}]}},'
        f'"small":{{"dtype":"F32","shape":[10,100],"data_offsets":[{size},{size + 4000}]}}}}'
    ).ljust(4096)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode())
        file.truncate(LARGE - 4000)
        file.seek(LARGE - 4000)
        file.write(floats(10, 100).tobytes())
    return path
