"""Weights written by compressed-tensors, read as that package reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightmap

torch = pytest.importorskip("torch")
pytest.importorskip("compressed_tensors")
safetensors = pytest.importorskip("safetensors.torch")

from compressed_tensors.compressors.base import BaseCompressor  # noqa: E402
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme  # noqa: E402

SHAPE = (64, 192)


def weights() -> Any:
    return torch.tensor(np.random.default_rng(1).normal(0, 0.02, SHAPE).astype(np.float32))


def largest(values: Any, strategy: str, size: Any) -> Any:
    """The largest magnitude of what shares a scale."""
    if strategy == "tensor":
        return values.abs().max().reshape(1)
    if strategy == "channel":
        return values.abs().amax(dim=1, keepdim=True)
    if strategy == "block":
        tall, wide = size
        return values.abs().reshape(SHAPE[0] // tall, tall, SHAPE[1] // wide, wide).amax(dim=(1, 3))
    return values.abs().reshape(SHAPE[0], -1, size).amax(dim=2)


FORMATS: dict[str, tuple[str, dict[str, Any], float]] = {
    "fp8 tensor": ("float-quantized", {"num_bits": 8, "type": "float", "strategy": "tensor"}, 448),
    "fp8 channel": ("float-quantized", {"num_bits": 8, "type": "float", "strategy": "channel"}, 448),
    "fp8 block": (
        "float-quantized",
        {"num_bits": 8, "type": "float", "strategy": "block", "block_structure": [32, 64]},
        448,
    ),
    "int8 channel": ("int-quantized", {"num_bits": 8, "type": "int", "strategy": "channel"}, 127),
    "int4 group": ("pack-quantized", {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32}, 7.5),
    "int8 packed": ("pack-quantized", {"num_bits": 8, "type": "int", "strategy": "group", "group_size": 64}, 127),
    "nvfp4": (
        "nvfp4-pack-quantized",
        {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16},
        6,
    ),
    "mxfp4": ("mxfp4-pack-quantized", {"num_bits": 4, "type": "float", "strategy": "group", "group_size": 32}, 6),
    "mxfp8": ("mxfp8-quantized", {"num_bits": 8, "type": "float", "strategy": "group", "group_size": 32}, 448),
}


def compressed(kind: str) -> tuple[dict[str, Any], Any]:
    """(the tensors of a module as that package writes them, its own values of the weight)."""
    form, options, top = FORMATS[kind]
    values = weights()
    scale = largest(values, options["strategy"], options.get("block_structure") or options.get("group_size")) / top
    state = {"weight": values}
    if kind.startswith("mx"):
        scale = torch.exp2(torch.ceil(torch.log2(scale)))
        options = {**options, "scale_dtype": torch.uint8}
    if kind == "nvfp4":
        state["weight_global_scale"] = (448 * 6 / values.abs().max()).reshape(1)
        scale = (scale * state["weight_global_scale"]).to(torch.float8_e4m3fn).float()
        options = {**options, "scale_dtype": torch.float8_e4m3fn}
    scheme = QuantizationScheme(targets=["Linear"], weights=QuantizationArgs(symmetric=True, **options))
    writer = BaseCompressor.get_value_from_registry(form)
    stored = writer.compress({**state, "weight_scale": scale}, scheme)
    return stored, writer.decompress(stored, scheme)["weight"]


@pytest.mark.parametrize("kind", FORMATS)
def test_values_are_those_of_the_package(tmp_path: Path, kind: str) -> None:
    stored, wanted = compressed(kind)
    tensors = {f"layer.proj.{name}": tensor.data.contiguous() for name, tensor in stored.items()}
    safetensors.save_file(tensors, tmp_path / "model.safetensors")
    form, options, _ = FORMATS[kind]
    groups = {"group_0": {"targets": ["Linear"], "weights": options}}
    config = {"quant_method": "compressed-tensors", "format": form, "config_groups": groups}
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": config}))
    with weightmap.open(tmp_path / "model.safetensors") as model:
        weight = model.composed["layer.proj.weight"]
        assert set(weight.sources) == set(tensors)
        found = torch.tensor(weight.array())
        assert weight.status == "ok"
    assert found.shape == wanted.shape
    assert torch.equal(found.to(wanted.dtype), wanted)  # in its own precision, which may be bfloat16
    error = (found - weights()).square().mean().sqrt() / weights().square().mean().sqrt()
    assert error < 0.2
