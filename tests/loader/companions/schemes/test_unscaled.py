"""Codes whose scales are not there though the config speaks of some, or are none; nothing of them is shown as values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by

import weightmap

BYTES = np.random.default_rng(1).integers(0, 256, (6, 64), np.uint8)
TERNARY = np.random.default_rng(2).integers(0, 3, (6, 64), np.uint8)


@pytest.mark.parametrize(
    ("codes", "method"),
    [
        (BYTES.view(np.uint32), "mlx"),
        (TERNARY, "bitnet"),
        (BYTES, "modelopt"),
        (BYTES.reshape(-1, 1), "bitsandbytes"),
        (BYTES.view(np.int8), "bitsandbytes"),
    ],
)
def test_a_config_that_speaks_of_scales(tmp_path: Path, codes: np.ndarray, method: str) -> None:
    config = quantized_by(quant_method=method)
    with weightmap.open(checkpoint(tmp_path / "m", {"a.weight": codes}, config)) as model:
        problem = model.composed["a.weight"].problem
        assert problem.code == "scale_missing"
        assert method in problem.message
        assert [found.code for found in model.findings if found.severity != "info"] == ["scale_missing"]
        with pytest.raises(weightmap.WeightFileError):
            model.composed["a.weight"].array()
    with weightmap.open(checkpoint(tmp_path / "bare", {"a.weight": codes})) as model:
        assert not model.composed
    for other in ({"modules_to_not_convert": ["a"]}, {"quant_method": "torchao"}):
        apart = quantized_by(**{"quant_method": method} | other)
        with weightmap.open(checkpoint(tmp_path / f"{next(iter(other))}", {"a.weight": codes}, apart)) as model:
            assert not model.composed


@pytest.mark.parametrize(
    ("scale", "code"),
    [
        (np.ones((), np.int32), "dtype_mismatch"),
        (np.ones((12, 4), np.int64), "dtype_mismatch"),
        (np.ones(2, np.float32), "scale_shape"),
        (np.ones(0, np.float32), "scale_shape"),
    ],
)
def test_bytes_beside_what_are_no_scales(tmp_path: Path, scale: np.ndarray, code: str) -> None:
    tensors: dict[str, Any] = {"a.weight": TERNARY, "a.weight_scale": scale}
    for config in (None, quantized_by(quant_method="bitnet")):
        with weightmap.open(checkpoint(tmp_path / str(config is None), tensors, config)) as model:
            weight = model.composed["a.weight"]
            assert weight.problem.code == code
            assert weight.problem.tensor == "a.weight_scale"
            assert set(weight.sources) == {"a.weight", "a.weight_scale"}
            assert "orphan_scale" not in {found.code for found in model.findings}


def test_bytes_with_one_scale_that_no_method_of_the_config_has(tmp_path: Path) -> None:
    tensors: dict[str, Any] = {"a.weight": BYTES, "a.weight_scale": np.full(1, 127, np.uint8)}
    for method in ("modelopt", "mlx", "bitsandbytes"):
        with weightmap.open(checkpoint(tmp_path / method, tensors, quantized_by(quant_method=method))) as model:
            problem = model.composed["a.weight"].problem
            assert (problem.code, problem.tensor) == ("scale_shape", "a.weight_scale")
            assert method in problem.message
    with weightmap.open(checkpoint(tmp_path / "bare", tensors)) as model:
        assert not model.composed  # bytes of somebody's own


def test_vectors_of_bytes_are_nobodys_codes(tmp_path: Path) -> None:
    tensors = {"a.weight": BYTES.reshape(-1), "a.weight_scale": np.ones(2, np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, quantized_by(quant_method="modelopt"))) as model:
        assert not model.composed
