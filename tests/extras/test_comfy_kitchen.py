"""Weights written by ComfyUI's kernels, read as their eager versions read them; rotated ones to the last bits of float32."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightmap

torch = pytest.importorskip("torch")
pytest.importorskip("comfy_kitchen")
safetensors = pytest.importorskip("safetensors.torch")

from comfy_kitchen.backends.eager import convrot_w4a4, w4a8_int8  # noqa: E402
from comfy_kitchen.tensor.awq_w4a16 import TensorCoreAWQW4A16Layout  # noqa: E402

SHAPE = (64, 512)


def weights() -> Any:
    return torch.tensor(np.random.default_rng(1).normal(0, 0.02, SHAPE).astype(np.float32))


def read(folder: Path, tensors: dict[str, Any], **settings: Any) -> Any:
    """The weight of a module of these tensors."""
    marker = torch.tensor(list(json.dumps(settings).encode()), dtype=torch.uint8)
    stored = {f"a.weight{end}": tensor.contiguous() for end, tensor in tensors.items() if tensor is not None}
    safetensors.save_file({**stored, "a.comfy_quant": marker}, folder / "model.safetensors")
    with weightmap.open(folder / "model.safetensors") as model:
        weight = model.composed["a.weight"]
        assert weight.status == "ok"
        assert np.array_equal(weight[3:9, 5:70], weight.array()[3:9, 5:70])
        return torch.tensor(weight.array())


KINDS: dict[str, dict[str, Any]] = {
    "codebook": {},
    "uniform": {"codebook": False},
    "six bits": {"bits": 6, "codebook": False},
    "asymmetric": {"symmetric": False, "codebook": False},
    "larger groups": {"group_size": 32},
}


@pytest.mark.parametrize("kind", KINDS)
def test_w4a8(tmp_path: Path, kind: str) -> None:
    codes, relative, rows, correction, book = w4a8_int8.quantize_w4a8_int8_weight(weights(), **KINDS[kind])
    size = KINDS[kind].get("group_size", 16)
    wanted = w4a8_int8.dequantize_w4a8_int8_weight(
        codes, relative, rows, book, correction, group_size=size, output_dtype=torch.float32
    )
    tensors = {"": codes, "_s_rel": relative, "_s_channel": rows, "_codebook": book, "_correction": correction}
    found = read(tmp_path, tensors, format="asym_w4a8_int8", group_size=size)
    assert (found - wanted).abs().max() < 2e-7


def test_convrot_w4a4(tmp_path: Path) -> None:
    codes, scale = convrot_w4a4.quantize_convrot_w4a4_weight(weights(), 256, 64)
    wanted = convrot_w4a4.dequantize_convrot_w4a4_weight(codes, scale, 256, 64, torch.float32)
    found = read(tmp_path, {"": codes, "_scale": scale}, format="convrot_w4a4", convrot_groupsize=256)
    assert (found - wanted).abs().max() < 2e-7


def test_awq_w4a16(tmp_path: Path) -> None:
    drawn = np.random.default_rng(2)
    codes = torch.tensor(drawn.integers(-128, 128, (64, 256), np.int8))
    scale, zeros = (torch.tensor(drawn.uniform(low, 1, (8, 64)).astype(np.float32)) for low in (0.1, -1))
    kind = TensorCoreAWQW4A16Layout.Params(
        scale=scale, orig_dtype=torch.float32, orig_shape=SHAPE, zeros=zeros, group_size=64
    )
    wanted = TensorCoreAWQW4A16Layout.dequantize(codes, kind)
    found = read(tmp_path, {"": codes, "_scale": scale, "_zeros": zeros}, format="awq_w4a16", group_size=64)
    assert torch.equal(found, wanted)
