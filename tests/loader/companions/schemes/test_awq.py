"""AWQ weights in both layouts, against numpy on the whole; and what does not fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint, quantized_by
from support.composed_reads import every_way
from support.packing import awq, repeated, words

import weightmap

ROWS, COLUMNS = 48, 160


def gemm(size: int, stack: tuple[int, ...] = (), *, zeroed: bool = True) -> tuple[dict[str, Any], np.ndarray]:
    random, groups = np.random.default_rng(size), -(-COLUMNS // size)
    codes = random.integers(0, 16, (*stack, COLUMNS, ROWS), np.uint8)
    zeros = random.integers(0, 16, (*stack, groups, ROWS), np.uint8) if zeroed else np.full((groups, ROWS), 8, np.uint8)
    scales = random.uniform(0.001, 0.01, (*stack, groups, ROWS)).astype(np.float16)
    tensors = {"a.qweight": awq(codes), "a.scales": scales}
    tensors |= {"a.qzeros": awq(zeros)} if zeroed else {}
    wide = [np.swapaxes(repeated(np.swapaxes(part, -1, -2), size, COLUMNS), -1, -2) for part in (zeros, scales)]
    values = (codes.astype(np.float32) - wide[0]) * wide[1].astype(np.float32)
    return tensors, np.swapaxes(values, -1, -2)


def by_awq(**more: Any) -> dict[str, Any]:
    return quantized_by(quant_method="awq", bits=4, **more)


@pytest.mark.parametrize("stack", [(), (3,)], ids=["one", "experts"])
@pytest.mark.parametrize("size", [32, 64, 160])
def test_gemm(tmp_path: Path, size: int, stack: tuple[int, ...]) -> None:
    tensors, values = gemm(size, stack)
    folder = checkpoint(tmp_path / "m", tensors, by_awq(group_size=size, version="gemm", zero_point=True))
    assert np.array_equal(every_way(folder, "a.weight"), values)
    if COLUMNS % size == 0:
        assert np.array_equal(every_way(checkpoint(tmp_path / "bare", tensors), "a.weight"), values)


def test_without_zeros_if_the_config_says_so(tmp_path: Path) -> None:
    tensors, values = gemm(32, zeroed=False)
    folder = checkpoint(tmp_path / "m", tensors, by_awq(group_size=32, zero_point=False))
    assert np.array_equal(every_way(folder, "a.weight"), values)
    with weightmap.open(checkpoint(tmp_path / "open", tensors)) as model:
        assert model.composed["a.weight"].problem.code == "scale_missing"


def gemv(size: int, padded: int) -> tuple[dict[str, Any], np.ndarray]:
    random, groups = np.random.default_rng(size), -(-COLUMNS // size)
    codes = random.integers(0, 16, (ROWS, COLUMNS), np.uint8)
    zeros, scales = np.zeros((ROWS, padded), np.uint8), np.zeros((ROWS, padded), np.float16)
    zeros[:, :groups] = random.integers(0, 16, (ROWS, groups))
    scales[:, :groups] = random.uniform(0.001, 0.01, (ROWS, groups))
    tensors = {"a.qweight": words(codes, 4), "a.qzeros": words(zeros, 4), "a.scales": scales}
    numbers = codes.astype(np.float32) - repeated(zeros, size, COLUMNS)
    return tensors, numbers * repeated(scales.astype(np.float32), size, COLUMNS)


@pytest.mark.parametrize("size", [32, 64])
def test_gemv(tmp_path: Path, size: int) -> None:
    tensors, values = gemv(size, 16)
    folder = checkpoint(tmp_path / "m", tensors, by_awq(group_size=size, version="gemv"))
    assert np.array_equal(every_way(folder, "a.weight"), values)
    with weightmap.open(folder) as model:
        assert model.composed["a.weight"].scheme == "awq_gemv"
    if COLUMNS % size == 0:
        assert np.array_equal(every_way(checkpoint(tmp_path / "bare", tensors), "a.weight"), values)


def test_a_config_of_other_groups_or_of_gptq_is_stale(tmp_path: Path) -> None:
    tensors, values = gemm(32)
    for name, config in (("size", by_awq(group_size=128)), ("gptq", quantized_by(quant_method="gptq", bits=4))):
        folder = checkpoint(tmp_path / name, tensors, config)
        assert np.array_equal(every_way(folder, "a.weight", "warning"), values)


def spoilt(what: str) -> dict[str, Any]:
    tensors, _ = gemm(32)
    match what:
        case "zeros of fewer groups":
            tensors["a.qzeros"] = tensors["a.qzeros"][:3]
        case "scales of other rows":
            tensors["a.scales"] = tensors["a.scales"][:, :40]
        case "scales of bytes":
            tensors["a.scales"] = tensors["a.scales"].view(np.uint8)[:, :ROWS]
        case "more groups than columns":
            tensors["a.scales"] = np.ones((COLUMNS + 1, ROWS), np.float16)
        case "padded scales of zeros":
            tensors, _ = gemv(32, 16)
            tensors["a.scales"] = np.zeros_like(tensors["a.scales"])
        case "zeros of other padding":
            tensors, _ = gemv(32, 16)
            tensors["a.qzeros"] = tensors["a.qzeros"][:, :1]
        case "no scales":
            del tensors["a.scales"]
    return tensors


WRONG = {
    "zeros of fewer groups": "scale_shape",
    "scales of other rows": "scale_shape",
    "scales of bytes": "dtype_mismatch",
    "more groups than columns": "scale_shape",
    "padded scales of zeros": "scale_shape",
    "zeros of other padding": "scale_shape",
    "no scales": "scale_missing",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit(tmp_path: Path, what: str) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", spoilt(what))) as model:
        assert_no_values(model.composed["a.weight"], WRONG[what])


def test_the_fast_layout_is_named(tmp_path: Path) -> None:
    tensors = {"a.qweight": ("I16", np.zeros((12, 64), np.uint16)), "a.scales": np.ones((2, 64), np.float16)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert model.composed["a.weight"].scheme == "awq_gemv_fast"
        with pytest.raises(weightmap.UnsupportedFormatError):
            model.composed["a.weight"].array()


@pytest.mark.parametrize("told", [16, 80])
def test_groups_of_gemv_that_the_scales_contradict(tmp_path: Path, told: int) -> None:
    tensors, values = gemv(32, 16)
    tensors["a.scales"][:1] = 0  # a row of zeros says nothing
    tensors["a.scales"][-1, -1] = 1  # nor does one number in the padding
    values[0] = 0
    folder = checkpoint(tmp_path / "m", tensors, by_awq(group_size=told, version="gemv"))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), values)
    with weightmap.open(folder) as model:
        assert [found.code for found in model.composed["a.weight"].findings] == ["quant_config"]


def test_gemv_whose_padded_scales_are_as_long_as_its_codes(tmp_path: Path) -> None:
    tensors, _ = gemv(32, COLUMNS // 8 + 4)
    tensors["a.qweight"] = words(np.zeros((ROWS, 8 * (COLUMNS // 8 + 4)), np.uint8), 4)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, by_awq(group_size=32, version="gemv"))) as model:
        assert model.composed["a.weight"].scheme == "awq_gemv"
        assert model.composed["a.weight"].shape == (ROWS, 192)


@pytest.mark.parametrize("version", ["gemm", "gemv"])
def test_a_version_that_the_shapes_deny(tmp_path: Path, version: str) -> None:
    tensors, values = gemm(32) if version == "gemv" else gemv(32, 16)
    folder = checkpoint(tmp_path / "m", tensors, by_awq(group_size=32, version=version))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), values)
    with weightmap.open(folder) as model:
        assert [found.code for found in model.composed["a.weight"].findings] == ["quant_config"]
