"""Statistics of codes of a byte in groups with scales of 16 bits, which are counted under equal scales: against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.counted import same
from support.floats import E4M3
from support.packing import down, words

import weightmap
from weightmap.companions.counting import alike

ROWS, COLUMNS, SIZE = 640, 512, 64
GROUPS = COLUMNS // SIZE


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few codes are counted too, in several pieces of several chunks."""
    monkeypatch.setattr(alike, "WORTH", 1)
    monkeypatch.setattr(alike, "ROOM", 1 << 17)
    monkeypatch.setattr(alike, "PIECE", 1 << 14)
    monkeypatch.setattr(alike, "COUNTED", 1 << 13)


def measured(folder: Path, tensors: dict[str, Any], config: dict[str, Any] | None = None) -> tuple[bool, np.ndarray]:
    """Whether values are counted, and the values, after the statistics were held against these."""
    with weightmap.open(checkpoint(folder, tensors, config)) as model:
        weight = model.composed["a.weight"]
        values = weight.array()
        same(weight.statistics(threads=2), values)
        same(weight.statistics(threads=1), values)
        return weight.elements().numbered() is not None, values


def few(shape: tuple[int, ...], kind: type[np.floating] = np.float16) -> np.ndarray:
    """Scales of which there are 40 different ones, both signs and zero among them."""
    some = np.linspace(-0.002, 0.01, 39).astype(kind)
    return np.random.default_rng(5).choice(np.append(some, kind(0)), shape)


def shortened(scales: np.ndarray) -> np.ndarray:
    return (scales.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("zeros", ["same", "apart", "extreme"])
def test_gptq(tmp_path: Path, ordered: bool, zeros: str) -> None:
    draw = np.random.default_rng(1)
    codes, scales = draw.integers(0, 256, (COLUMNS, ROWS), np.uint8), few((GROUPS, ROWS))
    low, high = {"same": (127, 128), "apart": (100, 140), "extreme": (0, 256)}[zeros]
    less = draw.integers(low, high, (GROUPS, ROWS)).astype(np.uint8)  # one less than the zero
    order = np.arange(COLUMNS) // SIZE
    order = draw.permutation(order) if ordered else order
    tensors = {"a.qweight": down(codes, 8), "a.qzeros": words(less, 8), "a.scales": scales}
    tensors["a.g_idx"] = order.astype(np.int32)
    config = quantized_by(quant_method="gptq", bits=8, group_size=SIZE, checkpoint_format="gptq")
    counted, values = measured(tmp_path / "m", tensors, config)
    wanted = (codes.astype(np.float32) - (less[order] + np.float32(1))) * scales.astype(np.float32)[order]
    assert np.array_equal(values, wanted.T)
    assert counted


def test_columns_that_are_shared_out_unevenly_are_computed(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    codes, order = draw.integers(0, 256, (COLUMNS, ROWS), np.uint8), np.arange(COLUMNS) // SIZE
    order[0] = 3
    tensors = {"a.qweight": down(codes, 8), "a.qzeros": words(np.full((GROUPS, ROWS), 127, np.uint8), 8)}
    tensors |= {"a.scales": few((GROUPS, ROWS)), "a.g_idx": order.astype(np.int32)}
    counted, _ = measured(tmp_path / "m", tensors)
    assert not counted


@pytest.mark.parametrize("kind", ["F16", "BF16"])
@pytest.mark.parametrize("odd", [False, True])
def test_signed_bytes(tmp_path: Path, kind: str, odd: bool) -> None:
    codes, scales = np.random.default_rng(2).integers(-128, 128, (ROWS, COLUMNS), np.int8), few((ROWS, GROUPS))
    if odd:
        scales[3, 2], scales[600, 1] = np.nan, np.inf
    stored = ("F16", scales) if kind == "F16" else ("BF16", shortened(scales))
    counted, values = measured(tmp_path / "m", {"a.weight": codes, "a.weight_scale": stored})
    if kind == "BF16":
        scales = (shortened(scales).astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):
        wanted = codes * np.repeat(scales.astype(np.float32), SIZE, axis=1)
    assert np.array_equal(values, wanted, equal_nan=True)
    assert counted


def test_floats_of_a_byte(tmp_path: Path) -> None:
    codes, scales = np.random.default_rng(3).integers(0, 256, (ROWS, COLUMNS), np.uint8), few((ROWS, GROUPS))
    counted, values = measured(tmp_path / "m", {"a.weight": ("F8_E4M3", codes), "a.weight_scale": scales})
    assert np.array_equal(values, E4M3[codes] * np.repeat(scales.astype(np.float32), SIZE, axis=1), equal_nan=True)
    assert counted


@pytest.mark.parametrize("zeros", [False, True])
def test_packed_integers(tmp_path: Path, zeros: bool) -> None:
    draw = np.random.default_rng(4)
    codes, scales = draw.integers(0, 256, (ROWS, COLUMNS), np.uint8), few((ROWS, GROUPS))
    tensors = {"a.weight_packed": words(codes, 8), "a.weight_scale": ("BF16", shortened(scales))}
    tensors["a.weight_shape"] = np.array([ROWS, COLUMNS])
    less = np.full((ROWS, GROUPS), 128, np.uint8)
    if zeros:
        less = draw.integers(0, 256, (ROWS, GROUPS), np.uint8)
        tensors["a.weight_zero_point"] = down(less, 8)
    counted, values = measured(tmp_path / "m", tensors)
    scales = (shortened(scales).astype(np.uint32) << 16).view(np.float32)
    centred = codes.astype(np.float32) - np.repeat(less.astype(np.float32), SIZE, axis=1)
    assert np.array_equal(values, centred * np.repeat(scales, SIZE, axis=1))
    assert counted


def test_scales_that_do_not_come_up_again_are_not_counted(tmp_path: Path) -> None:
    draw = np.random.default_rng(6)
    codes = draw.integers(-128, 128, (ROWS, COLUMNS), np.int8)
    scales = draw.uniform(0.001, 0.01, (ROWS, GROUPS)).astype(np.float16)
    counted, _ = measured(tmp_path / "m", {"a.weight": codes, "a.weight_scale": scales})
    assert not counted
