"""Parts that no weight can have, in schemes of every kind: refused by name with all their tensors, and in words that say why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.packing import awq, words

import weightmap

RANDOM = np.random.default_rng(3)
NIBBLES = RANDOM.integers(0, 16, (64, 96), np.uint8)
HALVES = np.full((3, 64), 0.01, np.float16)
GPTQ: dict[str, Any] = {
    "a.qweight": np.ascontiguousarray(words(NIBBLES, 4).T),
    "a.qzeros": np.full((3, 8), 0x77777777, np.int32),
    "a.scales": HALVES,
}
AWQ: dict[str, Any] = {
    "a.qweight": awq(np.ascontiguousarray(NIBBLES.T)),
    "a.qzeros": awq(np.full((3, 64), 8, np.uint8)),
    "a.scales": HALVES,
}
INT8: dict[str, Any] = {"a.weight": NIBBLES.view(np.int8), "a.SCB": np.ones(64, np.float32)}
PAIR: dict[str, Any] = {"a.qweight": NIBBLES.view(np.int8), "a.scale": np.ones((64, 1), np.float32)}
TORCHAO: dict[str, Any] = {"a._weight_qdata": NIBBLES.view(np.int8), "a._weight_scale": np.ones((64, 1), np.float32)}
BLOCKS: dict[str, Any] = {
    "a.gate_up_proj_blocks": NIBBLES.reshape(2, 8, 24, 16),
    "a.gate_up_proj_scales": np.ones((2, 8, 24), np.uint8),
}
PACKED: dict[str, Any] = {"a.weight_packed": NIBBLES, "a.weight_scale": np.ones((64, 6), np.uint8)}
ROWS: dict[str, Any] = {"a.weight": ("F8_E4M3", NIBBLES), "a.weight_scale": np.ones((64, 1), np.float32)}


def problem(folder: Path, tensors: dict[str, Any], name: str = "a.weight", **config: Any) -> weightmap.Finding:
    """What is said of the one weight, after looking that all its tensors are under it and nothing else is said."""
    with weightmap.open(checkpoint(folder, tensors, quantized_by(**config) if config else None)) as model:
        weight = model.composed[name]
        assert set(weight.sources) == set(tensors)
        with pytest.raises(weightmap.WeightFileError):
            weight.array()
        assert [found.code for found in model.findings if found.severity != "info"] == [weight.problem.code]
        return weight.problem


@pytest.mark.parametrize("tensors", [GPTQ, AWQ], ids=["gptq", "awq"])
@pytest.mark.parametrize(
    "change",
    [
        lambda several: {"a.scales": several["a.scales"].reshape(-1)},
        lambda several: {"a.scales": several["a.scales"][None]},
        lambda several: {"a.scales": several["a.scales"][:0].reshape(-1)},
        lambda several: {"a.qweight": several["a.qweight"].reshape(-1)},
        lambda several: {"a.qweight": several["a.qweight"].reshape(-1)[0]},
        lambda several: {"a.qweight": several["a.qweight"][None, None]},
    ],
)
def test_words_and_scales_of_other_ranks(tmp_path: Path, tensors: dict[str, Any], change: Any) -> None:
    found = problem(tmp_path / "m", tensors | change(tensors))
    assert (found.code, found.tensor) == ("scale_shape", "a.scales")


@pytest.mark.parametrize(
    ("tensors", "scale", "name"),
    [(INT8, "a.SCB", "a.weight"), (PAIR, "a.scale", "a"), (TORCHAO, "a._weight_scale", "a.weight")],
)
def test_scales_that_are_integers(tmp_path: Path, tensors: dict[str, Any], scale: str, name: str) -> None:
    found = problem(tmp_path / "m", tensors | {scale: tensors[scale].astype(np.int32)}, name)
    assert (found.code, found.tensor) == ("dtype_mismatch", scale)
    assert "stored as I32" in found.message


@pytest.mark.parametrize("codes", [NIBBLES.reshape(2, 8, 24, 16)[..., :15], NIBBLES.reshape(-1)])
def test_blocks_of_another_length(tmp_path: Path, codes: np.ndarray) -> None:
    found = problem(tmp_path / "m", BLOCKS | {"a.gate_up_proj_blocks": codes}, "a.gate_up_proj")
    assert (found.code, found.tensor) == ("packed_size", "a.gate_up_proj_blocks")


def test_the_exponents_that_are_missed_have_the_spelling_of_their_blocks(tmp_path: Path) -> None:
    found = problem(tmp_path / "m", {"a.mlp1_weight.blocks": BLOCKS["a.gate_up_proj_blocks"]}, "a.mlp1_weight")
    assert "a.mlp1_weight.scales" in found.message


@pytest.mark.parametrize("codes", [NIBBLES.reshape(-1), NIBBLES[0, 0]])
def test_packed_floats_without_rows(tmp_path: Path, codes: np.ndarray) -> None:
    found = problem(tmp_path / "m", PACKED | {"a.weight_packed": np.asarray(codes)})
    assert (found.code, found.tensor) == ("packed_size", "a.weight_packed")


def test_comfys_nvfp4_without_an_axis(tmp_path: Path) -> None:
    marker = np.frombuffer(b'{"format": "nvfp4"}', np.uint8)
    tensors = {"a.weight": np.ones((), np.uint8), "a.weight_scale": np.ones((128, 4), np.uint8)}
    tensors |= {"a.weight_scale_2": np.ones((), np.float32), "a.comfy_quant": marker}
    assert problem(tmp_path / "m", tensors).code == "packed_size"


@pytest.mark.parametrize(
    ("scales", "why"),
    [
        ((65, 1), "There is 1 row of scales too many."),
        ((60, 1), "There are 4 rows of scales too few."),
        ((1, 64), "transposed"),
    ],
)
def test_scales_that_are_nearly_one_per_row(tmp_path: Path, scales: tuple[int, ...], why: str) -> None:
    found = problem(tmp_path / "m", ROWS | {"a.weight_scale": np.ones(scales, np.float32)})
    assert found.code == "scale_shape"
    assert "has 64 × 1 scales" in found.message
    assert why in found.message


def test_zeros_of_another_shape_are_what_is_wrong(tmp_path: Path) -> None:
    tensors = {
        "a.weight_packed": words(NIBBLES, 4),
        "a.weight_shape": np.array([64, 96]),
        "a.weight_scale": np.ones((64, 3), np.float16),
    }
    zeros = {"a.weight_zero_point": np.zeros((3, 8), np.int32)}
    found = problem(tmp_path / "m", tensors | zeros, quant_method="compressed-tensors", format="pack-quantized")
    assert "a.weight_zero_point has shape 3 × 8" in found.message
    assert "take 8 words" in found.message


def test_packed_zeros_of_one_axis(tmp_path: Path) -> None:
    tensors = {"a.weight_packed": words(NIBBLES, 4), "a.weight_scale": np.ones((64, 3), np.float16)}
    tensors |= {"a.weight_shape": np.array([64, 96]), "a.weight_zero_point": np.zeros(8, np.int32)}
    found = problem(tmp_path / "m", tensors)
    assert (found.code, found.tensor) == ("scale_shape", "a.weight_zero_point")


def test_an_order_that_is_stored_as_no_integers(tmp_path: Path) -> None:
    found = problem(tmp_path / "m", GPTQ | {"a.g_idx": np.zeros(96, np.float32)})
    assert found.code == "group_index"
    assert "stored as F32" in found.message


@pytest.mark.parametrize("tensors", [GPTQ, INT8, TORCHAO, PACKED], ids=["gptq", "bnb", "torchao", "packed"])
def test_scales_that_a_file_ends_in(tmp_path: Path, tensors: dict[str, Any]) -> None:
    folder = checkpoint(tmp_path / "m", tensors)
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-2])
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert set(weight.sources) == set(tensors)
        assert (weight.problem.code, weight.problem.tensor) == ("truncated", list(tensors)[-1])
        assert [found.code for found in model.findings if found.severity != "info"] == ["truncated"]
