"""Writes small GGUF and safetensors files for tests, faulty ones included: nothing here checks what it is told."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KINDS = {
    "u8": 0,
    "i8": 1,
    "u16": 2,
    "i16": 3,
    "u32": 4,
    "i32": 5,
    "f32": 6,
    "bool": 7,
    "str": 8,
    "arr": 9,
    "u64": 10,
    "i64": 11,
    "f64": 12,
}
_CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

Tensor = tuple[str, Sequence[int], int, bytes]


def gguf(
    metadata: Iterable[tuple[str | bytes, str, Any]] = (("general.architecture", "str", "llama"),),
    tensors: Iterable[Tensor] = (),
    *,
    version: int = 3,
    alignment: int = 32,
    big_endian: bool = False,
    offsets: Sequence[int] | None = None,
    final_padding: bool = True,
) -> bytes:
    """A GGUF file. metadata: (key, kind, value), an array's kind is "arr" with value (kind, items); tensors: (name, shape
    in numpy order, ggml type id, data). `offsets` replaces the tensors' own offsets in the header."""
    order, wide = (">" if big_endian else "<"), "I" if version == 1 else "Q"
    tensors, metadata = list(tensors), list(metadata)

    def text(value: str | bytes) -> bytes:
        data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
        return struct.pack(order + wide, len(data)) + data

    def encoded(kind: int, value: Any) -> bytes:
        if kind == KINDS["str"]:
            return text(value)
        if kind == KINDS["arr"]:
            inner = KINDS[value[0]]
            return struct.pack(f"{order}I{wide}", inner, len(value[1])) + b"".join(encoded(inner, v) for v in value[1])
        return struct.pack(order + _CODES[kind], value)

    head = [b"GGUF", struct.pack(f"{order}I{wide}{wide}", version, len(tensors), len(metadata))]
    for key, kind, value in metadata:
        head += [text(key), struct.pack(order + "I", KINDS[kind]), encoded(KINDS[kind], value)]
    at, body = 0, []
    for index, (name, shape, kind, data) in enumerate(tensors):
        offset = at if offsets is None else offsets[index]
        head += [text(name), struct.pack(f"{order}I{len(shape)}{wide}IQ", len(shape), *reversed(shape), kind, offset)]
        padding = -len(data) % alignment if final_padding or index < len(tensors) - 1 else 0
        body.append(data + b"\0" * padding)
        at += len(data) + padding
    start = b"".join(head)
    return start + b"\0" * (-len(start) % alignment if tensors else 0) + b"".join(body)


def safetensors(
    tensors: Iterable[tuple[str, str, Sequence[int], bytes]],
    metadata: Mapping[str, str] | None = None,
    *,
    pad: bool = True,
) -> bytes:
    """A safetensors file of (name, dtype, shape, data) in this order."""
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    at, body = 0, []
    for name, dtype, shape, data in tensors:
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        body.append(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    text += b" " * (-len(text) % 8 if pad else 0)
    return struct.pack("<Q", len(text)) + text + b"".join(body)
