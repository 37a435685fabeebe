"""What is said about a checkpoint as a whole: configs that are wrong or hostile, magnitudes, many findings of one kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by

import weightmap
from weightmap.companions.patterns import fits
from weightmap.companions.schemes.registry import SCHEMES
from weightmap.folding import folded

CODES = ("F8_E4M3", np.random.default_rng(1).integers(0, 0x7F, (16, 16), np.uint8))


def weight(scale: float = 0.001) -> dict:
    return {"a.weight": CODES, "a.weight_scale": np.full((16, 1), scale, np.float32)}


def codes_of(model: weightmap.WeightFile) -> set[str]:
    return {found.code for found in model.findings if found.severity in ("warning", "error")}


def test_a_config_of_another_method_is_said_and_not_believed(tmp_path) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", weight(), quantized_by(quant_method="gptq", bits=4))) as model:
        assert codes_of(model) == {"quant_config"}
        assert model.composed["a.weight"].scheme == "fp8_channel"
        assert model.composed["a.weight"].array().max() < 1
    for method in ("fp8", "compressed-tensors", "modelopt", "something_new"):
        with weightmap.open(checkpoint(tmp_path / method, weight(), quantized_by(quant_method=method))) as model:
            assert codes_of(model) == set()


ODD = [
    None,
    [],
    "fp8",
    {"quant_method": 5},
    {"quant_method": "compressed-tensors", "config_groups": [1], "ignore": "x"},
    {"quant_method": "compressed-tensors", "config_groups": {"g": {"targets": [5, None], "weights": "x"}}},
    {"quant_method": "compressed-tensors", "config_groups": {"g": None}, "ignore": ["re:(a+)+$", "re:(", 7]},
    {"quant_method": "fp8", "weight_block_size": [0, -1]},
    {"quant_method": "fp8", "weight_block_size": [10**30, 10**30]},
    {"quant_method": "fp8", "weight_block_size": [True, 1.5], "modules_to_not_convert": {"a": 1}},
]


@pytest.mark.parametrize("values", ODD, ids=str)
def test_whatever_a_config_holds(tmp_path, values) -> None:
    config = {"quantization_config": values, "quantization": values}
    with weightmap.open(checkpoint(tmp_path / "m", weight(), config)) as model:
        assert model.composed["a.weight"].array().shape == (16, 16)
        assert codes_of(model) == set()


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff" * 10, b"5" * 5_000])
@pytest.mark.parametrize("name", ["config.json", "hf_quant_config.json", "quantize_config.json"])
def test_a_config_that_is_no_json(tmp_path, content: bytes, name: str) -> None:
    folder = checkpoint(tmp_path / "m", weight())
    (folder / name).write_bytes(content)
    with weightmap.open(folder) as model:
        assert model.composed["a.weight"].status == "ok"
        said = [found for found in model.findings if found.code == "bad_config"]
        assert [found.severity for found in said] == ["info"]
        assert name in said[0].message


def test_patterns_of_module_names() -> None:
    assert fits(r".*lm_head", "model.lm_head")
    assert fits(r"model\.layers\.\d+\.mlp\.(gate|router)$", "model.layers.17.mlp.gate")
    assert not fits(r"model\.layers\.\d+\.mlp\.(gate|router)$", "model.layers.17.mlp.gate_proj")
    assert fits(r".*self_attn.*", "model.layers.0.self_attn.q_proj")
    assert not fits(r".*self_attn.*", "model.layers.0.mlp.up_proj")
    assert fits(r"[a-c]+\.x.*y$", "abc.x123y")
    assert not fits(r"(a+)+$", "aaaa")  # nothing that could take long is tried
    assert not fits(".*" * 100 + "x$", "a" * 5_000)  # would run for ever as a regular expression


@pytest.mark.parametrize("scale", [1e4, 1e-12])
def test_a_magnitude_that_no_model_has_is_said_with_the_values(tmp_path, scale: float) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", weight(scale))) as model:
        weight_ = model.composed["a.weight"]
        assert weight_.status == "ok"
        (found,) = weight_.check_values()
        assert found.code == "odd_scale"
        assert "root mean square" in found.message
        assert weight_.status == "warning"
        weight_.statistics()
        assert [one.code for one in weight_.findings] == ["odd_scale"]


def test_many_findings_of_one_kind_are_counted(tmp_path) -> None:
    tensors: dict = {}
    for number in range(40):
        tensors |= {f"l.{number}.weight": CODES, f"l.{number}.weight_scale": np.ones((15, 1), np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        errors = [found for found in model.findings if found.severity == "error"]
        assert len(errors) == 8
        assert errors[-1].message.endswith(" 32 more are like this.")
        assert folded(errors)[0].message.count("39 more tensors are like this") == 1
        for entry in model.composed.values():
            assert entry.status == "error"
            assert entry.problem is not None
            assert entry.name in entry.problem.message


def test_huge_and_empty_shapes(tmp_path) -> None:
    header = {
        "a.weight": {"dtype": "F8_E4M3", "shape": [1 << 40, 1 << 20], "data_offsets": [0, 4]},
        "a.weight_scale": {"dtype": "F32", "shape": [], "data_offsets": [4, 8]},
        "b.weight": {"dtype": "F8_E4M3", "shape": [0, 16], "data_offsets": [8, 8]},
        "b.weight_scale": {"dtype": "F32", "shape": [0, 1], "data_offsets": [8, 8]},
        "c.weight": {"dtype": "F8_E4M3", "shape": [4, 0], "data_offsets": [8, 8]},
        "c.weight_scale": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]},
    }
    text = json.dumps(header).encode()
    path = tmp_path / "m.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"\0" * 8)
    with weightmap.open(path) as model:
        with pytest.raises(weightmap.WeightFileError):
            model.composed["a.weight"].array()
        for name in ("b.weight", "c.weight"):
            try:
                assert model.composed[name].array().size == 0
                assert model.composed[name].statistics().count == 0
            except weightmap.WeightFileError as problem:
                assert name in str(problem)


def test_a_stale_config_beside_plain_floats(tmp_path) -> None:
    floats = {"a.weight": np.ones((4, 4), np.float32)}
    with weightmap.open(checkpoint(tmp_path / "fp8", floats, quantized_by(quant_method="fp8"))) as model:
        (found,) = [one for one in model.findings if one.severity == "warning"]
        assert (found.code, found.key, found.expected) == ("quant_config", "quantization_config", "fp8")
    frozen = quantized_by(quant_method="compressed-tensors", quantization_status="frozen")
    for name, config in (("bnb", quantized_by(quant_method="bitsandbytes")), ("frozen", frozen)):
        with weightmap.open(checkpoint(tmp_path / name, floats, config)) as model:
            assert codes_of(model) == set()


WORDS, HALVES = np.zeros((64, 8), np.int32), np.ones((2, 64), np.float16)
LIES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "AWQ zeros of another type": (
        {"a.qweight": WORDS, "a.scales": HALVES, "a.qzeros": ("BOOL", np.zeros((2, 8), np.uint8))},
        {},
        "dtype_mismatch",
    ),
    "zeros that the config says are not there": (
        {
            "a.weight_packed": np.zeros((8, 4), np.int32),
            "a.weight_scale": np.ones((8, 1), np.float16),
            "a.weight_shape": np.array([8, 32]),
        },
        {"quant_method": "compressed-tensors", "num_bits": 4, "symmetric": False},
        "scale_missing",
    ),
    "tiles of scales turned round": (
        {
            "a.weight": ("F8_E4M3", np.zeros((128, 256), np.uint8)),
            "a.weight_scale": np.full((8, 128), 120, np.uint8),
            "a.comfy_quant": np.frombuffer(b'{"format": "mxfp8"}', np.uint8),
        },
        {},
        "scale_shape",
    ),
    "bytes of exponents for whole rows": (
        {"a.weight": ("F8_E4M3", np.zeros((8, 256), np.uint8)), "a.weight_scale": np.full((8, 1), 120, np.uint8)},
        {},
        "scale_shape",
    ),
    "groups of no usual size": (
        {"a.weight": np.zeros((8, 128), np.uint8), "a.weight_scale": np.ones((16, 3), np.float32)},
        {"quant_method": "modelopt", "group_size": 32},
        "scale_shape",
    ),
    "a description that is no text": (
        {
            "a.weight": np.zeros((8, 64), np.int8),
            "a.weight_scale": np.ones((8, 1), np.float32),
            "a.comfy_quant": ("BOOL", np.zeros(5, np.uint8)),
        },
        {},
        "quant_metadata",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_refused(tmp_path: Path, lie: str) -> None:
    tensors, told, code = LIES[lie]
    with weightmap.open(checkpoint(tmp_path / "m", tensors, quantized_by(**told) if told else None)) as model:
        (weight,) = model.composed.values()
        assert weight.problem is not None
        assert (weight.problem.code, weight.status) == (code, "error")
        with pytest.raises(weightmap.CorruptWeightError):
            weight.array()


def test_zeros_that_torchao_lists_have_to_be_there(tmp_path: Path) -> None:
    said = {"_type": "Int8Tensor", "_tensor_data_names": ["qdata", "scale", "zero_point"]}
    tensors = {"a._weight_qdata": np.zeros((4, 8), np.int8), "a._weight_scale": np.ones((4, 1), np.float32)}
    folder = checkpoint(tmp_path / "m", tensors, metadata={"a.weight": json.dumps(said)})
    with weightmap.open(folder) as model:
        assert model.composed["a.weight"].problem.code == "scale_missing"


def test_offsets_without_codes_are_orphans(tmp_path: Path) -> None:
    tensors = {"a.scales": HALVES, "a.biases": HALVES, "b.weight": np.zeros((8, 64), np.int8)}
    tensors["b.weight_scale"] = np.ones((8, 1), np.float32)
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        (said,) = (found for found in model.findings if found.code == "orphan_scale")
        assert said.message.startswith("a.scales and a.biases belong")


def test_a_config_in_the_header_of_the_file(tmp_path: Path) -> None:
    said = {"quant_method": "fp8", "weight_block_size": [8, 4]}
    tensors = {"a.weight": CODES, "a.weight_scale_inv": np.arange(1, 9, dtype=np.float32).reshape(2, 4)}
    told = {"quantization_config": json.dumps(said)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=told)) as model:
        assert "8 × 4" in model.composed["a.weight"].about
        assert codes_of(model) == set()
    with weightmap.open(checkpoint(tmp_path / "bare", {"a.weight": CODES}, metadata=told)) as model:
        assert model.composed["a.weight"].problem.code == "scale_missing"
        assert "model.safetensors says" in model.composed["a.weight"].problem.message
    for text in ("", "{", "5", "[" * 10_000, '{"quant_method": 5}'):
        folder = checkpoint(tmp_path / f"{len(text)}", {"a.weight": CODES}, metadata={"quantization_config": text})
        with weightmap.open(folder) as model:
            assert codes_of(model) == set()


@pytest.mark.parametrize("scheme", [one for one in SCHEMES if "" in one.endings], ids=lambda one: one.name)
def test_a_weight_that_holds_its_own_codes_keeps_its_name(scheme) -> None:
    assert scheme.weight("a.weight") == "a.weight"
