"""Which number of bits packed words have, and how they are packed, where more than one would fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint, quantized_by
from support.packing import aligned, words

import weightmap


@pytest.mark.parametrize(("rows", "fits"), [(10, True), (11, False)])
def test_upper_bits_that_are_zero_tell_the_packing_of_many_words_alone(tmp_path: Path, rows: int, fits: bool) -> None:
    tensors = {
        "a.weight_packed": words(np.zeros((rows, 32), np.uint8), 3),
        "a.weight_scale": np.full((rows, 1), 0.5, np.float32),
        "a.weight_shape": np.array([rows, 32], np.int64),
    }
    assert tensors["a.weight_packed"].shape == (rows, 3)
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        if fits:
            assert (model.composed["a.weight"].array() == -2).all()
        else:
            assert_no_values(model.composed["a.weight"], "packed_size")


@pytest.mark.parametrize("bits", [3, 5, 6, 7])
@pytest.mark.parametrize("pack", [words, aligned])
def test_rows_of_one_word_lie_alike_in_either_packing(
    tmp_path: Path, bits: int, pack: Callable[..., np.ndarray]
) -> None:
    random = np.random.default_rng(bits)
    codes, zeros = random.integers(0, 1 << bits, (200, 2), np.uint8), random.integers(0, 1 << bits, (200, 1), np.uint8)
    tensors = {
        "a.weight_packed": pack(codes, bits),
        "a.weight_scale": np.full((200, 1), 0.5, np.float32),
        "a.weight_shape": np.array(codes.shape, np.int64),
        "a.weight_zero_point": np.ascontiguousarray(pack(np.ascontiguousarray(zeros.T), bits).T),
    }
    weights = {"num_bits": bits, "type": "int", "symmetric": False, "strategy": "channel"}
    config = quantized_by(
        quant_method="compressed-tensors", config_groups={"g": {"targets": ["Linear"], "weights": weights}}
    )
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        wanted = (codes.astype(np.float32) - zeros) * np.float32(0.5)
        assert np.array_equal(model.composed["a.weight"].array(), wanted)
