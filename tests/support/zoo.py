"""A folder of models in every state, for tests that compare two ways of judging them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from support.build import gguf, safetensors


def build(folder: Path, healthy: int = 8) -> None:
    """Healthy files in sub-folders, and one of each kind of trouble; a split GGUF and one with a part missing."""
    values = np.arange(64, dtype=np.float32).reshape(2, 32)
    for number in range(healthy):
        place = folder / "healthy" / f"{number:04d}.safetensors"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(safetensors([("w", "F32", (2, 32), (values + number).tobytes())]))
    whole = gguf(tensors=[("w", (2, 32), 0, values.tobytes())])
    odd = folder / "odd"
    odd.mkdir()
    (odd / "short.gguf").write_bytes(whole[:-100])
    (odd / "cut.gguf").write_bytes(whole[:20])
    (odd / "noise.safetensors").write_bytes(bytes(range(256)))
    (odd / os.fsdecode(b"\xff.gguf")).write_bytes(whole)
    nan = values.copy()
    nan[1, 3] = np.nan
    (odd / "nan.safetensors").write_bytes(safetensors([("w", "F32", (2, 32), nan.tobytes())]))
    split(folder / "split", "model", 3, values)
    split(folder / "gone", "model", 3, values)
    (folder / "gone" / "model-00002-of-00003.gguf").unlink()


def split(folder: Path, name: str, parts: int, values: np.ndarray) -> list[Path]:
    """A GGUF in parts of one tensor each."""
    folder.mkdir()
    paths = []
    for number in range(parts):
        metadata = [("split.no", "u16", number), ("split.count", "u16", parts), ("split.tensors.count", "i32", parts)]
        start = [("general.architecture", "str", "llama")] if not number else []
        paths.append(folder / f"{name}-{number + 1:05d}-of-{parts:05d}.gguf")
        paths[-1].write_bytes(gguf([*start, *metadata], [(f"w{number}", (2, 32), 0, values.tobytes())]))
    return paths
