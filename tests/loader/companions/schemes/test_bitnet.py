"""BitNet's ternary weights: rows far apart in a byte, and the direction of the scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.composed_reads import every_way, same

import weightmap

CODES = np.random.default_rng(1).integers(0, 3, (4, 6, 40), np.uint8)  # field, stored row, column
PACKED = (CODES << np.array([0, 2, 4, 6], np.uint8)[:, None, None]).sum(axis=0).astype(np.uint8)
TERNARY = CODES.reshape(24, 40).astype(np.float32) - 1


def tensors(scale: float) -> dict[str, Any]:
    return {"a.weight": PACKED, "a.weight_scale": np.array([scale], np.float32)}


@pytest.mark.parametrize("layer", [None, "bitlinear", "autobitlinear"])
@pytest.mark.parametrize("scale", [47.5, 0.03])
def test_the_config_says_which_layer_it_is(tmp_path: Path, layer: str | None, scale: float) -> None:
    told = {"linear_class": layer} if layer else {}
    folder = checkpoint(tmp_path / "m", tensors(scale), quantized_by(quant_method="bitnet", **told))
    wanted = TERNARY * np.float32(scale) if layer == "autobitlinear" else TERNARY / np.float32(scale)
    assert np.array_equal(every_way(folder, "a.weight"), wanted)
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert weight.assumed is None
        assert np.array_equal(weight.layer("codes").array() - 1, TERNARY)


@pytest.mark.parametrize("scale", [47.5, 0.03])
def test_without_a_config_both_directions_are_offered(tmp_path: Path, scale: float) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", tensors(scale))) as model:
        weight = model.composed["a.weight"]
        readings = TERNARY / np.float32(scale), TERNARY * np.float32(scale)
        likely, other = readings if scale > 1 else readings[::-1]
        assert weight.assumed is not None
        same(weight, likely)
        same(weight.with_reading(weight.readings[0]), other)


def test_bytes_that_are_no_ternary_codes(tmp_path: Path) -> None:
    several = tensors(1)
    several["a.weight"] = PACKED | np.uint8(3)
    with weightmap.open(checkpoint(tmp_path / "bytes", several)) as model:
        assert not model.composed
    with weightmap.open(checkpoint(tmp_path / "said", several, quantized_by(quant_method="bitnet"))) as model:
        assert model.composed["a.weight"].problem.code == "packed_size"
        with pytest.raises(weightmap.CorruptWeightError, match="codes 3"):
            model.composed["a.weight"].array()


@pytest.mark.parametrize("scale", [47.5, -0.03])
def test_a_code_that_is_none_far_behind_the_first_ones(tmp_path: Path, scale: float) -> None:
    codes = np.full((300, 300), 0b01001001, np.uint8)
    for last, status in ((0b01001001, "ok"), (0b11001001, "error")):
        codes[-1, -1] = last
        several = tensors(abs(scale)) | {"a.weight": codes}
        several["a.weight_scale"] = several["a.weight_scale"] * np.sign(scale).astype(np.float32)
        folder = checkpoint(tmp_path / status, several, quantized_by(quant_method="bitnet"))
        for look in ("check_values", "statistics"):
            with weightmap.open(folder) as model:
                weight = model.composed["a.weight"]
                getattr(weight, look)()
                said = [found.code for found in weight.findings if found.code != "odd_scale"]
                assert said == ([] if status == "ok" else ["packed_size"])
