"""Weights that lie in two tensors: codes of F8_E4M3 and the scales of their blocks, rows or columns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from support.build import safetensors

DOWN, UP = "model.layers.0.mlp.down_proj.weight", "model.layers.0.mlp.up_proj.weight"


def codes(rows: int, columns: int, seed: int) -> bytes:
    """Random codes of finite values; those of every other column are below zero."""
    found = np.random.default_rng(seed).integers(0, 126, (rows, columns)).astype(np.uint8)
    return (found | (np.arange(columns, dtype=np.uint8) % 2 * 128)).tobytes()


def checkpoint(folder: Path) -> Path:
    """DOWN with the scales 0.5 and 0.25, UP with more scales than it has blocks, and plain tensors around them."""
    scales = np.array([[0.5, 0.25]], np.float32)
    path = folder / "model.safetensors"
    folder.mkdir()
    path.write_bytes(
        safetensors(
            [
                ("model.embed_tokens.weight", "F32", (4, 8), np.arange(32, dtype=np.float32).tobytes()),
                (DOWN, "F8_E4M3", (128, 256), codes(128, 256, 1)),
                (f"{DOWN}_scale_inv", "F32", (1, 2), scales.tobytes()),
                ("model.layers.0.input_layernorm.weight", "F32", (8,), np.ones(8, np.float32).tobytes()),
                (UP, "F8_E4M3", (128, 256), codes(128, 256, 2)),
                (f"{UP}_scale_inv", "F32", (3, 3), np.ones(9, np.float32).tobytes()),
            ]
        )
    )
    (folder / "config.json").write_text(
        json.dumps({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})
    )
    return path


def squares(path: Path, *, decided: bool = False) -> Path:
    """Two square experts with as many scales as rows and as columns; `decided` says by their shape that they are of rows."""
    scales = np.linspace(0.1, 0.9, 16, dtype=np.float32)
    shape = (2, 8, 1) if decided else (2, 8)
    path.parent.mkdir(exist_ok=True)
    entries = [
        ("a.weight", "F8_E4M3", (2, 8, 8), codes(16, 8, 3)),
        ("a.weight_scale", "F32", shape, scales.tobytes()),
    ]
    path.write_bytes(safetensors(entries))
    return path
