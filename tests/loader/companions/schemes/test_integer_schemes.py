"""Schemes of integer codes on the shared collection: shapes, sources and values of every weight, and lies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.composed import assert_truth, checkpoint, quantized_by
from support.packing import words
from support.shared import needs_shared

import weightmap

CASES = ["awq", "awq-gemv", "bitnet-autobitlinear", "bitnet-bitlinear", "bnb-4bit", "bnb-int8", "ct-8bit", "ct-pack"]
CASES += ["ct-pack-dense", "ct-pack-old", "gptq", "gptq_v2", "int8-channel", "mlx", "torchao"]
LIES = ["lying-gptq-v2", "lying-metadata", "lying-packed"]


@needs_shared
@pytest.mark.parametrize("case", [*CASES, *LIES])
def test_the_collection(case: str) -> None:
    assert_truth(case)


@pytest.mark.parametrize("scale", [1e300, float("nan"), -float("inf")])
def test_scales_beyond_float32_are_no_warning(tmp_path: Path, scale: float) -> None:
    wide = np.full((2, 8), scale)
    packed, middle = np.full((8, 8), 0x12345678, np.int32), np.full((2, 1), 0x77777777, np.int32)
    tensors = {"a.qweight": packed, "a.scales": wide, "a.qzeros": middle}
    tensors |= {"b.weight_packed": packed, "b.weight_scale": wide.T.copy(), "b.weight_shape": np.array([8, 64])}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        for name in ("a.weight", "b.weight"):
            weight = model.composed[name]
            assert not np.isfinite(weight.array()).any()
            assert weight.explain(0)[-1][1] in ("inf", "-inf", "nan")
            assert not np.isfinite(weight.layer("scales").array(np.float32)).any()


def test_weights_without_values(tmp_path: Path) -> None:
    none = np.empty((0, 8), np.int32)
    tensors = {"a.qweight": none, "a.scales": np.empty((0, 8), np.float16), "a.qzeros": np.empty((0, 1), np.int32)}
    tensors |= {"b.qweight": none, "b.scales": np.ones((0, 1), np.float16), "b.qzeros": np.ones((0, 1), np.int32)}
    tensors |= {"c.weight": none.view(np.uint32), "c.scales": np.empty((0, 1), np.float16), "c.biases": np.empty(0)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert set(model.composed) == {"a.weight", "b.weight", "c.weight"}
        for weight in model.composed.values():
            try:
                assert weight.array().size == 0
            except weightmap.WeightFileError:
                assert weight.status == "error"


@pytest.mark.parametrize("bits", range(2, 9))
def test_errors_of_groups_are_judged_by_their_own_width(tmp_path: Path, bits: int) -> None:
    reference = (np.random.default_rng(bits).standard_normal((64, 512)) * 0.02).astype(np.float32)
    groups = reference.reshape(64, 4, 128)
    scales = (np.abs(groups).max(axis=-1) / ((1 << bits) - 1) * 2).astype(np.float32)
    middle = 1 << bits - 1
    codes = np.clip(np.rint(groups / scales[..., None]) + middle, 0, 2 * middle - 1).astype(np.uint8)
    tensors = {"a.weight_packed": words(codes.reshape(64, 512), bits), "a.weight_scale": scales}
    tensors["a.weight_shape"] = np.array([64, 512])
    weights = {"num_bits": bits, "type": "int", "group_size": 128, "strategy": "group"}
    told = {"group_0": {"targets": ["Linear"], "weights": weights}}
    config = quantized_by(quant_method="compressed-tensors", format="pack-quantized", config_groups=told)
    quantized = checkpoint(tmp_path / "quantized", tensors, config)
    original = checkpoint(tmp_path / "original", {"a.weight": reference})
    (pair,) = weightmap.compare(str(quantized), str(original)).pairs
    assert pair.verdict == "normal"
    assert pair.tensor == "a.weight"
