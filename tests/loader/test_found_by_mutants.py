"""What mutants of small files brought to light (scripts/fuzz.py), each as the smallest file that shows it."""

from __future__ import annotations

import pytest
from support.build import safetensors

import weightmap


def test_shapes_that_no_array_can_have(tmp_path):
    path = tmp_path / "x.safetensors"
    tensors = [
        ("many", "F32", [1] * 70, bytes(4)),
        ("huge", "F32", (1 << 60, 0), b""),
        ("deep", "F32", [1] * 32, bytes(4)),
    ]
    path.write_bytes(safetensors(tensors))
    with weightmap.open(path) as model:
        assert [t.problem and t.problem.code for t in model.records] == ["too_many_dims", "size_overflow", None]
        assert model.tensors["deep"].array().ndim == 32
        for name in ("many", "huge"):
            with pytest.raises(weightmap.CorruptWeightError):
                model.tensors[name].array()
