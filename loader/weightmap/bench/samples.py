"""Generated files to measure on: a small one per stored type, one with a large vocabulary, one with many tensors."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.registry import ENCODERS
from weightmap.types.base import Blocks, StoredType
from weightmap.types.registry import BUILT_IN
from weightmap.types.workspace import Workspace

COLUMNS = 4096
_TILE = 1 << 16  # values that are really quantized; the file repeats them
_TEXT, _ARRAY = 8, 9  # ggml's numbers of metadata types

Entry = tuple[str, tuple[int, ...], StoredType, bytes]


def types() -> tuple[StoredType, ...]:
    """The types that a generated file is made of: all that hold numbers."""
    return tuple(kind for kind in BUILT_IN if kind.value.kind == "f")


def per_type(folder: str, kind: StoredType, rows: int) -> str:
    """Write a file with one tensor (rows, 4096) of this type, as GGUF where ggml has the type; its path."""
    entry = ("blk.0.ffn_up.weight", (rows, COLUMNS), kind, blocks(kind, rows * COLUMNS).tobytes())
    path = os.path.join(folder, f"{kind.name}.{'safetensors' if kind.id is None else 'gguf'}")
    _write(path, (safetensors if kind.id is None else gguf)([entry]))
    return path


def vocabulary(folder: str, tokens: int) -> str:
    """Write what a model with a large vocabulary looks like from outside: the header is nearly all of the file."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(2, 12, tokens)
    letters = bytes(rng.integers(97, 123, int(lengths.sum()), dtype=np.uint8))
    ends = np.cumsum(lengths).tolist()
    words = [letters[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
    array = struct.pack("<IQ", _TEXT, tokens) + b"".join(map(_text, words))
    norm = np.zeros(64, np.float32).tobytes()
    float32 = next(kind for kind in BUILT_IN if kind.name == "F32")
    entries = [(f"blk.{index}.attn_norm.weight", (64,), float32, norm) for index in range(300)]
    path = os.path.join(folder, f"vocabulary-{tokens}.gguf")
    _write(path, gguf(entries, [("tokenizer.ggml.tokens", _ARRAY, array)]))
    return path


def many_tensors(folder: str, count: int) -> str:
    """Write a safetensors file of many small float16 tensors, as checkpoints of experts are."""
    half = next(kind for kind in BUILT_IN if kind.name == "F16")
    data = np.random.default_rng(2).standard_normal((64, 64)).astype(np.float16).tobytes()
    path = os.path.join(folder, f"many-{count}.safetensors")
    _write(path, safetensors((f"layers.{i // 8}.experts.{i % 8}.weight", (64, 64), half, data) for i in range(count)))
    return path


def blocks(kind: StoredType, count: int) -> Blocks:
    """Blocks of `count` values: Gaussian ones of std 0.02 where there is an encoder, else any codes under small scales."""
    number = count // kind.elements
    some = min(number, max(_TILE // kind.elements, 1))
    rng = np.random.default_rng(kind.bytes)
    made: Blocks = np.empty((some, kind.bytes), np.uint8)
    if kind in ENCODERS:
        values = rng.standard_normal((some, kind.elements), dtype=np.float32) * np.float32(0.02)
        ENCODERS[kind].encode(values, made, Workspace())
    elif kind.dtype is not None and kind.dtype.kind == "f":
        made[:] = rng.standard_normal(some).astype(kind.dtype).view(np.uint8).reshape(made.shape)
    elif kind.elements == kind.bytes == 1:
        made[:, 0] = rng.choice(_moderate(kind), some)
    else:
        made[:] = rng.integers(0, 256, made.shape, dtype=np.uint8)
        _small_scales(kind, made)
    return np.tile(made, (-(-number // some), 1))[:number]


def _moderate(kind: StoredType) -> NDArray[np.uint8]:
    """The codes of a type of one byte whose values are finite and no larger than a byte."""
    codes = np.arange(256, dtype=np.uint8)
    values = np.empty((256, 1), kind.value)
    kind.decode(codes.reshape(256, 1), values, Workspace())
    moderate: NDArray[np.uint8] = codes[np.abs(values[:, 0]) < 256]
    return moderate


def _small_scales(kind: StoredType, made: Blocks) -> None:
    """Scales of a hundredth, so that no value is NaN or Inf."""
    for _, offset, dtype in kind.scales:
        if dtype in ("<f2", "<f4"):
            scale: NDArray[np.uint8] = np.array([0.01], dtype).view(np.uint8)
            made[:, offset : offset + scale.size] = scale
        elif kind.name == "IQ1_M":  # the half lies in the top nibbles of four words, the lowest first
            bits = int(np.float16(0.01).view(np.uint16))
            for word in range(4):
                high = offset + 2 * word + 1
                made[:, high] = made[:, high] & 15 | (bits >> 4 * word & 15) << 4


def gguf(entries: Iterable[Entry], metadata: Iterable[tuple[str, int, bytes]] = ()) -> Iterator[bytes]:
    """The pieces of a GGUF file, version 3, aligned to 32 bytes."""
    entries, metadata = list(entries), [("general.architecture", _TEXT, _text(b"llama")), *metadata]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(entries), len(metadata))
    head += b"".join(_text(key.encode()) + struct.pack("<I", kind) + value for key, kind, value in metadata)
    at = 0
    for name, shape, kind, data in entries:
        where = struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), kind.id, at)
        head += _text(name.encode()) + where
        at += len(data) + -len(data) % 32
    yield head + bytes(-len(head) % 32)
    for *_, data in entries:
        yield data + bytes(-len(data) % 32)


def safetensors(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The pieces of a safetensors file."""
    header: dict[str, Any] = {}
    pieces, at = [], 0
    for name, shape, kind, data in entries:
        header[name] = {"dtype": kind.name, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
        pieces.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield struct.pack("<Q", len(text)) + text
    yield from pieces


def _text(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def _write(path: str, pieces: Iterable[bytes]) -> None:
    with open(path, "wb") as file:
        file.writelines(pieces)
