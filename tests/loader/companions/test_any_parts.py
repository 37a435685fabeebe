"""Parts of every scheme in any type and shape, under any config: only WeightFileError escapes, and all ways to values agree."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by

import weightmap

SETS = (
    ("weight", "weight_scale_inv", "weight_scale", "weight_zero_point", "scale", "scale_weight", "weight_scale_2"),
    ("weight_packed", "weight_scale", "weight_shape", "weight_zero_point", "weight_g_idx", "weight_global_scale"),
    ("qweight", "qzeros", "scales", "g_idx", "scale"),
    ("weight", "scales", "biases", "global_scale"),
    ("gate_up_proj_blocks", "gate_up_proj_scales", "gate_up_proj", "gate_up_proj_scale", "gate_up_proj_weight_scale"),
    ("_weight_qdata", "_weight_scale", "_weight_zero_point"),
    ("weight", "SCB", "weight_format", "weight.absmax", "weight.quant_map", "weight.quant_state.bitsandbytes__nf4"),
    ("weight", "weight_scale", "weight_scale_2", "comfy_quant", "weight_s_rel", "weight_s_channel", "weight_zeros"),
)
FORMATS = ("float8_e4m3fn", "mxfp8", "nvfp4", "int8_tensorwise", "convrot_w4a4", "asym_w4a8_int8", "awq_w4a16")
METHODS = ("fp8", "compressed-tensors", "gptq", "awq", "modelopt", "bitnet", "bitsandbytes", "mxfp4")
USUAL = {
    "weight": ("F8_E4M3", "U8", "I8", "U32", "F8_E5M2"),
    "weight_packed": ("I32", "U8"),
    "qweight": ("I32", "I8", "I16"),
    "gate_up_proj_blocks": ("U8",),
    "_weight_qdata": ("I8", "F8_E4M3"),
    "weight_shape": ("I64",),
    "g_idx": ("I32",),
    "qzeros": ("I32",),
}
BYTES = {"F32": 4, "F16": 2, "BF16": 2, "I8": 1, "U8": 1, "I32": 4, "U32": 4, "I64": 8, "I16": 2}
BYTES |= {"F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1}
SIZES = (0, 1, 1, 2, 3, 4, 8, 16, 32, 33, 64, 128)


def parts(drawn: random.Random) -> dict[str, Any]:
    """Some tensors of one set, in shapes that have sizes in common."""
    names, sizes, found = drawn.choice(SETS), [drawn.choice(SIZES) for _ in range(3)], {}
    numbers = np.random.default_rng(drawn.getrandbits(32))
    for name in names:
        if name != names[0] and drawn.random() < 0.3:
            continue
        if name == "comfy_quant" or "quant_state" in name:
            said = {"format": drawn.choice(FORMATS), "convrot": drawn.random() < 0.3, "convrot_groupsize": 16}
            said |= {"quant_type": "nf4", "blocksize": drawn.choice((1, 64)), "shape": sizes[:2]}
            found[f"m.{name}"] = np.frombuffer(json.dumps(said).encode(), np.uint8)
            continue
        kind = drawn.choice(USUAL.get(name, ("F32", "F16", "U8")) if drawn.random() < 0.85 else tuple(BYTES))
        scaled = [drawn.choice(sizes) * drawn.choice((1, 4, 8)) // drawn.choice((1, 8, 32)) for _ in range(3)]
        shape = tuple(drawn.choice((*sizes, *scaled, 1)) for _ in range(drawn.choice((0, 1, 2, 2, 2, 3))))
        shape = shape if np.prod(shape, dtype=object) <= 1 << 14 else shape[:1]
        stored = numbers.integers(0, 256, (*shape, BYTES[kind]), np.uint8)
        found[f"m.{name}"] = (kind, stored[..., 0] if BYTES[kind] == 1 else stored.view(f"<u{BYTES[kind]}")[..., 0])
    return found


def config(drawn: random.Random) -> dict[str, Any] | None:
    """A config of any method; none, or that of MLX, now and then."""
    bits, size = drawn.choice((2, 3, 4, 8)), drawn.choice((-1, 1, 32, 128))
    if drawn.random() < 0.3:
        return drawn.choice((None, {"quantization": {"bits": bits, "group_size": abs(size)}}))
    strategy = drawn.choice(("tensor", "channel", "group", "block"))
    weights = {"num_bits": bits, "type": "int", "strategy": strategy, "group_size": size, "block_structure": [8, 8]}
    return quantized_by(
        quant_method=drawn.choice(METHODS),
        bits=bits,
        group_size=size,
        weight_block_size=drawn.choice((None, [8, 4])),
        version=drawn.choice(("gemm", "gemv")),
        desc_act=drawn.random() < 0.5,
        quant_algo=drawn.choice(("FP8", "NVFP4", "MXFP8")),
        config_groups={"g": {"targets": ["Linear"], "weights": weights}},
    )


def all_ways(weight: Any) -> None:
    """The values of one reading, whole, in statistics, in slices and one by one."""
    values = weight.array()
    assert values.shape == weight.shape
    found = weight.statistics(bins=8)
    assert (found.count, found.nan, found.inf) == (values.size, np.isnan(values).sum(), np.isinf(values).sum())
    finite = values[np.isfinite(values)]
    assert not finite.size or (found.min, found.max) == (finite.min(), finite.max())
    assert np.array_equal(weight[..., 1:7:2], values[..., 1:7:2], equal_nan=True) if values.ndim else True
    if values.size:
        assert np.array_equal(
            np.float32(weight.explain(values.size - 1)[-1][1]), values.reshape(-1)[-1], equal_nan=True
        )
    for name in weight.layers():
        weight.layer(name).array()


@pytest.mark.parametrize("seed", range(12))
def test_any_parts_under_any_config(tmp_path: Path, seed: int) -> None:
    for number in range(40):
        drawn = random.Random(1000 * seed + number)
        with weightmap.open(checkpoint(tmp_path / str(number), parts(drawn), config(drawn))) as model:
            assert model.status in ("ok", "info", "warning", "error")
            for weight in model.composed.values():
                for reading in (None, *weight.readings):
                    if weight.problem is None:
                        all_ways(weight.with_reading(reading))
                        continue
                    with pytest.raises(weightmap.WeightFileError):
                        weight.array()


@pytest.mark.parametrize("kind", ["F8_E4M3", "I8"])
@pytest.mark.parametrize(
    "scale", [np.uint8(120), np.full(1, 120, np.uint8), np.float32(2), np.ones((1, 1), np.float32)]
)
def test_a_weight_of_one_number(tmp_path: Path, kind: str, scale: np.ndarray) -> None:
    tensors = {"a.weight": (kind, np.array(56, np.uint8)), "a.weight_scale": np.asarray(scale)}
    weights = {"num_bits": 8, "strategy": "group", "group_size": 32}
    group = {"targets": ["Linear"], "weights": weights}
    for number, said in enumerate(({}, {"quant_method": "compressed-tensors", "config_groups": {"g": group}})):
        with weightmap.open(checkpoint(tmp_path / str(number), tensors, quantized_by(**said))) as model:
            assert model.composed["a.weight"].array().shape == ()


def test_zeros_that_are_one_number(tmp_path: Path) -> None:
    tensors = {
        "a.qweight": np.ones((8, 16), np.int32),
        "a.qzeros": np.int32(7),
        "a.scales": np.ones((2, 16), np.float16),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors | {"a.qzeros": np.array(7, np.int32)})) as model:
        assert model.composed["a.weight"].status == "error"
