"""Orders of columns that most weights have: what lacks one was meant to where the config says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.packing import words

import weightmap

RANDOM = np.random.default_rng(7)
ORDER = RANDOM.permutation(np.arange(128, dtype=np.int32) // 64)
WEIGHT: dict[str, Any] = {
    "weight_packed": words(RANDOM.integers(0, 16, (32, 128), np.uint8), 4),
    "weight_scale": np.full((32, 2), 0.01, np.float16),
    "weight_shape": np.array([32, 128]),
}


@pytest.mark.parametrize(
    ("said", "lacks"),
    [({"actorder": None}, False), ({"actorder": "weight"}, False), ({"actorder": "group"}, True), ({}, True)],
)
def test_one_group_of_a_config_may_have_no_order_of_columns(
    tmp_path: Path, said: dict[str, str | None], lacks: bool
) -> None:
    tensors = {f"{module}.{name}": array for module in "abcd" for name, array in WEIGHT.items()}
    tensors |= {f"{module}.weight_g_idx": ORDER for module in "abc"}
    weights = {"num_bits": 4, "symmetric": True, "group_size": 64}
    groups = {
        "group_0": {"targets": ["a", "b", "c"], "weights": weights | {"actorder": "group"}},
        "group_1": {"targets": ["d"], "weights": weights | said},
    }
    config = quantized_by(quant_method="compressed-tensors", format="pack-quantized", config_groups=groups)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        loud = [(one.code, one.tensor) for one in model.findings if one.severity != "info"]
    assert loud == ([("scale_missing", "d.weight_packed")] if lacks else [])
