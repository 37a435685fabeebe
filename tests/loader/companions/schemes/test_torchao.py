"""torchao's tensors, described in the header or only by their types; and those that are named and not decoded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint
from support.composed_reads import every_way
from support.floats import E4M3
from support.packing import repeated

import weightmap

ROWS, COLUMNS = 24, 64
RANDOM = np.random.default_rng(1)
CODES = RANDOM.integers(-127, 128, (ROWS, COLUMNS), np.int8)
BYTES = RANDOM.integers(0, 0x7F, (ROWS, COLUMNS), np.uint8)


def header(kind: str, block: list[int]) -> dict[str, str]:
    said = {"_type": kind, "_data": {"block_size": block}, "_tensor_data_names": ["qdata", "scale"]}
    return {"a.weight": json.dumps(said), "tensor_names": '["a.weight"]'}


@pytest.mark.parametrize("tall, wide", [(1, COLUMNS), (1, 16), (8, 32), (ROWS, COLUMNS)])
def test_int8_and_float8_in_blocks(tmp_path: Path, tall: int, wide: int) -> None:
    grid = ROWS // tall, COLUMNS // wide
    scales, zeros = RANDOM.uniform(0.01, 0.1, grid).astype(np.float32), RANDOM.integers(-9, 9, grid, np.int8)
    wide_scales, wide_zeros = (repeated(np.repeat(part, tall, axis=0), wide, COLUMNS) for part in (scales, zeros))
    integers = {"a._weight_qdata": CODES, "a._weight_scale": scales}
    floats = {"a._weight_qdata": ("F8_E4M3", BYTES), "a._weight_scale": scales}
    cases: dict[str, tuple[dict[str, Any], np.ndarray]] = {
        "Int8Tensor": (integers, CODES.astype(np.float32) * wide_scales),
        "Int8Tensor with zeros": (
            integers | {"a._weight_zero_point": zeros},
            (CODES.astype(np.float32) - wide_zeros) * wide_scales,
        ),
        "Float8Tensor": (floats, E4M3[BYTES] * wide_scales),
    }
    for name, (tensors, wanted) in cases.items():
        described = header(name.split()[0], [tall, wide])
        folder = checkpoint(tmp_path / name, tensors, metadata=described)
        assert np.array_equal(every_way(folder, "a.weight"), wanted)
        assert np.array_equal(every_way(checkpoint(tmp_path / f"{name} bare", tensors), "a.weight"), wanted)
        with weightmap.open(folder) as model:
            assert set(model.composed["a.weight"].sources) == set(tensors)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 1, 1)])
def test_one_scale_for_a_stack_of_matrices(tmp_path: Path, shape: tuple[int, ...]) -> None:
    scale = np.full(shape, 0.03, np.float32)
    for name, codes, plain in (
        ("i8", CODES.reshape(2, -1, COLUMNS), CODES.astype(np.float32)),
        ("f8", ("F8_E4M3", BYTES.reshape(2, -1, COLUMNS)), E4M3[BYTES]),
    ):
        folder = checkpoint(tmp_path / name, {"a._weight_qdata": codes, "a._weight_scale": scale})
        wanted = (plain * np.float32(0.03)).reshape(2, -1, COLUMNS)
        assert np.array_equal(every_way(folder, "a.weight"), wanted)


def spoilt(what: str) -> tuple[dict[str, Any], dict[str, str] | None]:
    tensors: dict[str, Any] = {"a._weight_qdata": CODES, "a._weight_scale": np.ones((ROWS, 1), np.float32)}
    metadata = header("Int8Tensor", [1, COLUMNS])
    match what:
        case "no scales":
            del tensors["a._weight_scale"]
        case "scales of other rows":
            tensors["a._weight_scale"] = np.ones((ROWS - 1, 1), np.float32)
        case "more zeros":
            tensors["a._weight_zero_point"] = np.zeros((ROWS, 2), np.int8)
        case "another class":
            metadata = header("Int4Tensor", [1, 32])
        case "another type":
            metadata = header("Float8Tensor", [1, COLUMNS])
        case "bytes":
            tensors["a._weight_qdata"], metadata = BYTES, header("Int8Tensor", [1, COLUMNS])
        case "exponents":
            tensors["a._weight_qdata"], metadata = ("F8_E8M0", BYTES), header("Float8Tensor", [1, COLUMNS])
    return tensors, metadata


WRONG = {
    "no scales": "scale_missing",
    "scales of other rows": "scale_shape",
    "more zeros": "scale_shape",
    "another class": "unknown_scheme",
    "another type": "dtype_mismatch",
    "bytes": "unknown_scheme",
    "exponents": "unknown_scheme",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit(tmp_path: Path, what: str) -> None:
    tensors, metadata = spoilt(what)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=metadata)) as model:
        status = "info" if WRONG[what] == "unknown_scheme" else "error"
        assert_no_values(model.composed["a.weight"], WRONG[what], status)


def test_a_header_of_other_blocks_loses(tmp_path: Path) -> None:
    tensors, metadata = spoilt("")
    metadata = header("Int8Tensor", [1, 16])
    folder = checkpoint(tmp_path / "m", tensors, metadata=metadata)
    assert np.array_equal(every_way(folder, "a.weight", "warning"), CODES.astype(np.float32))


@pytest.mark.parametrize(
    "zeros", [np.zeros((3, 4), np.int8), np.zeros(12, np.int8), np.zeros((4, 3), np.uint8), np.zeros((4, 3), np.int32)]
)
def test_zeros_that_are_not_those_of_the_scales(tmp_path: Path, zeros: np.ndarray) -> None:
    codes, scales = np.ones((4, 24), np.int8), np.ones((4, 3), np.float32)
    tensors = {"a._weight_qdata": codes, "a._weight_scale": scales, "a._weight_zero_point": zeros}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert model.composed["a.weight"].problem.code == "scale_shape"


@pytest.mark.parametrize(("shape", "status"), [((4, 3), "ok"), ((4, 1), "warning"), ((1, 1), "warning")])
def test_blocks_that_the_header_says(tmp_path: Path, shape: tuple[int, int], status: str) -> None:
    said = {"_type": "Int8Tensor", "_data": {"block_size": [1, 8]}, "_tensor_data_names": ["qdata", "scale"]}
    tensors = {"a._weight_qdata": np.ones((4, 24), np.int8), "a._weight_scale": np.ones(shape, np.float32)}
    folder = checkpoint(tmp_path / "m", tensors, metadata={"a.weight": json.dumps(said)})
    with weightmap.open(folder) as model:
        assert model.composed["a.weight"].status == status
