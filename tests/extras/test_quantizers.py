"""Checkpoints that quantizing packages write, against what the packages themselves make of them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.composed_reads import every_way

SHAPE = (48, 160)
WEIGHTS = (np.random.default_rng(1).standard_normal(SHAPE) * 0.02).astype(np.float32)


def arrays(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Tensors of torch as a checkpoint of our own takes them."""
    import torch

    found: dict[str, Any] = {}
    for name, tensor in tensors.items():
        tensor = tensor.detach().cpu().contiguous()
        raw = {torch.bfloat16: ("BF16", torch.uint16), torch.float8_e4m3fn: ("F8_E4M3", torch.uint8)}.get(tensor.dtype)
        found[prefix + name] = tensor.numpy() if raw is None else (raw[0], tensor.view(raw[1]).numpy())
    return found


@pytest.mark.parametrize("size", [None, 32, 80])
@pytest.mark.parametrize("symmetric", [True, False], ids=["symmetric", "zeros"])
@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 7, 8])
def test_compressed_tensors_packed(tmp_path: Path, bits: int, symmetric: bool, size: int | None) -> None:
    torch = pytest.importorskip("torch")
    compressors = pytest.importorskip("compressed_tensors.compressors")
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
    from compressed_tensors.quantization.utils import calculate_qparams

    strategy = "group" if size else "channel"
    args = QuantizationArgs(num_bits=bits, type="int", symmetric=symmetric, strategy=strategy, group_size=size)
    weights = torch.from_numpy(WEIGHTS)
    groups = weights.unflatten(-1, (-1, size or SHAPE[1]))
    scale, zero = calculate_qparams(groups.amin(-1), groups.amax(-1), args)
    scheme = QuantizationScheme(targets=["Linear"], weights=args)
    compressor = compressors.PackedQuantizationCompressor
    packed = compressor.compress({"weight": weights, "weight_scale": scale, "weight_zero_point": zero}, scheme)
    wanted = compressor.decompress(packed, scheme)["weight"].float().numpy()
    told = {"group_0": {"targets": ["Linear"], "weights": args.model_dump(mode="json"), "format": "pack-quantized"}}
    config = quantized_by(quant_method="compressed-tensors", format="pack-quantized", config_groups=told)
    folder = checkpoint(tmp_path / "m", arrays(packed, "a."), config)
    assert np.array_equal(every_way(folder, "a.weight"), wanted)


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("kind", ["nf4", "fp4"])
def test_bitsandbytes_four_bits(tmp_path: Path, kind: str, nested: bool) -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("bitsandbytes.functional")
    for shape in ((48, 128), (64, 256)):  # rows of whole blocks: the package's own kernel is wrong for others
        weights = torch.from_numpy(np.resize(WEIGHTS, shape))
        codes, state = functional.quantize_4bit(weights, quant_type=kind, blocksize=64, compress_statistics=nested)
        wanted = functional.dequantize_4bit(codes, state).float().numpy()
        tensors = {"a.weight": codes.numpy()} | arrays(state.as_dict(packed=True), "a.weight.")
        found = every_way(checkpoint(tmp_path / f"{shape}", tensors), "a.weight")
        assert np.allclose(found, wanted, rtol=2e-6, atol=1e-9)


def test_bitsandbytes_int8(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("bitsandbytes.functional")
    codes, scales, _ = functional.int8_vectorwise_quant(torch.from_numpy(WEIGHTS).half())
    wanted = functional.int8_vectorwise_dequant(codes, scales).float().numpy()
    folder = checkpoint(tmp_path / "m", {"a.weight": codes.numpy(), "a.SCB": scales.float().numpy()})
    assert np.array_equal(every_way(folder, "a.weight"), wanted)


@pytest.mark.parametrize("told", [True, False], ids=["told", "by the codes"])
@pytest.mark.parametrize("size", [32, 64, 128])
@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
def test_mlx_affine(tmp_path: Path, bits: int, size: int, told: bool) -> None:
    mlx = pytest.importorskip("mlx.core")
    weights = mlx.array((np.random.default_rng(bits).standard_normal((96, 512)) * 0.02).astype(np.float32))
    parts = mlx.quantize(weights, group_size=size, bits=bits)
    wanted = np.array(mlx.dequantize(*parts, group_size=size, bits=bits))
    tensors = {f"a.{name}": np.array(part) for name, part in zip(("weight", "scales", "biases"), parts, strict=True)}
    config = {"quantization": {"group_size": size, "bits": bits}} if told else None
    assert np.array_equal(every_way(checkpoint(tmp_path / "m", tensors, config), "a.weight"), wanted)


@pytest.mark.parametrize("mode", ["mxfp4", "mxfp8", "nvfp4"])
def test_mlx_floats(tmp_path: Path, mode: str) -> None:
    mlx = pytest.importorskip("mlx.core")
    weights = mlx.array((np.random.default_rng(1).standard_normal((96, 512)) * 0.02).astype(np.float32))
    parts = mlx.quantize(weights, mode=mode)
    wanted = np.array(mlx.dequantize(*parts, mode=mode).astype(mlx.float32))
    tensors = {f"a.{name}": np.array(part) for name, part in zip(("weight", "scales"), parts, strict=True)}
    found = every_way(checkpoint(tmp_path / "m", tensors), "a.weight")
    assert np.allclose(found, wanted, rtol=1 / 256, atol=0)  # the package rounds to bfloat16


@pytest.mark.parametrize("kind", ["Int8WeightOnlyConfig", "Float8WeightOnlyConfig"])
def test_torchao(tmp_path: Path, kind: str) -> None:
    torch = pytest.importorskip("torch")
    quantization = pytest.importorskip("torchao.quantization")
    support = pytest.importorskip("torchao.prototype.safetensors.safetensors_support")
    layer = torch.nn.Sequential(torch.nn.Linear(SHAPE[1], SHAPE[0]))
    more = {"version": 2} if kind.startswith("Int8") else {}
    quantization.quantize_(layer, getattr(quantization, kind)(**more))
    weight = layer[0].weight.data
    tensors, metadata = support.flatten_tensor_state_dict({"a.weight": weight})
    folder = checkpoint(tmp_path / "m", arrays(tensors, ""), metadata=metadata)
    assert np.array_equal(every_way(folder, "a.weight"), weight.dequantize().float().numpy())
