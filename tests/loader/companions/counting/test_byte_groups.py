"""Codes of one byte in groups: sizes that bytes of scale can have, sizes that a config gives otherwise, zeros that are gone."""

from __future__ import annotations

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint, quantized_by

import weightmap

CODES = np.random.default_rng(1).integers(0, 0x7F, (8, 96), np.uint8)
SCALES = np.random.default_rng(2).uniform(1e-4, 1e-2, (8, 6)).astype(np.float32)


def test_exponents_of_groups_of_other_than_32(tmp_path) -> None:
    tensors = {"a.weight": ("F8_E4M3", CODES), "a.weight_scale": np.full((8, 2), 120, np.uint8)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert_no_values(model.composed["a.weight"], "scale_shape")
        assert "8 × 3" in model.composed["a.weight"].problem.message


@pytest.mark.parametrize(("groups", "refused"), [(3, False), (6, False), (2, True), (4, True)])
def test_groups_of_integers_that_a_config_gives_otherwise(tmp_path, groups: int, refused: bool) -> None:
    weights = {"num_bits": 8, "type": "int", "symmetric": True, "group_size": 32}
    group = {"targets": ["Linear"], "weights": weights}
    config = quantized_by(quant_method="compressed-tensors", format="int-quantized", config_groups={"g": group})
    tensors = {"a.weight": CODES.view(np.int8), "a.weight_scale": SCALES[:, :groups]}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        if refused:
            assert_no_values(model.composed["a.weight"], "scale_shape")
        else:
            wanted = tensors["a.weight"] * np.repeat(SCALES[:, :groups], 96 // groups, axis=1)
            assert np.array_equal(model.composed["a.weight"].array(), wanted)
            assert model.status == ("info" if groups == 3 else "warning")


def test_integers_whose_zeros_are_gone(tmp_path) -> None:
    weights = {"num_bits": 8, "type": "int", "symmetric": False}
    group = {"targets": ["Linear"], "weights": weights}
    config = quantized_by(quant_method="compressed-tensors", format="int-quantized", config_groups={"g": group})
    tensors = {"a.weight": CODES.view(np.int8), "a.weight_scale": SCALES[:, :1]}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        assert_no_values(model.composed["a.weight"], "scale_missing")


@pytest.mark.parametrize("kind", ["U8", "I32"])
def test_zeros_of_signed_codes_are_signed_bytes(tmp_path, kind: str) -> None:
    zeros = np.full((8, 1), 3, np.uint8 if kind == "U8" else np.int32)
    tensors = {"a.weight": CODES.view(np.int8), "a.weight_scale": SCALES[:, :1], "a.weight_zero_point": zeros}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert_no_values(model.composed["a.weight"], "scale_shape")
        assert kind in model.composed["a.weight"].problem.message


@pytest.mark.parametrize("algorithm", ["FP8", "MXFP8", "fp8_pb_wo"])
def test_scales_that_an_algorithm_of_modelopt_has(tmp_path, algorithm: str) -> None:
    config = quantized_by(quant_method="modelopt", quant_algo=algorithm)
    with weightmap.open(checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", CODES)}, config)) as model:
        assert_no_values(model.composed["a.weight"], "scale_missing")
