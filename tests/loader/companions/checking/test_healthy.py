"""Quantized checkpoints as their writers leave them, each with its true config: none of them is warned of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.packing import awq, down, words

import weightmap
from weightmap.companions.schemes.four_bit_tables import TABLES

RANDOM = np.random.default_rng(5)
CODES = RANDOM.integers(0, 16, (32, 128), np.uint8)
BYTES = RANDOM.integers(0, 0x70, (32, 128), np.uint8)
SCALES = np.full((32, 2), 0.01, np.float16)
NATURAL = np.arange(128, dtype=np.int32) // 64
ORDERED = RANDOM.permutation(NATURAL)
PLAIN: dict[str, Any] = {
    "lm_head.weight": np.ones((8, 8), np.float32),
    "l.0.mlp.gate.weight": np.ones((8, 8), np.float32),
}


def gptq(module: str, order: np.ndarray | None, zero: int) -> dict[str, Any]:
    zeros = np.full((2, 4), 0x11111111 * zero, np.uint32).view(np.int32)
    found = {"qweight": np.ascontiguousarray(words(CODES, 4).T), "qzeros": zeros, "scales": SCALES.T.copy()}
    found |= {} if order is None else {"g_idx": order}
    return {f"{module}.{name}": each for name, each in found.items()}


def packed(module: str, **more: np.ndarray) -> dict[str, Any]:
    found = {"packed": words(CODES, 4), "scale": SCALES, "shape": np.array([32, 128])} | more
    return {f"{module}.weight_{name}": each for name, each in found.items()}


def eights(module: str, ending: str, scale: np.ndarray) -> dict[str, Any]:
    return {f"{module}.weight": ("F8_E4M3", BYTES), f"{module}.{ending}": scale}


def mlx(module: str, size: int) -> dict[str, Any]:
    numbers = np.full((32, 128 // size), 0.01, np.float16)
    return {
        f"{module}.weight": words(CODES, 4).view(np.uint32),
        f"{module}.scales": numbers,
        f"{module}.biases": -8 * numbers,
    }


def groups(*several: dict[str, Any]) -> dict[str, Any]:
    """A config of compressed-tensors: modules called a, b, ... are in the group of their place."""
    named = {f"group_{n}": {"targets": [f"re:.*{'abc'[n]}$"], "weights": said} for n, said in enumerate(several)}
    return {"quant_method": "compressed-tensors", "config_groups": named, "ignore": ["lm_head", "re:.*gate$"]}


GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 64, "sym": True}
FOURS = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 64}
MIDDLE = np.ascontiguousarray(down(np.full((32, 2), 8, np.uint8), 4))
INT8 = {"a.weight": BYTES.view(np.int8), "a.weight_scale": np.full((32, 1), 0.01, np.float32)}
STATE = '{"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [32, 128]}'
NF4 = {
    "a.weight": (CODES[:, 0::2] << 4 | CODES[:, 1::2]).reshape(-1, 1),
    "a.weight.quant_map": np.float32(TABLES["nf4"]),
    "a.weight.absmax": np.ones(64, np.float32),
    "a.weight.quant_state.bitsandbytes__nf4": np.frombuffer(STATE.encode(), np.uint8),
}
AWQ = {"a.qweight": awq(CODES.T.copy()), "a.qzeros": awq(np.full((2, 32), 8, np.uint8)), "a.scales": SCALES.T.copy()}
EXPERTS = {
    "l.0.mlp.experts.down_proj_blocks": RANDOM.integers(0, 255, (2, 64, 4, 16), np.uint8),
    "l.0.mlp.experts.down_proj_scales": np.full((2, 64, 4), 120, np.uint8),
}

HEALTHY: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "gptq": (gptq("a", NATURAL, 7), {**GPTQ, "desc_act": False, "checkpoint_format": "gptq"}),
    "gptq v2": (gptq("a", NATURAL, 8), {**GPTQ, "desc_act": False, "checkpoint_format": "gptq_v2"}),
    "static groups": (gptq("a", NATURAL, 7) | gptq("b", ORDERED, 7), {**GPTQ, "desc_act": True, "static_groups": True}),
    "auto-round": (gptq("a", None, 8), {**GPTQ, "quant_method": "auto-round", "packing_format": "auto_round"}),
    "awq": (AWQ | PLAIN, {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "GEMM"}),
    "awq of exllama": (AWQ, {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "exllama"}),
    "one group with an order": (packed("x.a", g_idx=ORDERED) | packed("y.a", g_idx=ORDERED) | packed("z.a", g_idx=ORDERED)
        | packed("x.b"), groups(FOURS | {"actorder": "group"}, FOURS | {"actorder": None})),
    "one group with zeros": (packed("x.a", zero_point=MIDDLE) | packed("y.a", zero_point=MIDDLE)
        | packed("z.a", zero_point=MIDDLE) | packed("x.b"), groups(FOURS | {"symmetric": False}, FOURS)),
    "zeros that are zero": (INT8 | {"a.weight_zero_point": np.zeros((32, 1), np.int8)}, groups({"symmetric": True})),
    "fp8": (eights("a", "weight_scale", np.float32([0.01])) | PLAIN | {"a.input_scale": np.float32([0.5])},
        {"quant_method": "fp8", "fmt": "e4m3", "ignored_layers": ["lm_head", "l.0.mlp.gate"]}),
    "fp8 in blocks": (eights("a", "weight_scale_inv", np.full((1, 1), 0.01, np.float32)) | PLAIN,
        {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}),
    "scales of keys": (eights("l.0.k_proj", "weight_scale", np.float32([0.01])) | {"l.0.k_proj.k_scale": np.float32([0.5])},
        {"quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": ["lm_head"]}),
    "mlx": (mlx("a", 64) | PLAIN, {"group_size": 64, "bits": 8, "a": {"group_size": 64, "bits": 4}, "l.0.mlp.gate": False,
        "mode": "affine"}),
    "mlx in short groups": (mlx("a", 32), {"group_size": 32, "bits": 4, "mode": "affine"}),
    "nf4 without its kind": (NF4, {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "other"}),
    "gpt-oss": (EXPERTS, {"quant_method": "mxfp4", "modules_to_not_convert": ["l.*.mlp.router", "lm_head"]}),
    "int8 of another packer": ({"a.qweight": BYTES.view(np.int8), "a.scale": np.full((32, 1), 0.01, np.float32)},
        {"quant_method": "another", "bits": 4}),
}  # fmt: skip


@pytest.mark.parametrize("what", HEALTHY)
def test_a_healthy_checkpoint_is_silent(tmp_path: Path, what: str) -> None:
    tensors, said = HEALTHY[what]
    with weightmap.open(checkpoint(tmp_path / "m", tensors, quantized_by(**said))) as model:
        assert [(one.code, one.message) for one in model.findings if one.severity != "info"] == []
        assert model.composed
        assert all(weight.problem is None for weight in model.composed.values())


def test_a_header_that_lists_no_modules_takes_no_scales_for_its_own(tmp_path: Path) -> None:
    exponents = np.full((32, 4), 120, np.uint8)
    metadata = {"_quantization_metadata": json.dumps({"layers": {}})}
    with weightmap.open(checkpoint(tmp_path / "m", eights("a", "weight_scale", exponents), None, metadata)) as model:
        assert model.composed["a.weight"].problem is None


@pytest.mark.parametrize(
    "others",
    [
        {"x_proj.biases": np.ones((8, 3), np.float16)},
        {"x_proj.weight": np.ones((8, 8), np.float32)},
        {"x_proj.biases": np.ones((8, 2), np.float16), "x_proj.weight": np.ones((8, 8), np.float32)},
    ],
)
def test_scales_and_offsets_that_are_not_those_of_one_weight(tmp_path: Path, others: dict[str, Any]) -> None:
    tensors = {"x_proj.scales": np.ones((8, 2), np.float16)} | others
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert [one for one in model.findings if one.severity != "info"] == []
