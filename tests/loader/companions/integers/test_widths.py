"""Which number of bits packed words have, and how they are packed, where more than one would fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint
from support.packing import words

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
