"""A model and its quantized file, made for tests: values of our own, written in block types by the loader's encoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from support.build import gguf

from weightmap.quantize.registry import ENCODERS
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

Array = np.ndarray[Any, Any]
ROLES = {"attn_q": (64, 256), "attn_k": (64, 256), "ffn_down": (96, 256)}


def encoded(kind: str, values: Array) -> tuple[int, bytes]:
    """(ggml's type id, bytes) of values in a stored type."""
    known = by_name(kind)
    assert known is not None and known.id is not None
    if known not in ENCODERS:
        return known.id, np.ascontiguousarray(values, known.dtype or np.float32).tobytes()
    rows = np.ascontiguousarray(values, np.float32).reshape(-1, known.elements)
    blocks = np.zeros((len(rows), known.bytes), np.uint8)
    ENCODERS[known].encode(rows, blocks, Workspace())
    return known.id, blocks.tobytes()


def original(layers: int = 3) -> dict[str, Array]:
    """Values of a small model: an embedding, some matrices and a norm per layer."""
    rng = np.random.default_rng(7)
    values: dict[str, Array] = {"token_embd.weight": rng.normal(size=(128, 256)) * 0.04}
    for layer in range(layers):
        for role, shape in ROLES.items():
            values[f"blk.{layer}.{role}.weight"] = rng.normal(size=shape) * 0.03
        values[f"blk.{layer}.attn_norm.weight"] = 1 + rng.normal(size=256) * 0.1
    return {name: array.astype(np.float32) for name, array in values.items()}


def damaged(name: str, values: Array) -> Array:
    """One matrix with its rows in another order, one with noise added, all else as it is: a change for `write`."""
    rng = np.random.default_rng(3)
    if name == "blk.1.attn_k.weight":
        return values[rng.permutation(len(values))]
    if name == "blk.2.ffn_down.weight":
        return (values + rng.normal(size=values.shape) * 0.006).astype(np.float32)
    return values


def write(
    path: Path, values: Mapping[str, Array], kind: str = "F32", change: Callable[[str, Array], Array] | None = None
) -> Path:
    """A GGUF of these values, matrices in a stored type; `change` is made to them before they are encoded."""
    tensors = []
    for name, array in values.items():
        array = array if change is None else change(name, array)
        which, data = encoded(kind if array.ndim > 1 else "F32", array)
        tensors.append((name, array.shape, which, data))
    path.write_bytes(gguf((("general.architecture", "str", "toy"),), tensors))
    return path
