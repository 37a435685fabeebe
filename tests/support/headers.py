"""A GGUF of every kind of metadata, and all that opening it says, in values that compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import weightmap

TOKENS = [f"token {n}" for n in range(1000)] + ["", "x" * 300, "ümläut", "\udcff"]
METADATA = (
    ("general.architecture", "str", "llama"),
    ("general.alignment", "u32", 64),
    ("a.bool", "bool", True),
    ("a.float", "f32", 1e-6),
    ("a.nan", "f64", float("nan")),
    ("a.big", "u64", 2**64 - 1),
    ("a.small", "i64", -(2**63)),
    ("a.text", "str", "long \udcfe " * 500),
    ("a.numbers", "arr", ("f32", [0.5] * 100)),
    ("a.flags", "arr", ("bool", [True, False])),
    ("a.empty", "arr", ("str", [])),
    ("tokenizer.ggml.tokens", "arr", ("str", TOKENS)),
    ("a.more", "arr", ("str", ["one", "two"])),
)
TENSORS = [
    ("token_embd.weight", (2, 64), 8, bytes(range(136)) * 1),
    ("n\udcfe", (3,), 1, np.arange(3, dtype="<f2").tobytes()),
    ("scalar", (), 0, np.float32(2).tobytes()),
    ("i", (2, 2), 27, np.arange(4, dtype="<i8").tobytes()),
]


def content(model: weightmap.WeightFile, findings: object = None) -> str:
    """Everything that a header says, in plain values."""
    layout = model.opened.layout
    metadata = [(e.key, e.kind, plain(e.read()), e.offset, e.raw) for e in layout.metadata.entries]
    records = [(r.name, r.shape, r.type, r.part, r.offset, r.nbytes, r.entry) for r in layout.records]
    rest = (
        layout.format,
        layout.path,
        layout.parts,
        layout.version,
        layout.byte_order,
        layout.alignment,
        layout.problems,
    )
    return repr((metadata, records, rest, model.findings if findings is None else findings))


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    return list(map(plain, value)) if not isinstance(value, str | int | float) else value


def opened(path: Path, **words: Any) -> str:
    with weightmap.open(path, **words) as model:
        return content(model)


def entries(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.wmc"))
