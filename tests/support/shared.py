"""Where the collection of real and faulty files lies, when it is there: beside the checkout. Tests that need it skip without it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import weightmap

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder ../shared is not there")


def real_weights(most: int) -> Iterator[np.ndarray]:
    """Of each tensor of a layer of MiniLM up to `most` values, in whole blocks of 256: float32 (n, 256), n above 0."""
    with weightmap.open(SHARED / "models/may-be-committed/minilm-pairs/minilm-l0.F32.safetensors") as model:
        for tensor in model.tensors.values():
            values = np.ascontiguousarray(tensor.array(np.float32).reshape(-1)[:most])
            if rows := values.size // 256:
                yield values[: rows * 256].reshape(rows, 256)
