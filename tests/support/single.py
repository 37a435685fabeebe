"""One tensor of values that look like weights, as a whole file of either format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.build import gguf, safetensors

import weightmap

VALUES = np.random.default_rng(2).normal(0, 0.02, 20_000).astype("<f4").tobytes()
FILES = {
    "gguf": gguf([("general.architecture", "str", "none")], [("w", (20_000,), 0, VALUES)]),
    "safetensors": safetensors([("w", "F32", (20_000,), VALUES)]),
}


def said(folder: Path, data: bytes, *codes: str) -> list[weightmap.Finding]:
    """The findings with these codes about a file of these bytes, `model` in the folder."""
    path = folder / "model"
    path.write_bytes(data)
    with weightmap.open(path, cache=False) as model:
        return [one for one in model.findings if one.code in codes]
