"""Weights without values: scales of as few rows fit them."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import safetensors

import weightmap


@pytest.mark.parametrize("kind", ["F8_E4M3", "I8"])
@pytest.mark.parametrize(
    ("shape", "ending", "scales", "scheme"),
    [
        ((0, 128), "_scale", (0, 1), "channel"),
        ((0, 128), "_scale", (0,), "channel"),
        ((0, 256), "_scale_inv", (0, 2), "block"),
        ((0, 256), "_scale", (), "tensor"),
        ((128, 0), "_scale", (128, 1), "channel"),
        ((256, 0), "_scale_inv", (2, 0), "block"),
        ((0, 4, 64), "_scale", (0, 4), "channel"),
    ],
)
def test_scales_of_nothing(tmp_path, kind: str, shape, ending: str, scales, scheme: str) -> None:
    numbers = np.ones(scales, np.float32).tobytes()
    entries = [("a.weight", kind, shape, b""), (f"a.weight{ending}", "F32", scales, numbers)]
    (tmp_path / "m.safetensors").write_bytes(safetensors(entries))
    with weightmap.open(tmp_path / "m.safetensors") as model:
        weight = model.composed["a.weight"]
        assert weight.problem is None
        assert weight.scheme == f"{'int8' if kind == 'I8' else 'fp8'}_{scheme}"
        assert weight.array().shape == shape
        assert weight.statistics().count == 0


def test_scales_of_something_do_not_fit_it(tmp_path) -> None:
    entries = [("a.weight", "F8_E4M3", (0, 128), b""), ("a.weight_scale", "F32", (3, 1), bytes(12))]
    (tmp_path / "m.safetensors").write_bytes(safetensors(entries))
    with weightmap.open(tmp_path / "m.safetensors") as model:
        problem = model.composed["a.weight"].problem
        assert problem is not None and problem.code == "scale_shape"
