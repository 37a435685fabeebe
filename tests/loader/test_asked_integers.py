"""Integers that are asked for: as they are stored or as larger ones, never floats."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import safetensors

import weightmap


@pytest.mark.parametrize(("more", "others"), [(1, "; nor does one other."), (2, "; nor do 2 others.")])
def test_the_others_that_do_not_convert_are_counted(tmp_path, more, others):
    file = tmp_path / "a.safetensors"
    file.write_bytes(safetensors([(f"w{n}", "F32", (1,), bytes(4)) for n in range(1 + more)]))
    with pytest.raises(TypeError, match=others):
        weightmap.load_weights(file, dtype="int8")


def test_integers_of_other_kinds_fail_at_their_look_up_alone(tmp_path):
    file = tmp_path / "a.safetensors"
    file.write_bytes(safetensors([("mask", "U8", (1,), b"\1"), ("codes", "I8", (1,), b"\2")]))
    weights = weightmap.load_weights(file, dtype=np.uint8)
    assert weights["mask"].tolist() == [1]
    with pytest.raises(TypeError, match="int8 do not convert to uint8"):
        weights["codes"]


@pytest.mark.parametrize("stored", ["I8", "U8", "I16", "U16", "I32"])
def test_integers_come_as_they_are_stored_or_as_larger_ones(tmp_path, stored):
    file = tmp_path / "a.safetensors"
    dtype = np.dtype(f"{stored[0].lower()}{int(stored[1:]) // 8}")
    values = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 7], dtype)
    file.write_bytes(safetensors([("ids", stored, (3,), values.tobytes())]))
    for wanted in (dtype, np.dtype(np.int64)):
        got = weightmap.load_weights(file, dtype=wanted)["ids"]
        assert got.dtype == wanted
        assert got.tolist() == values.tolist()
