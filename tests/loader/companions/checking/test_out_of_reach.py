"""Weights of which an index or a header lists parts that no file tells how to read: no value is shown of what is not whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint, quantized_by
from support.packing import down, words

import weightmap

RANDOM = np.random.default_rng(7)
BYTES = RANDOM.integers(0, 0x7F, (32, 64), np.uint8)
CODES = RANDOM.integers(0, 16, (32, 64), np.uint8)
FP8: dict[str, Any] = {"a.weight": ("F8_E4M3", BYTES), "a.weight_scale_inv": np.full((1, 1), 0.01, np.float32)}
INT8: dict[str, Any] = {"a.weight": BYTES.view(np.int8), "a.weight_scale": np.full((32, 1), 0.01, np.float32)}
PACKED: dict[str, Any] = {
    "a.weight_packed": words(CODES, 4),
    "a.weight_scale": np.full((32, 2), 0.01, np.float16),
    "a.weight_shape": np.array([32, 64]),
    "a.weight_zero_point": down(CODES[:, :2].copy(), 4),
    "a.weight_g_idx": RANDOM.permutation(np.arange(64) // 32).astype(np.int32),
}
GPTQ: dict[str, Any] = {
    "a.qweight": np.ascontiguousarray(words(CODES, 4).T),
    "a.qzeros": np.full((2, 4), 0x77777777, np.int32),
    "a.scales": np.full((2, 32), 0.01, np.float16),
    "a.g_idx": RANDOM.permutation(np.arange(64) // 32).astype(np.int32),
}
EXPERTS: dict[str, Any] = {
    "a.gate_up_proj": ("F8_E4M3", BYTES.reshape(2, 16, 64)),
    "a.gate_up_proj_scale": np.ones(2, "f4"),
}


def model(folder: Path, tensors: dict[str, Any], lost: str, *, file: str = "2.safetensors", **config: Any) -> Path:
    """A model of two files, the second of which, with the tensor `lost`, is not there; or the first lacks it."""
    held = {name: tensor for name, tensor in tensors.items() if name != lost}
    checkpoint(folder, held | {"b.weight": np.ones((4, 4), np.float32)}, quantized_by(**config) if config else None)
    (folder / "model.safetensors").rename(folder / "1.safetensors")
    placed = dict.fromkeys(held, "1.safetensors") | {"b.weight": "1.safetensors", lost: file}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    return folder


@pytest.mark.parametrize(
    ("tensors", "lost", "name"),
    [
        (FP8, "a.weight_scale_inv", "a.weight"),
        (INT8, "a.weight_scale", "a.weight"),
        (PACKED, "a.weight_zero_point", "a.weight"),
        (PACKED, "a.weight_g_idx", "a.weight"),
        (GPTQ, "a.g_idx", "a.weight"),
        (EXPERTS, "a.gate_up_proj_scale", "a.gate_up_proj"),
    ],
)
@pytest.mark.parametrize("file", ["1.safetensors", "2.safetensors"], ids=["not in its file", "file not there"])
def test_a_part_that_no_file_holds(tmp_path: Path, tensors: dict[str, Any], lost: str, name: str, file: str) -> None:
    with weightmap.open(model(tmp_path / "m", tensors, lost, file=file)) as opened:
        weight = opened.composed[name]
        assert_no_values(weight, "scale_missing")
        assert lost in weight.problem.message
        assert weight.problem in opened.findings
        assert set(weight.sources) == tensors.keys() - {lost}
        assert opened.tensors["b.weight"].array().all()
        assert list(opened.composed) == [name]


def spoil(path: Path, name: str, spoilt: Any) -> None:
    """Change the entry of one tensor in the header of a file: some of its fields, or the whole."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    header[name] = header[name] | spoilt if isinstance(spoilt, dict) else spoilt
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])


@pytest.mark.parametrize("spoilt", [{"shape": [-1]}, {"dtype": None}, {"data_offsets": [4, 2]}, None, 7])
@pytest.mark.parametrize(
    ("tensors", "lost", "name"),
    [(PACKED, "a.weight_zero_point", "a.weight"), (GPTQ, "a.g_idx", "a.weight"), (INT8, "a.weight_scale", "a.weight")],
)
def test_a_part_whose_entry_cannot_be_read(
    tmp_path: Path, tensors: dict[str, Any], lost: str, name: str, spoilt: Any
) -> None:
    folder = checkpoint(tmp_path / "m", tensors)
    spoil(folder / "model.safetensors", lost, spoilt)
    with weightmap.open(folder) as opened:
        assert_no_values(opened.composed[name], "scale_missing")
        assert lost in opened.composed[name].problem.message
    first, second = (f"model-0000{number}-of-00002.safetensors" for number in (1, 2))
    (folder / "model.safetensors").rename(folder / first)
    checkpoint(folder, {"b.weight": np.ones((4, 4), np.float32)})
    (folder / "model.safetensors").rename(folder / second)
    with weightmap.open(folder) as opened:  # without an index
        assert_no_values(opened.composed[name], "scale_missing")


@pytest.mark.parametrize("lost", ["a.bias", "a.input_scale", "a.k_scale", "c.weight", "c.weight_scale"])
def test_what_no_value_depends_on_may_be_gone(tmp_path: Path, lost: str) -> None:
    with weightmap.open(model(tmp_path / "m", FP8, lost)) as opened:
        weight = opened.composed["a.weight"]
        assert weight.problem is None
        assert weight.array().shape == (32, 64)
        assert "scale_missing" not in {found.code for found in opened.findings}


def test_many_parts_are_counted(tmp_path: Path) -> None:
    tensors: dict[str, Any] = {}
    for number in range(20):
        tensors[f"l.{number}.weight"] = ("F8_E4M3", BYTES)
    folder = checkpoint(tmp_path / "m", tensors)
    (folder / "model.safetensors").rename(folder / "1.safetensors")
    placed = dict.fromkeys(tensors, "1.safetensors") | {f"{name}_scale": "2.safetensors" for name in tensors}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    with weightmap.open(folder) as opened:
        said = [found.code for found in opened.findings]
        assert (said.count("missing_shard"), said.count("scale_missing")) == (1, 1)
        assert all(weight.status == "error" for weight in opened.composed.values())
        assert len(opened.composed) == 20


def test_a_shard_opened_by_itself(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m", {"a.weight": FP8["a.weight"], "c.weight": FP8["a.weight"]})
    first, second = (f"model-0000{number}-of-00002.safetensors" for number in (1, 2))
    (folder / "model.safetensors").rename(folder / first)
    placed = {"a.weight": first, "c.weight": first, "a.weight_scale": second}
    with weightmap.open(folder / first) as opened:
        assert not opened.composed  # nothing says that there are scales
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    with weightmap.open(folder / first) as opened:
        assert list(opened.composed) == ["a.weight"]
        assert_no_values(opened.composed["a.weight"], "scale_missing")
        assert opened.tensors["c.weight"].status == "ok"
