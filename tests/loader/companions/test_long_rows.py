"""Statistics of bytes that share their scale with a long row of them, or with a block: counted, and then the values are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint
from support.counted import opened, same
from support.packing import words

import weightmap


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def rows_of_bytes() -> dict[str, dict[str, Any]]:
    draw = random(6)
    codes = draw.integers(-128, 128, (70, 2500), np.int8)
    codes[3], codes[4] = 0, draw.integers(-3, 4, 2500)
    scales = draw.uniform(0.001, 0.01, (70, 1)).astype(np.float32) * draw.choice([-1, 1], (70, 1)).astype(np.float32)
    stored = words((codes[:, :2498].astype(np.int16) + 128).astype(np.uint8), 8)
    return {
        "int8": {"a.weight": codes, "a.weight_scale": scales},
        "zeros": {
            "a._weight_qdata": codes,
            "a._weight_scale": scales,
            "a._weight_zero_point": draw.integers(-9, 9, (70, 1), np.int8),
        },
        "bitsandbytes": {"a.weight": codes, "a.SCB": scales[:, 0], "a.weight_format": np.zeros((), np.uint8)},
        "words": {
            "a.weight_packed": stored,
            "a.weight_scale": scales.astype(np.float16),
            "a.weight_shape": np.array([70, 2498]),
        },
        "one row": {"a.weight": codes[:1], "a.weight_scale": scales[:1]},
    }


@pytest.mark.parametrize("kind", ["int8", "zeros", "bitsandbytes", "words", "one row"])
def test_bytes_of_long_rows_are_counted(tmp_path: Path, kind: str) -> None:
    found, values, elements = opened(tmp_path / "m", rows_of_bytes()[kind])
    assert elements.tallying() is not None
    same(found, values)


@pytest.mark.parametrize("scale", [np.inf, np.nan])
def test_scales_of_rows_that_are_no_numbers(tmp_path: Path, scale: float) -> None:
    tensors = rows_of_bytes()["int8"]
    tensors["a.weight_scale"][[7, 20]] = scale
    found, values, elements = opened(tmp_path / "m", tensors)
    assert elements.tallying() is not None
    assert found.nan + found.inf >= 2500
    same(found, values)


def test_what_is_no_number_is_counted_beside_one_value(tmp_path: Path) -> None:
    codes = np.full((16, 2048), 0x38, np.uint8)
    codes[2, 5:9] = 0x7F
    tensors = {"a.weight": ("F8_E4M3", codes), "a.weight_scale": np.full((16, 1), 0.5, np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed["a.weight"]
        assert weight.elements().tallying() is not None
        found = weight.statistics()
    assert (found.min, found.max, found.std, found.nan) == (0.5, 0.5, 0.0, 4)
    assert int(found.histogram.counts.sum()) == codes.size - 4


def test_the_extremes_are_looked_for_under_few_scales(tmp_path: Path) -> None:
    codes = random(1).integers(0, 127, (1000, 1100), np.uint8)
    scales = random(2).uniform(0.001, 0.01, (8, 9)).astype(np.float32)
    tensors = {"a.weight": ("F8_E4M3", codes), "a.weight_scale_inv": scales}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        values, tallying = model.composed["a.weight"].array(), model.composed["a.weight"].elements().tallying()
        assert tallying is not None
        assert tallying.spans is not None
        spans = tallying.spans()
        assert spans is not None
        assert spans.rows is not None
        for cell in range(8 * 9):
            starts, length = spans.rows(cell)
            inside = values.reshape(-1)[starts[:, None] + np.arange(length)]
            assert spans.low[cell] <= inside.min()
            assert inside.max() <= spans.high[cell]
            down, right = divmod(cell, 9)
            assert np.array_equal(inside, values[down * 128 : down * 128 + 128, right * 128 : right * 128 + 128])
