"""Quantized checkpoints against what they were made from: weights of several tensors on either side, judged as their scheme is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.composed import checkpoint
from support.floats import E2M1, E4M3, high_first, low_first, swizzled

import weightmap

NAMES = [f"model.layers.{layer}.mlp.{part}_proj.weight" for layer in range(2) for part in ("up", "down")]
WEIGHTS = {
    name: np.random.default_rng(at).normal(0, 0.02, (128, 256)).astype(np.float32) for at, name in enumerate(NAMES)
}


def nearest(values: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The code of the number nearest to each value; a table of 256 or 16 codes, NaN left out."""
    return np.nanargmin(np.abs(values[..., None] - table), axis=-1).astype(np.uint8)


def fp8(weights: np.ndarray, name: str) -> dict:
    scale = np.abs(weights).max(axis=1, keepdims=True) / np.float32(448)
    return {name: ("F8_E4M3", nearest(weights / scale, E4M3)), f"{name}_scale": scale}


def int8(weights: np.ndarray, name: str) -> dict:
    scale = np.abs(weights).max(axis=1, keepdims=True) / np.float32(127)
    return {name: np.rint(weights / scale).astype(np.int8), f"{name}_scale": scale}


def _nvfp4(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.float32]:
    second = np.abs(weights).max() / np.float32(448 * 6)
    groups = np.abs(weights).reshape(len(weights), -1, 16).max(axis=2) / 6 / second
    scales = nearest(groups, E4M3)
    return nearest(weights / np.repeat(E4M3[scales] * second, 16, axis=1), E2M1), scales, second


def nvfp4(weights: np.ndarray, name: str) -> dict:
    codes, scales, second = _nvfp4(weights)
    return {
        name: low_first(codes),
        f"{name}_scale": ("F8_E4M3", scales),
        f"{name}_scale_2": np.array(second, np.float32),
    }


def comfy(weights: np.ndarray, name: str) -> dict:
    codes, scales, second = _nvfp4(weights)
    told = np.frombuffer(b'{"format": "nvfp4"}', np.uint8)
    return {
        name: high_first(codes),
        f"{name}_scale": ("F8_E4M3", swizzled(scales)),
        f"{name}_scale_2": np.array(second, np.float32),
        name.replace("weight", "comfy_quant"): told,
    }


def mxfp4(weights: np.ndarray, name: str) -> dict:
    largest = np.abs(weights).reshape(len(weights), -1, 32).max(axis=2)
    powers = np.floor(np.log2(largest)).astype(np.int32) - 2
    codes = nearest(np.clip(weights / np.repeat(2.0**powers, 32, axis=1), -6, 6), E2M1)
    packed = name.replace("weight", "weight_packed")
    return {packed: low_first(codes), f"{name}_scale": (powers + 127).astype(np.uint8)}


SCHEMES = {"fp8_channel": fp8, "int8_channel": int8, "nvfp4_modelopt": nvfp4, "comfy_nvfp4": comfy}
SCHEMES["mxfp4-pack-quantized"] = mxfp4


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    return checkpoint(tmp_path_factory.mktemp("models") / "original", WEIGHTS)


def written(folder: Path, scheme: str, weights: dict[str, np.ndarray]) -> Path:
    tensors: dict = {}
    for name, values in weights.items():
        tensors |= SCHEMES[scheme](values, name)
    return checkpoint(folder, tensors)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sound_checkpoint_is_normal(tmp_path, original, scheme: str) -> None:
    folder = written(tmp_path / "q", scheme, WEIGHTS)
    found = weightmap.compare(folder, original)
    assert [pair.tensor for pair in found.pairs] == NAMES
    for pair in found.pairs:
        assert (pair.type, pair.reference_type, pair.verdict) == (scheme, "F32", "normal")
        assert pair.relative_rmse == pytest.approx(pair.usual, rel=0.3)
    with weightmap.open(folder) as model:
        assert found.pairs[0].nbytes == model.composed[NAMES[0]].nbytes
        assert {entry.tensor for entry in found.unpaired_quantized} == set(model.tensors) - set(NAMES)
        assert all("compared as a whole" in entry.reason for entry in found.unpaired_quantized)
    assert found.unpaired_reference == ()
    back = weightmap.compare(original, folder)
    assert [pair.reference_type for pair in back.pairs] == [scheme] * 4


@pytest.mark.parametrize("scheme", ["fp8_channel", "nvfp4_modelopt"])
def test_a_weight_with_wrong_scales_is_not(tmp_path, original, scheme: str) -> None:
    tensors: dict = {}
    for name, values in WEIGHTS.items():
        tensors |= SCHEMES[scheme](values, name)
    if scheme == "fp8_channel":
        tensors[f"{NAMES[1]}_scale"] = tensors[f"{NAMES[1]}_scale"][::-1]
    else:
        tensors[f"{NAMES[1]}_scale_2"] = tensors[f"{NAMES[1]}_scale_2"] * np.float32(1.5)
    found = {pair.tensor: pair for pair in weightmap.compare(checkpoint(tmp_path / "q", tensors), original).pairs}
    assert found[NAMES[1]].verdict in ("worse", "wrong")
    assert [found[name].verdict for name in (NAMES[0], *NAMES[2:])] == ["normal"] * 3


def test_what_cannot_be_read_is_unpaired_with_the_reason(tmp_path, original) -> None:
    tensors: dict = {}
    for name, values in WEIGHTS.items():
        tensors |= fp8(values, name)
    tensors[f"{NAMES[0]}_scale"] = tensors[f"{NAMES[0]}_scale"][:-1]
    found = weightmap.compare(checkpoint(tmp_path / "q", tensors), original)
    assert [pair.tensor for pair in found.pairs] == NAMES[1:]
    reasons = {entry.tensor: entry.reason for entry in found.unpaired_quantized}
    assert "has shape 127" in reasons[NAMES[0]]


@pytest.mark.parametrize("turned", [True, False])
def test_experts_of_gpt_oss_lie_turned_round_in_what_they_were_made_from(tmp_path, turned: bool) -> None:
    tensors, dense = {}, {}
    for at, part in enumerate(("gate_up_proj", "down_proj")):
        name = f"model.layers.0.mlp.experts.{part}"
        weights = np.random.default_rng(at).normal(0, 0.02, (4, 64, 64)).astype(np.float32)
        powers = np.floor(np.log2(np.abs(weights).reshape(4, 64, 2, 32).max(axis=3))).astype(np.int32) - 2
        codes = nearest(np.clip(weights / np.repeat(2.0**powers, 32, axis=2), -6, 6), E2M1)
        tensors[f"{name}_blocks"] = low_first(codes).reshape(4, 64, 2, 16)
        tensors[f"{name}_scales"] = (powers + 127).astype(np.uint8)
        dense[name] = np.ascontiguousarray(weights.transpose(0, 2, 1)) if turned else weights
    found = weightmap.compare(checkpoint(tmp_path / "q", tensors), checkpoint(tmp_path / "r", dense))
    assert [(pair.tensor, pair.verdict) for pair in found.pairs] == [(name, "normal") for name in dense]
    assert {pair.transform for pair in found.pairs} == {"T2" if turned else "="}
