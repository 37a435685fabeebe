"""Zeros stored as plain bytes may lie farther from the codes than codes of so many bits do from each other."""

from __future__ import annotations

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.composed_reads import every_way
from support.packing import words

SHAPE, SIZE = (20, 128), 64


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize(
    ("kind", "zero"), [(np.int8, -128), (np.int8, -3), (np.int8, 127), (np.uint8, 200), (np.uint8, 255)]
)
def test_each_is_taken_off_as_it_is(tmp_path, kind: type, zero: int, bits: int, ordered: bool) -> None:
    random = np.random.default_rng(bits)
    codes = random.integers(0, 1 << bits, SHAPE, np.uint8)
    scales = random.uniform(0.001, 0.01, (SHAPE[0], SHAPE[1] // SIZE)).astype(np.float16)
    order = np.arange(SHAPE[1]) // SIZE
    tensors = {
        "a.weight_packed": words(codes, bits),
        "a.weight_scale": scales,
        "a.weight_shape": np.array(SHAPE, np.int64),
        "a.weight_zero_point": np.full(scales.shape, zero, kind),
    }
    if ordered:
        order = random.permutation(order)
        tensors["a.weight_g_idx"] = order.astype(np.int32)
    middle = 1 << bits - 1
    wanted = (codes.astype(np.float32) - np.float32(middle + zero)) * scales[:, order].astype(np.float32)
    weights = {"num_bits": bits, "type": "int", "group_size": SIZE, "strategy": "group"}
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    config = quantized_by(quant_method="compressed-tensors", format="pack-quantized", config_groups=groups)
    assert np.array_equal(every_way(checkpoint(tmp_path / "m", tensors, config), "a.weight"), wanted)
