"""Small models with the checksums that other tools would state of them, worked out with hashlib alone."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
from support.build import gguf, safetensors

DATA = {
    "a": np.arange(24, dtype="<f4").tobytes(),
    "blk.0.w:x": np.random.default_rng(5).integers(0, 256, 34 * 40, np.uint8).tobytes(),
    "c": np.arange(3, dtype="<f2").tobytes(),
}


def sha(data: bytes, kind: str = "sha256") -> str:
    return hashlib.new(kind, data).hexdigest()


def a_gguf(path: Path, offsets: tuple[int, ...] | None = None) -> Path:
    """Three tensors with padding between them; `offsets` may put them in another order than the table's."""
    kinds = {"a": ((2, 12), 0), "blk.0.w:x": ((40, 32), 8), "c": ((3,), 1)}
    path.write_bytes(gguf(tensors=[(name, *kinds[name], data) for name, data in DATA.items()], offsets=offsets))
    return path


def a_safetensors(path: Path, metadata: dict[str, str] | None = None) -> Path:
    """The same bytes behind a JSON header."""
    kinds = {"a": ("F32", (2, 12)), "blk.0.w:x": ("U8", (34 * 40,)), "c": ("F16", (3,))}
    path.write_bytes(safetensors([(name, *kinds[name], data) for name, data in DATA.items()], metadata))
    return path


def shards(folder: Path) -> Path:
    """An index with two shards; returns the index."""
    folder.mkdir(exist_ok=True)
    names = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    (folder / names[0]).write_bytes(safetensors([("a", "F32", (2, 12), DATA["a"])]))
    (folder / names[1]).write_bytes(safetensors([("c", "F16", (3,), DATA["c"])]))
    index = folder / "model.safetensors.index.json"
    total = len(DATA["a"]) + len(DATA["c"])
    index.write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": dict(zip("ac", names, strict=True))}))
    return index


def flip(path: Path, at: int) -> None:
    """Change one byte, and nothing else that a file system shows."""
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 0x40]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def place(path: Path, name: str) -> int:
    """Where a tensor's bytes begin in the file."""
    return path.read_bytes().index(DATA[name])
