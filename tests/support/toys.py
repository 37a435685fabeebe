"""Two small models: one of layers with a vocabulary, one of two tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.build import gguf, safetensors


def floats(*values: float) -> bytes:
    """These numbers as float32."""
    return np.array(values, "<f4").tobytes()


def ramp(count: int) -> bytes:
    """`count` float32 values: 0, 1, 2, ..."""
    return floats(*range(count))


def layered(path: Path) -> Path:
    """A GGUF of twelve layers in an order that only natural sorting mends, with a vocabulary and a long template."""
    names = [
        f"blk.{layer}.{role}.weight" for layer in (10, 2, 0, 1, *range(3, 10), 11) for role in ("ffn_up", "attn_q")
    ]
    tensors = [("token_embd.weight", (8, 4), 0, ramp(32))]
    tensors += [(name, (4, 4), 0, ramp(16)) for name in names]
    tensors += [("output_norm.weight", (4,), 0, ramp(4)), ("output_norm.bias", (4,), 0, ramp(4))]
    metadata = [
        ("general.architecture", "str", "toy"),
        ("general.name", "str", "A <b>bold</b> & [*] name"),
        ("toy.block_count", "u32", 12),
        ("tokenizer.chat_template", "str", "{{ bos }}\n" + "x" * 5000),
        ("tokenizer.ggml.tokens", "arr", ("str", [f"token {n}" for n in range(3000)])),
        ("tokenizer.ggml.scores", "arr", ("f32", [n / 2 for n in range(3000)])),
    ]
    path.write_bytes(gguf(metadata, tensors))
    return path


def pair(path: Path) -> Path:
    """A safetensors file of two tensors."""
    path.write_bytes(safetensors([("a.weight", "F32", (2, 8), ramp(16)), ("b", "F32", (4,), ramp(4))]))
    return path
