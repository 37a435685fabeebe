"""Packed integers of compressed-tensors in every width and packing, against numpy on the whole; and what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint, quantized_by
from support.composed_reads import every_way, same
from support.packing import aligned, down, repeated, words

import weightmap

ROWS, COLUMNS, SIZE = 20, 152, 64  # the last group is ragged


class Made:
    """A weight as compressed-tensors stores it: one scale per group (per row with `size` 0), zeros or none, an order or none."""

    def __init__(
        self, bits: int, size: int = SIZE, *, zeros: bool = False, order: bool = False, stack: tuple[int, ...] = ()
    ):
        random = np.random.default_rng(10 * bits + size)
        size = size or COLUMNS
        groups = -(-COLUMNS // size)
        self.bits, self.size = bits, size
        self.codes = random.integers(0, 1 << bits, (*stack, ROWS, COLUMNS), np.uint8)
        self.scales = random.uniform(0.001, 0.01, (*stack, ROWS, groups)).astype(np.float32)
        self.zeros = random.integers(0, 1 << bits, (*stack, ROWS, groups), np.uint8) if zeros else None
        self.order = np.arange(COLUMNS) // size
        if order:
            self.order = random.permutation(self.order)
        self.ordered = order

    def tensors(self, how: str = "dense") -> dict[str, Any]:
        pack = words if how == "dense" else aligned
        found: dict[str, Any] = {
            "a.weight_packed": pack(self.codes, self.bits),
            "a.weight_scale": self.scales,
            "a.weight_shape": np.array([ROWS, COLUMNS], np.int64),
        }
        if self.zeros is not None:
            turned = np.swapaxes(self.zeros, -1, -2)
            packed = down(self.zeros, self.bits) if how == "dense" else np.swapaxes(aligned(turned, self.bits), -1, -2)
            found["a.weight_zero_point"] = np.ascontiguousarray(packed)
        if self.ordered:
            found["a.weight_g_idx"] = self.order.astype(np.int32)
        return found

    @property
    def values(self) -> np.ndarray:
        zeros = np.full(self.scales.shape, 1 << self.bits - 1, np.uint8) if self.zeros is None else self.zeros
        return (self.codes.astype(np.float32) - zeros[..., self.order]) * self.scales[..., self.order]


def config(bits: int, size: int | None, **more: Any) -> dict[str, Any]:
    weights = {"num_bits": bits, "type": "int", "group_size": size, "strategy": "group" if size else "channel"}
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    return quantized_by(quant_method="compressed-tensors", format="pack-quantized", config_groups=groups, **more)


@pytest.mark.parametrize("zeros", [False, True], ids=["symmetric", "zeros"])
@pytest.mark.parametrize("how", ["dense", "aligned"])
@pytest.mark.parametrize("bits", range(1, 9))
def test_every_width(tmp_path: Path, bits: int, how: str, zeros: bool) -> None:
    made = Made(bits, zeros=zeros)
    folder = checkpoint(tmp_path / "m", made.tensors(how), config(bits, SIZE))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)


@pytest.mark.parametrize("how", ["dense", "aligned"])
@pytest.mark.parametrize("bits", [3, 5, 6, 7])
def test_words_more_or_less_are_no_other_packing(tmp_path: Path, bits: int, how: str) -> None:
    made = Made(bits)
    dense, wide = (pack(made.codes, bits) for pack in (words, aligned))  # of 3 bits one word apart
    longer = np.append(dense, dense[:, dense.shape[1] - wide.shape[1] :], axis=1)
    tensors = made.tensors(how) | {"a.weight_packed": longer if how == "dense" else wide[:, : dense.shape[1]]}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config(bits, SIZE))) as model:
        assert_no_values(model.composed["a.weight"], "packed_size")


def test_an_order_that_the_config_promises_and_nothing_says(tmp_path: Path) -> None:
    made = Made(4)
    for order, status in (("group", "info"), ("weight", "ok"), (None, "ok")):
        folder = checkpoint(tmp_path / str(order), made.tensors(), config(4, SIZE, actorder=order))
        assert np.array_equal(every_way(folder, "a.weight", status), made.values)
        with weightmap.open(folder) as model:
            assert ("a.weight_g_idx" in (model.composed["a.weight"].assumed or "")) == (order == "group")


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_one_scale_per_row_or_for_all(tmp_path: Path, bits: int) -> None:
    for zeros in (False, True):
        made = Made(bits, 0, zeros=zeros)
        folder = checkpoint(tmp_path / f"{zeros}", made.tensors())
        with weightmap.open(folder) as model:
            status = "ok" if model.composed["a.weight"].assumed is None else "info"
        assert np.array_equal(every_way(folder, "a.weight", status), made.values)
    made = Made(bits, 0)
    made.scales[...] = made.scales[0, 0]
    tensors = made.tensors() | {"a.weight_scale": made.scales[0]}
    assert np.array_equal(every_way(checkpoint(tmp_path / "all", tensors), "a.weight", status), made.values)
    with weightmap.open(tmp_path / "all") as model:
        assert model.composed["a.weight"].scheme == "pack_quantized_tensor"


def test_an_order_of_groups_and_one_that_is_unset(tmp_path: Path) -> None:
    for zeros in (False, True):
        made = Made(4, 38, order=True, zeros=zeros)
        folder = checkpoint(tmp_path / f"{zeros}", made.tensors(), config(4, 38))
        assert np.array_equal(every_way(folder, "a.weight"), made.values)
    made = Made(4)
    tensors = made.tensors() | {"a.weight_g_idx": np.full(COLUMNS, -1, np.int32)}
    folder = checkpoint(tmp_path / "unset", tensors, config(4, SIZE))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)
    tensors["a.weight_g_idx"][5] = 0
    with weightmap.open(checkpoint(tmp_path / "mixed", tensors, config(4, SIZE))) as model:
        assert model.composed["a.weight"].problem.code == "group_index"


def test_stacks_of_experts(tmp_path: Path) -> None:
    made = Made(4, zeros=True, stack=(3,))
    folder = checkpoint(tmp_path / "m", made.tensors(), config(4, SIZE))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)


def test_zeros_that_are_not_packed(tmp_path: Path) -> None:
    made = Made(4, zeros=True)
    assert made.zeros is not None
    tensors = made.tensors() | {"a.weight_zero_point": (made.zeros.astype(np.int16) - 8).astype(np.int8)}
    folder = checkpoint(tmp_path / "m", tensors, config(4, SIZE))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)
    made = Made(4, 0, zeros=True)
    assert made.zeros is not None
    made.scales[...], made.zeros[...] = made.scales[0, 0], 5
    tensors = made.tensors() | {"a.weight_scale": made.scales[0], "a.weight_zero_point": np.array([-3], np.int8)}
    assert np.array_equal(every_way(checkpoint(tmp_path / "one", tensors), "a.weight"), made.values)


def test_few_columns_that_take_as_many_words_either_way(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 8, (64, 20), np.uint8)
    scales = np.ones((64, 1), np.float32)
    for pack in (words, aligned):
        tensors = {
            "a.weight_packed": pack(codes, 3),
            "a.weight_scale": scales,
            "a.weight_shape": np.array([64, 20], np.int64),
        }
        folder = checkpoint(tmp_path / pack.__name__, tensors, config(3, None))
        assert np.array_equal(every_way(folder, "a.weight"), codes.astype(np.float32) - 4)


def test_a_width_that_nothing_says_is_offered_in_other_readings(tmp_path: Path) -> None:
    codes = np.random.default_rng(1).integers(0, 128, (8, 50), np.uint8)
    tensors = {
        "a.weight_packed": aligned(codes, 7),
        "a.weight_scale": np.ones((8, 1), np.float32),
        "a.weight_shape": np.array([8, 50], np.int64),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed["a.weight"]
        assert weight.assumed is not None
        assert "8" in weight.assumed
        same(weight.with_reading("7-bit codes, none across two words"), codes.astype(np.float32) - 64)
    folder = checkpoint(tmp_path / "told", tensors, config(7, None))
    assert np.array_equal(every_way(folder, "a.weight"), codes.astype(np.float32) - 64)


def test_a_stale_config_loses(tmp_path: Path) -> None:
    codes, scales = np.random.default_rng(1).integers(0, 16, (8, 128), np.uint8), np.full((8, 4), 0.5, np.float32)
    tensors = {
        "a.weight_packed": words(codes, 4),
        "a.weight_scale": scales,
        "a.weight_shape": np.array([8, 128], np.int64),
    }
    wanted = (codes.astype(np.float32) - 8) * repeated(scales, 32, 128)
    for name, told in (("bits", config(8, 32)), ("size", config(4, 128))):
        folder = checkpoint(tmp_path / name, tensors, told)
        assert np.array_equal(every_way(folder, "a.weight", "warning"), wanted)


def spoilt(what: str) -> dict[str, Any]:
    tensors = Made(4, zeros=True, order=True).tensors()
    match what:
        case "no scales":
            del tensors["a.weight_scale"]
        case "no shape":
            del tensors["a.weight_shape"]
        case "twice the columns and other groups":
            tensors["a.weight_shape"] = np.array([ROWS, 2 * COLUMNS], np.int64)
        case "no width fits":
            tensors["a.weight_shape"] = np.array([ROWS, 50 * COLUMNS], np.int64)
        case "fewer rows":
            tensors["a.weight_shape"] = np.array([ROWS - 1, COLUMNS], np.int64)
        case "a negative shape":
            tensors["a.weight_shape"] = np.array([ROWS, -COLUMNS], np.int64)
        case "a shape of floats":
            tensors["a.weight_shape"] = np.array([ROWS, COLUMNS], np.float32)
        case "a long shape":
            tensors["a.weight_shape"] = np.full(1000, COLUMNS, np.int64)
        case "a group too few":
            tensors["a.weight_scale"] = tensors["a.weight_scale"][:, :2].copy()
        case "scales turned round":
            tensors["a.weight_scale"] = tensors["a.weight_scale"].T.copy()
        case "scales of bytes":
            tensors["a.weight_scale"] = np.ones((ROWS, 3), np.uint8)
        case "zeros of fewer rows":
            tensors["a.weight_zero_point"] = tensors["a.weight_zero_point"][:-1]
        case "zeros of fewer groups":
            tensors["a.weight_zero_point"] = tensors["a.weight_zero_point"][:, :2].copy()
        case "a group beyond":
            tensors["a.weight_g_idx"][3] = 9
        case "fewer indices":
            tensors["a.weight_g_idx"] = tensors["a.weight_g_idx"][:9]
        case "no rows":
            tensors["a.weight_packed"] = tensors["a.weight_packed"].reshape(-1)
    return tensors


WRONG = {
    "no scales": "scale_missing",
    "no shape": "packed_size",
    "twice the columns and other groups": "packed_size",
    "no width fits": "packed_size",
    "fewer rows": "packed_size",
    "a negative shape": "packed_size",
    "a shape of floats": "packed_size",
    "a long shape": "packed_size",
    "a group too few": "scale_shape",
    "scales turned round": "scale_shape",
    "scales of bytes": "dtype_mismatch",
    "zeros of fewer rows": "packed_size",
    "zeros of fewer groups": "scale_shape",
    "a group beyond": "group_index",
    "fewer indices": "group_index",
    "no rows": "packed_size",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit(tmp_path: Path, what: str) -> None:
    tensors = spoilt(what)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config(4, SIZE))) as model:
        weight = model.composed["a.weight"]
        assert_no_values(weight, WRONG[what])
        assert any(name in weight.problem.message for name in tensors)
        assert model.tensors["a.weight_packed"].array().size == tensors["a.weight_packed"].size
