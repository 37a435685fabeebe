"""Configs that say another scheme than the tensors of a weight have: said, and not believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.packing import awq, down, words

import weightmap
from weightmap.companions.schemes.four_bit_tables import TABLES

RANDOM = np.random.default_rng(11)
BYTES = RANDOM.integers(0, 0x7F, (16, 64), np.uint8)
CODES = RANDOM.integers(0, 16, (16, 64), np.uint8)
CHANNEL = np.full((16, 1), 0.01, np.float32)
FP8: dict[str, Any] = {"a.weight": ("F8_E4M3", BYTES), "a.weight_scale": CHANNEL}
TENSOR: dict[str, Any] = {"a.weight": ("F8_E4M3", BYTES), "a.weight_scale": np.float32([0.01])}
INT8: dict[str, Any] = {"a.weight": BYTES.view(np.int8), "a.weight_scale": CHANNEL}
MXFP8: dict[str, Any] = {"a.weight": ("F8_E4M3", BYTES), "a.weight_scale": np.full((16, 2), 120, np.uint8)}
ROWS: dict[str, Any] = {"a.weight": ("F8_E4M3", BYTES[:, :16]), "a.weight_scale": np.full((16, 1), 120, np.uint8)}
MXFP4: dict[str, Any] = {"a.weight_packed": BYTES[:, :32], "a.weight_scale": np.full((16, 2), 120, np.uint8)}
PACKED: dict[str, Any] = {
    "a.weight_packed": words(CODES, 4),
    "a.weight_scale": np.full((16, 2), 0.01, np.float16),
    "a.weight_shape": np.array([16, 64]),
}
GPTQ: dict[str, Any] = {
    "a.qweight": np.ascontiguousarray(words(CODES, 4).T),
    "a.qzeros": np.full((2, 2), 0x77777777, np.int32),
    "a.scales": np.full((2, 16), 0.01, np.float16),
}
AWQ: dict[str, Any] = {
    "a.qweight": awq(np.ascontiguousarray(CODES.T)),
    "a.qzeros": awq(np.full((2, 16), 8, np.uint8)),
    "a.scales": np.full((2, 16), 0.01, np.float16),
}
MLX: dict[str, Any] = {
    "a.weight": words(CODES, 4).view(np.uint32),
    "a.scales": np.full((16, 2), 0.01, np.float16),
    "a.biases": np.full((16, 2), -0.08, np.float16),
}
BNB8: dict[str, Any] = {"a.weight": BYTES.view(np.int8), "a.SCB": np.ones(16, np.float32)}


def ct(format: str, **weights: Any) -> dict[str, Any]:
    group = {"targets": ["Linear"], "weights": weights}
    return {"quant_method": "compressed-tensors", "format": format, "config_groups": {"group_0": group}}


def modelopt(algorithm: str) -> dict[str, Any]:
    return {"quant_method": "modelopt", "quant_algo": algorithm}


AGREE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "fp8": (FP8, ct("float-quantized", num_bits=8, type="float")),
    "naive": (FP8, ct("naive-quantized", num_bits=8, type="float")),
    "int8": (INT8, ct("int-quantized", num_bits=8, type="int")),
    "packed": (PACKED, ct("pack-quantized", num_bits=4, type="int", group_size=32)),
    "mxfp8": (MXFP8, ct("mxfp8-quantized", num_bits=8, type="float")),
    "mxfp8 of one group": (ROWS, ct("mxfp8-quantized", num_bits=8, type="float")),
    "mxfp4": (MXFP4, ct("mxfp4-pack-quantized", num_bits=4, type="float")),
    "dense": (FP8, ct("dense")),
    "modelopt fp8": (FP8, modelopt("FP8_PER_CHANNEL_PER_TOKEN")),
    "modelopt mxfp8": (MXFP8, modelopt("MXFP8")),
    "modelopt int8": (INT8, modelopt("W8A8_SQ_PER_CHANNEL")),
    "modelopt mixed": (FP8, modelopt("MIXED_PRECISION")),
    "strategy tensor": (TENSOR, ct("float-quantized", num_bits=8, type="float", strategy="tensor")),
    "strategy channel": (FP8, ct("float-quantized", num_bits=8, type="float", strategy="channel")),
    "strategy group": (PACKED, ct("pack-quantized", num_bits=4, type="int", strategy="group", group_size=32)),
    "one block": (TENSOR, {"quant_method": "fp8", "weight_block_size": [128, 128]}),
    "bnb": (BNB8, {"quant_method": "bitsandbytes", "load_in_8bit": True, "load_in_4bit": False}),
    "awq": (AWQ, {"quant_method": "awq", "bits": 4, "group_size": 32}),
}
CONTRADICT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "packed": (FP8, ct("pack-quantized", num_bits=4, type="int")),
    "fp8": (PACKED, ct("float-quantized", num_bits=4, type="float", group_size=32)),
    "nvfp4": (MXFP4, ct("nvfp4-pack-quantized", num_bits=4, type="float")),
    "int8": (FP8, ct("int-quantized", num_bits=8, type="int")),
    "modelopt nvfp4": (FP8, modelopt("NVFP4")),
    "modelopt fp8": (INT8, modelopt("FP8")),
    "modelopt mxfp4": (MXFP8, modelopt("W4A8_MXFP4_FP8")),
    "modelopt int4": (FP8, modelopt("W4A16_AWQ")),
    "tensor, not channel": (TENSOR, ct("float-quantized", num_bits=8, type="float", strategy="channel")),
    "channel, not tensor": (FP8, ct("float-quantized", num_bits=8, type="float", strategy="tensor")),
    "tensor, not blocks": (TENSOR, {"quant_method": "fp8", "weight_block_size": [8, 32]}),
    "packed tensor": (
        PACKED | {"a.weight_scale": np.float16([0.01])},
        ct("pack-quantized", num_bits=4, type="int", strategy="group", group_size=32),
    ),
    "packed channel": (
        PACKED | {"a.weight_scale": np.full((16, 1), 0.01, np.float16)},
        ct("pack-quantized", num_bits=4, type="int", strategy="tensor"),
    ),
    "bnb": (BNB8, {"quant_method": "bitsandbytes", "load_in_4bit": True}),
    "gptq": (AWQ, {"quant_method": "gptq", "bits": 4, "group_size": 32}),
    "awq": (GPTQ, {"quant_method": "awq", "bits": 4, "group_size": 32}),
    "bits of awq": (AWQ, {"quant_method": "awq", "bits": 8, "group_size": 32}),
    "symmetric": (
        PACKED | {"a.weight_zero_point": down(CODES[:, :2].copy(), 4)},
        ct("pack-quantized", num_bits=4, type="int", symmetric=True, group_size=32),
    ),
}


def said(folder: Path, tensors: dict[str, Any], config: dict[str, Any]) -> list[weightmap.Finding]:
    """What is loud, after looking that the weight has the values that it has without a config."""
    with weightmap.open(checkpoint(folder / "without", tensors)) as plain:
        wanted = plain.composed["a.weight"].array()
    with weightmap.open(checkpoint(folder / "with", tensors, quantized_by(**config))) as model:
        assert np.array_equal(model.composed["a.weight"].array(), wanted)
        return [found for found in model.findings if found.severity in ("warning", "error")]


@pytest.mark.parametrize("kind", AGREE)
def test_a_config_that_agrees(tmp_path: Path, kind: str) -> None:
    assert said(tmp_path, *AGREE[kind]) == []


@pytest.mark.parametrize("kind", CONTRADICT)
def test_a_config_that_contradicts(tmp_path: Path, kind: str) -> None:
    (found,) = said(tmp_path, *CONTRADICT[kind])
    assert (found.code, found.severity) == ("quant_config", "warning")
    assert "a." in found.message


def test_zeros_of_a_symmetric_weight_that_are_the_middle(tmp_path: Path) -> None:
    tensors = PACKED | {"a.weight_zero_point": down(np.full((16, 2), 8, np.uint8), 4)}
    assert said(tmp_path, tensors, ct("pack-quantized", num_bits=4, type="int", symmetric=True, group_size=32)) == []


def test_weights_of_one_kind_are_said_once(tmp_path: Path) -> None:
    tensors: dict[str, Any] = {}
    for number in range(12):
        tensors |= {f"l.{number}.weight": FP8["a.weight"], f"l.{number}.weight_scale": CHANNEL}
    config = quantized_by(**ct("pack-quantized", num_bits=4, type="int"))
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        (found,) = (one for one in model.findings if one.code == "quant_config")
        assert "11 more" in found.message


def test_embeddings_of_models_in_blocks_have_one_scale(tmp_path: Path) -> None:
    tensors = {name.replace("a.", "model.embed_tokens."): tensor for name, tensor in TENSOR.items()}
    config = quantized_by(quant_method="fp8", weight_block_size=[8, 32])
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        assert model.composed["model.embed_tokens.weight"].status == "ok"


LEAVING: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "compressed-tensors": (FP8, {**ct("float-quantized"), "ignore": ["lm_head", "a"]}),
    "compressed-tensors by pattern": (PACKED, {**ct("pack-quantized"), "ignore": ["re:^a$"]}),
    "fp8": (TENSOR, {"quant_method": "fp8", "modules_to_not_convert": ["a"]}),
    "modelopt": (TENSOR, {**modelopt("FP8"), "exclude_modules": ["a*"]}),
    "gptq": (GPTQ, {"quant_method": "gptq", "bits": 4, "group_size": 32, "dynamic": {"-:a": {}}}),
    "awq": (AWQ, {"quant_method": "awq", "modules_to_not_convert": ["a"]}),
    "bitsandbytes": (BNB8, {"quant_method": "bitsandbytes", "llm_int8_skip_modules": ["a"]}),
    "mlx": (MLX, {"quant_method": "mlx", "a": False}),
}


@pytest.mark.parametrize("what", LEAVING)
def test_weights_that_the_config_leaves_out(tmp_path: Path, what: str) -> None:
    tensors, said = LEAVING[what]
    twice = tensors | {f"b{name[1:]}": part for name, part in tensors.items()}
    with weightmap.open(checkpoint(tmp_path / "m", twice, quantized_by(**said))) as model:
        (found,) = (one for one in model.findings if one.severity in ("warning", "error"))
        assert (found.code, found.tensor) == ("quant_config", next(iter(tensors)))
        assert "says that a.weight is not quantized" in found.message
        assert np.array_equal(model.composed["a.weight"].array(), model.composed["b.weight"].array())


def bnb4(kind: str) -> dict[str, Any]:
    state = f'{{"quant_type": "{kind}", "blocksize": 64, "dtype": "bfloat16", "shape": [16, 64]}}'
    return {
        "a.weight": (CODES[:, 0::2] << 4 | CODES[:, 1::2]).reshape(-1, 1),
        "a.weight.quant_map": np.float32(TABLES[kind]),
        "a.weight.absmax": np.ones(16, np.float32),
        f"a.weight.quant_state.bitsandbytes__{kind}": np.frombuffer(state.encode(), np.uint8),
    }


ZEROS: dict[str, Any] = INT8 | {"a.weight_zero_point": np.full((16, 1), 3, np.int8)}
ASYMMETRIC: dict[str, Any] = GPTQ | {"a.qzeros": np.full((2, 2), 0x37777777, np.int32)}
ORDERED: dict[str, Any] = ASYMMETRIC | {"a.g_idx": np.tile(np.int32([0, 1]), 32)}
GPTQ_CONFIG: dict[str, Any] = {"quant_method": "gptq", "bits": 4, "checkpoint_format": "gptq"}
SAID: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "order and groups": (ORDERED, GPTQ_CONFIG | {"group_size": 64}, GPTQ_CONFIG | {"group_size": 32}),
    "one group": (ASYMMETRIC, GPTQ_CONFIG | {"group_size": -1}, GPTQ_CONFIG | {"group_size": 32}),
    "one group of AWQ": (AWQ, {"quant_method": "awq", "group_size": -1}, {"quant_method": "awq", "group_size": 32}),
    "one group of packed": (PACKED, ct("pack-quantized", group_size=-1), ct("pack-quantized", group_size=32)),
    "symmetric zeros": (ASYMMETRIC, GPTQ_CONFIG | {"sym": True}, GPTQ_CONFIG | {"sym": False}),
    "symmetric int8": (ZEROS, ct("int-quantized", symmetric=True), ct("int-quantized", symmetric=False)),
    "type of codes": (TENSOR, {"quant_method": "fp8", "fmt": "e5m2"}, {"quant_method": "fp8", "fmt": "e4m3"}),
    "mode of MLX": (
        MLX,
        {"quant_method": "mlx", "bits": 4, "group_size": 32, "mode": "mxfp4"},
        {"quant_method": "mlx", "bits": 4, "group_size": 32, "mode": "affine"},
    ),
    "bits of a module": (
        GPTQ,
        GPTQ_CONFIG | {"bits": 8},
        GPTQ_CONFIG | {"bits": 8, "extra_config": {"a": {"bits": 4}}},
    ),
    "kind of 4 bits": (
        bnb4("nf4"),
        {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "fp4"},
        {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_one_word_of_a_config_that_is_wrong(tmp_path: Path, what: str) -> None:
    tensors, wrong, right = SAID[what]
    with weightmap.open(checkpoint(tmp_path / "right", tensors, quantized_by(**right))) as model:
        assert [found.message for found in model.findings if found.severity in ("warning", "error")] == []
        values = model.composed["a.weight"].array()
    with weightmap.open(checkpoint(tmp_path / "wrong", tensors, quantized_by(**wrong))) as model:
        (found,) = (found for found in model.findings if found.severity in ("warning", "error"))
        assert found.code == "quant_config"
        assert np.array_equal(model.composed["a.weight"].array(), values)


@pytest.mark.parametrize("listed", ["a.b", ".".join("ab" * 40), "a*c"])
def test_names_and_lists_of_any_length(tmp_path: Path, listed: str) -> None:
    long = ".".join("a" * 100_000)
    tensors = {name.replace("a", long, 1) if name[0] == "a" else name: part for name, part in TENSOR.items()}
    said = {"quant_method": "fp8", "modules_to_not_convert": [listed]}
    metadata = {"_quantization_metadata": '{"layers": {"a.a.a": {"format": "float8_e4m3fn"}}}'}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, quantized_by(**said), metadata)) as model:
        assert list(model.composed) == [f"{long}.weight"]
        assert not [found for found in model.findings if found.severity in ("warning", "error")]
