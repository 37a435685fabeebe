"""Samples: evenly spread rows of each matrix, read in any pieces."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import gguf

import weightmap
from weightmap.reading import sampled as module
from weightmap.reading.sampled import sampled
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

VALUES = np.random.default_rng(3).standard_normal((3, 10, 64)).astype(np.float32)


@pytest.fixture
def elements(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(tensors=[("w", VALUES.shape, by_name("F32").id, VALUES.tobytes())]))
    with weightmap.open(path) as model:
        yield model.tensors["w"].elements()


@pytest.mark.parametrize("step", [2, 3, 5, 7, 10, 1000])
def test_rows_are_spread_over_each_matrix_and_read_in_any_pieces(elements, step):
    taken = sampled(elements, step)
    expected = VALUES[:, :: min(step, 10)]
    assert taken.shape == expected.shape and taken.count == expected.size
    assert str(taken) == f"1 of every {min(step, 10)} rows"
    for start, stop in ((0, taken.count), (1, taken.count - 1), (64, 128), (70, 75), (60, 190)):
        out = np.empty(stop - start, np.float32)
        taken.read(start, stop, out, Workspace())
        assert np.array_equal(out, expected.reshape(-1)[start:stop])


def test_what_leaves_nothing_out_is_no_sample(elements, monkeypatch):
    assert sampled(elements, None) is None and sampled(elements, 1) is None and sampled(elements, "fast") is None
    monkeypatch.setattr(module, "FAST", 700)
    assert sampled(elements, "fast").step == 3
    with pytest.raises(ValueError, match="at least 1; got 0"):
        sampled(elements, 0)
    with pytest.raises(TypeError):
        sampled(elements, 1.5)


def test_rows_of_blocks_keep_their_grain(tmp_path):
    kind = by_name("Q4_0")
    stored = np.random.default_rng(4).integers(0, 255, (8, 2 * kind.bytes), np.uint8)
    stored[:, [1, kind.bytes + 1]] = 0x2C  # scales of ordinary size
    path = tmp_path / "q.gguf"
    path.write_bytes(gguf(tensors=[("w", (8, 64), kind.id, stored.tobytes())]))
    with weightmap.open(path) as model:
        tensor = model.tensors["w"]
        taken = sampled(tensor.elements(), 3)
        out = np.empty(taken.count, np.float32)
        taken.read(0, taken.count, out, Workspace())
        assert taken.grain == 32 and np.array_equal(out.reshape(taken.shape), tensor[::3])
