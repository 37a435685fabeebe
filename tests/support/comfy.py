"""ComfyUI's weights for tests: what their markers say, and all values of one after parts of them were read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from support.composed import checkpoint

import weightmap

P = "model.diffusion_model.a"


def told(**settings: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(settings).encode(), np.uint8)


def read(folder, tensors, metadata=None, name: str = f"{P}.weight") -> np.ndarray:
    with weightmap.open(checkpoint(folder, tensors, metadata=metadata)) as model:
        weight = model.composed[name]
        values = weight.array()
        assert np.array_equal(weight[3:9, 5:40], values[3:9, 5:40])
        assert np.allclose(np.float32(weight.explain((2, 3))[-1][1]), values[2, 3])
        assert weight.status == "ok"
        return values


def drawn(shape: tuple[int, ...], most: int = 16, least: int = 0) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(least, most, shape, np.uint8)
