"""Lazy elements give in any range what numpy gives of the whole array, nested ones too."""

import numpy as np
import pytest
from support.stored import stored

from weightmap.pairing.lazy import Columns, Edited, Joined, Part, Reordered, Transposed
from weightmap.types.workspace import Workspace


def whole_and_parts(elements, want):
    """Every range of whole grains, and gathered runs, against the array."""
    flat = np.ascontiguousarray(want).reshape(-1)
    assert (elements.count, elements.shape) == (flat.size, want.shape)
    work = Workspace()
    random = np.random.default_rng(1)
    cuts = np.unique([*random.integers(0, flat.size // elements.grain + 1, 6), 0, flat.size // elements.grain])
    for first in cuts:
        for last in cuts[cuts > first]:
            start, stop = first * elements.grain, min(last * elements.grain, flat.size)
            out = np.full(stop - start, np.nan, elements.value)
            elements.read(start, stop, out, work)
            assert np.array_equal(out, flat[start:stop])
    width = want.shape[-1]
    for length in (1, max(width // 3, 1), width):
        rows = np.sort(random.choice(flat.size // width, min(5, flat.size // width), replace=False))
        starts = rows * width + random.integers(0, width - length + 1)
        out = np.full((len(starts), length), np.nan, elements.value)
        elements.gather(starts.astype(np.int64), length, out, work)
        assert np.array_equal(out, np.stack([flat[s : s + length] for s in starts]))


@pytest.fixture
def matrix(tmp_path):
    values = np.random.default_rng(2).standard_normal((12, 40)).astype(np.float32)
    return values, stored(tmp_path, "m", values)


def test_rows_in_another_order(matrix):
    values, base = matrix
    order = np.random.default_rng(3).permutation(12)[:9]
    whole_and_parts(Reordered(base, 40, order, (9, 40)), values[order])


def test_elements_of_a_vector_in_another_order(tmp_path):
    values = np.arange(50, dtype=np.float32)
    order = np.random.default_rng(3).permutation(50)
    whole_and_parts(Reordered(stored(tmp_path, "v", values), 1, order, (50,)), values[order])


def test_columns(matrix):
    values, base = matrix
    chosen = np.array([5, 3, 3, 39, 0])
    whole_and_parts(Columns(base, 40, chosen, (12, 5)), values[:, chosen])


@pytest.mark.parametrize("batch", [1, 3])
def test_transposed(tmp_path, batch):
    values = np.random.default_rng(4).standard_normal((batch, 30, 21)).astype(np.float32)
    base = stored(tmp_path, "t", values)
    whole_and_parts(Transposed(base, 30, 21, (batch, 21, 30)), values.swapaxes(1, 2))


def test_a_large_transposed_matrix_is_read_in_bands(tmp_path):
    values = np.random.default_rng(4).standard_normal((900, 700)).astype(np.float32)
    turned = Transposed(stored(tmp_path, "t", values), 900, 700, (700, 900))
    out = np.empty(630_000, np.float32)
    turned.read(0, 630_000, out, Workspace())
    assert np.array_equal(out.reshape(700, 900), values.T)


def test_joined_with_another_dtype(tmp_path):
    a = np.random.default_rng(5).standard_normal((3, 8)).astype(np.float32)
    b = np.random.default_rng(6).standard_normal((2, 8))
    both = Joined([stored(tmp_path, "a", a), stored(tmp_path, "b", b, "F64")], (5, 8))
    assert both.value == np.float64
    whole_and_parts(both, np.concatenate([a, b]))


def test_a_part_of_blocks_that_begins_inside_one(tmp_path):
    values = np.arange(128, dtype=np.int8)
    scales = np.ones((4, 1), np.float16).view(np.uint8)
    blocks = np.concatenate([scales, values.reshape(4, 32).view(np.uint8)], axis=1)
    base = stored(tmp_path, "q", blocks, "Q8_0", (128,))
    whole_and_parts(Part(base, (10, 7), 30), np.arange(30, 100, dtype=np.float32).reshape(10, 7))
    whole_and_parts(Part(base, (2, 32), 32), np.arange(32, 96, dtype=np.float32).reshape(2, 32))


def test_edited(matrix):
    values, base = matrix
    whole_and_parts(Edited(base, lambda v: np.add(v, 1, out=v)), values + 1)


def test_nested(matrix):
    values, base = matrix
    order = np.random.default_rng(7).permutation(12)
    inner = Reordered(base, 40, order, (12, 40))
    turned = Transposed(inner, 12, 40, (40, 12))
    again = Reordered(turned, 12, np.arange(39, -1, -1), (40, 12))
    twice = Reordered(again, 12, np.arange(0, 40, 2), (20, 12))
    joined = Joined([twice, Edited(twice, lambda v: np.negative(v, out=v))], (2, 20, 12))
    want = values[order].T[::-1][::2]
    whole_and_parts(joined, np.stack([want, -want]))


def test_nothing(tmp_path):
    base = stored(tmp_path, "e", np.empty((0, 4), np.float32))
    assert Reordered(base, 4, np.empty(0, np.int64), (0, 4)).count == 0
    assert Transposed(base, 0, 4, (4, 0)).count == 0
