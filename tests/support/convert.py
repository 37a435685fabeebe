"""Converts made-up checkpoints as llama.cpp's converter would: every transform as a plain numpy recipe, none of ours.

The recipes are reshapes of whole arrays, written from the description of the formats; the product works on rows of ranges.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from support.build import gguf, safetensors

H, HK, HD, D, F, E, V = 4, 2, 16, 64, 96, 4, 300
KEY_HEADS, VALUE_HEADS, KEY, VALUE = 2, 4, 8, 12  # linear attention
LATENT, NOPE, MLA_VALUE = 24, 12, 16

Array = np.ndarray[Any, Any]


@dataclass
class Made:
    """A checkpoint and its conversion, and which GGUF tensor comes from which tensors of the checkpoint."""

    hf: dict[str, Array] = field(default_factory=dict)
    gguf: dict[str, Array] = field(default_factory=dict)
    truth: dict[str, tuple[set[str], str]] = field(default_factory=dict)


def convert(rows: list[dict[str, Any]], *, blocks: int = 2, seed: int = 1) -> Made:
    """Make the tensors of a table of verified names ({gguf, hf, transform}, {i} block, {x} expert) and convert them."""
    random, made = np.random.default_rng(seed), Made()
    every_head = any("query_key_value" in name for row in rows for name in row["hf"] if row["transform"] == "B")
    for row in rows:
        repeated = "{i}" in row["gguf"]
        for block in range(blocks if repeated else 1):
            target = row["gguf"].replace("{i}", str(block))
            if target in made.gguf:
                continue
            names = sorted({name for text in row["hf"] for name in _numbered(text, row["gguf"], block)})
            for name in names:
                if name not in made.hf:
                    shape = _shape(name, row["gguf"], row["transform"], every_head)
                    made.hf[name] = (random.standard_normal(shape) * 0.5).astype(np.float32)
            kv = H if every_head else HK
            made.gguf[target] = _forward(row["transform"], [made.hf[name] for name in names], names, kv)
            made.truth[target] = (set(names), row["transform"])
    return made


def save(
    made: Made, folder: Any, architecture: str, *, encode: Callable[[Array], tuple[int, bytes]] | None = None
) -> tuple[str, str]:
    """Write both files; `encode` gives (ggml type, bytes) of a 2-D weight whose rows are whole blocks."""
    tensors = []
    for name, values in made.gguf.items():
        kind, data = 0, np.ascontiguousarray(values).tobytes()
        if encode is not None and values.ndim >= 2 and values.shape[-1] % 32 == 0 and "norm" not in name:
            kind, data = encode(values)
        tensors.append((name, values.shape, kind, data))
    heads = H if any(t == "B" for _, t in made.truth.values()) else HK
    metadata = [("general.architecture", "str", architecture), (f"{architecture}.attention.head_count", "u32", H)]
    metadata += [
        (f"{architecture}.attention.head_count_kv", "u32", heads),
        (f"{architecture}.ssm.group_count", "u32", KEY_HEADS),
    ]
    metadata += [
        (f"{architecture}.ssm.time_step_rank", "u32", VALUE_HEADS),
        (f"{architecture}.ssm.state_size", "u32", KEY),
    ]
    metadata += [(f"{architecture}.ssm.inner_size", "u32", VALUE * VALUE_HEADS)]
    paths = folder / "made.gguf", folder / "model.safetensors"
    paths[0].write_bytes(gguf(metadata, tensors))
    paths[1].write_bytes(safetensors((n, "F32", v.shape, v.tobytes()) for n, v in made.hf.items()))
    return str(paths[0]), str(paths[1])


def _numbered(text: str, target: str, block: int) -> list[str]:
    if "block.{i}.layer.{i}" in text:  # T5 numbers the parts of a block as well
        part = 0 if "SelfAttention" in text else 1
        if "DenseReluDense" in text or ("layer_norm" in text and "ffn" in target):
            part = 2 if text.startswith("decoder") else 1
        elif "layer_norm" in text:
            part = 1 if "cross" in target else 0
        text = text.replace("block.{i}.layer.{i}", f"block.{block}.layer.{part}")
    text = text.replace("{i}", str(block))
    return [text.replace("{x}", str(x)) for x in range(E)] if "{x}" in text else [text]


def _shape(name: str, target: str, transform: str, every_head: bool) -> tuple[int, ...]:
    kv = H if every_head else HK
    base = re.sub(r"^(?:(?:enc|dec|v|a)\.)?(?:blk\.\{i\}\.)?", "", target)
    base, _, end = base.rpartition(".")
    vector = end == "bias" or "norm" in target or ".ln" in target
    rows = {
        "attn_q": H * HD, "attn_k": kv * HD, "attn_v": kv * HD, "attn_qkv": (H + 2 * kv) * HD, "ffn_up": F, "ffn_gate": F,
        "token_embd": V, "output": V, "ffn_gate_exps": F, "ffn_up_exps": F, "ffn_gate_up_exps": F,
    }  # fmt: skip
    widths = {"attn_output": H * HD, "ffn_down": F, "ffn_down_exps": F}
    if "qkvz" in transform:
        return (KEY_HEADS * (2 * KEY + 2 * VALUE_HEADS // KEY_HEADS * VALUE), D)
    if "q;k;V tile" in transform:
        size = 2 * KEY_HEADS * KEY + VALUE_HEADS * VALUE
        return (size, 1, 4) if transform.startswith("sq") else (size, D)
    if "V tile" in transform:
        sizes = {"heads": VALUE_HEADS, "rows": VALUE_HEADS * VALUE, "cols": VALUE_HEADS * VALUE}
        size = sizes[transform.rpartition(" ")[2]]
        matrix = name.endswith("weight")
        return (D, size) if transform.endswith("cols") else (size, D) if matrix else (size,)
    if transform in ("KB", "VB"):
        return (H * (NOPE + MLA_VALUE), LATENT)
    if "[:,:," in transform:
        return (32, 3, 2, 4, 4)
    if transform == "sq":
        return (48, 1, 4)
    if transform.startswith("third"):
        return (3 * H * HD,) if vector else (3 * H * HD, D)
    if "gate_up_proj_bias" in name:
        return (E, 2 * F)
    if "gate_up_proj" in name and "experts" in name:
        return (E, D, 2 * F) if "T2" in transform else (E, 2 * F, D)
    if "input_linear" in name:
        return (E, 2 * F, D)
    if "experts.down_proj" in name or "output_linear" in name:
        return (E, D) if name.endswith("bias") else (E, F, D) if "T2" in transform else (E, D, F)
    if transform.endswith("(n,1)") or transform.startswith("(g"):
        return (32,)
    if transform == "-exp":
        return (48, 16)
    if vector:
        return (rows.get(base, D),)
    if transform == "T":
        return (widths.get(base, D), rows.get(base, D + 8 if base == "attn_output" else D))
    return (rows.get(base, D), widths.get(base, D))


def _rope(w: Array, heads: int) -> Array:
    return w.reshape(heads, 2, w.shape[0] // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def _tile(w: Array, axis: int, each: int) -> Array:
    w = np.moveaxis(w, axis, 0)
    tiled = w.reshape(KEY_HEADS, VALUE_HEADS // KEY_HEADS, each, *w.shape[1:]).swapaxes(0, 1).reshape(w.shape)
    return np.moveaxis(tiled, 0, axis)


def _forward(transform: str, sources: list[Array], names: list[str], kv: int) -> Array:
    if transform == "S":
        return np.stack(sources)
    if transform == "S gate;up":
        gate, up = (
            np.stack([a for a, n in zip(sources, names, strict=True) if part in n]) for part in ("gate", "up_proj")
        )
        return np.concatenate([gate, up], axis=1)
    if transform.startswith("QKV"):
        q, k, v = (next(a for a, n in zip(sources, names, strict=True) if f"{c}_proj" in n) for c in "qkv")
        return np.concatenate([_rope(q, H), _rope(k, kv), v])
    w = sources[0]
    whole = transform.startswith(("[", "qkvz", "(")) or transform == "-exp,(n,1)"
    for code in [transform] if whole else transform.split(","):
        w = _one(code.strip(), w, kv)
    return np.ascontiguousarray(w)


def _one(code: str, w: Array, kv: int) -> Array:
    if code == "F":
        g = w.reshape(kv, H // kv + 2, HD, *w.shape[1:])
        return np.concatenate([part.reshape(-1, *w.shape[1:]) for part in (g[:, :-2], g[:, -2], g[:, -1])])
    if code == "B":
        return np.concatenate([w.reshape(H, 3, HD, *w.shape[1:])[:, k].reshape(-1, *w.shape[1:]) for k in range(3)])
    if code in ("KB", "VB"):
        heads = w.reshape(H, NOPE + MLA_VALUE, LATENT)
        return heads[:, :NOPE].swapaxes(1, 2) if code == "KB" else heads[:, NOPE:]
    if code.startswith("qkvz"):
        z = VALUE_HEADS // KEY_HEADS * VALUE
        parts = np.split(w.reshape(KEY_HEADS, -1, D), [KEY, 2 * KEY, 2 * KEY + z], axis=1)
        chosen = parts[3:] if code.endswith("z") and not code.endswith("v") else parts[:3]
        return np.concatenate([part.reshape(-1, D) for part in chosen])
    if "q;k;V tile" in code:
        first = 2 * KEY_HEADS * KEY
        return np.concatenate([w[:first], _tile(w[first:], 0, VALUE)])
    if "V tile" in code:
        kind = code.rpartition(" ")[2]
        return _tile(w, w.ndim - 1 if kind == "cols" else 0, 1 if kind == "heads" else VALUE)
    if cut := re.fullmatch(r"cut\[(\d*):(\d*)\]", code):
        return w[int(cut[1] or 0) : int(cut[2]) if cut[2] else None]
    if third := re.fullmatch(r"third\[(\d)\]", code):
        return np.split(w, 3)[int(third[1])]
    if frame := re.fullmatch(r"\[:,:,(\d)\]", code):
        return w[:, :, int(frame[1])]
    half = w.shape[-2] // 2 if w.ndim > 1 else 0
    simple: dict[str, Callable[[], Array]] = {
        "=": lambda: w,
        "P(q)": lambda: _rope(w, H),
        "P(k)": lambda: _rope(w, kv),
        "+1": lambda: w + np.float32(1),
        "T": lambda: w.T,
        "T2": lambda: w.swapaxes(-1, -2),
        "-exp": lambda: -np.exp(w),
        "sq": lambda: w.squeeze(),
        "rows[:half]": lambda: w[..., :half, :],
        "rows[half:]": lambda: w[..., half:, :],
        "rows[0::2]": lambda: w[..., 0::2, :],
        "rows[1::2]": lambda: w[..., 1::2, :],
        "cols[0::2]": lambda: w[..., 0::2],
        "cols[1::2]": lambda: w[..., 1::2],
        "(n,1)": lambda: w.reshape(-1, 1),
        "(g,n/g) g=2": lambda: w.reshape(2, -1),
        "-exp,(n,1)": lambda: (-np.exp(w)).reshape(-1, 1),
    }
    return simple[code]()
