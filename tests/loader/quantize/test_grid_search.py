"""What the search for points of a grid does with odd groups, held against ggml's own."""

from __future__ import annotations

import libgguf
import numpy as np
import pytest

from weightmap.quantize.grid_search import whole
from weightmap.quantize.registry import ENCODERS
from weightmap.quantize.signs import even
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

SEARCHED = ["IQ3_S", "IQ3_XXS", "IQ2_S"]


def both(name, values):
    kind = by_name(name)
    rows = np.ascontiguousarray(values, np.float32).reshape(-1, 256)
    blocks = np.empty((len(rows), kind.bytes), np.uint8)
    ENCODERS[kind].encode(rows, blocks, Workspace())
    return blocks, np.asarray(libgguf.quantize_rows(rows, kind.id)).view(np.uint8).reshape(-1, kind.bytes)


@pytest.mark.parametrize("name", SEARCHED)
def test_values_half_way_between_levels(name):
    rng = np.random.default_rng(8)
    values = rng.integers(-16, 17, (64, 256)) / 2
    values[:, ::16] = 15  # the levels of a first try are then whole numbers
    values += rng.choice([0, 1e-7, -1e-7], values.shape)
    ours, theirs = both(name, values)
    assert (ours == theirs).all()


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("size", [1e-44, 1e-38, 1e-20, 1e-9, 1e-8, 1e6, 1e12])
def test_groups_of_any_size(name, size):
    rng = np.random.default_rng(9)
    values = (rng.standard_normal((16, 256)) * size).astype(np.float32)
    values[3:6, 32:64], values[6, 100:] = 0, 0
    ours, theirs = both(name, values)
    assert (ours == theirs).all()


@pytest.mark.parametrize("name", SEARCHED)
def test_one_large_value_among_small_ones(name):
    values = np.random.default_rng(10).standard_normal((64, 256))
    values[np.arange(64), np.arange(64) * 4] = np.logspace(0, 8, 64)
    ours, theirs = both(name, values)
    assert (ours == theirs).all()


def test_zeros_move_the_groups_behind_them_as_in_ggml():
    values = np.random.default_rng(12).standard_normal((1, 256)).astype(np.float32)
    whole_blocks = both("IQ3_S", values)[0]
    values[0, 32:64] = 0
    ours, theirs = both("IQ3_S", values)
    assert (ours == theirs).all()
    assert (ours[0, 10:58] == whole_blocks[0, 18:66]).all()  # index bytes, eight for a group
    assert not ours[0, 58:66].any()


def test_numbers_without_a_nearest_one():
    given = np.array([0.5, 1.5, 2.5001, -3, 99, np.nan, np.inf, -np.inf], np.float32)
    assert whole(given, 7).tolist() == [0, 2, 3, 0, 7, 0, 0, 0]


def test_of_an_odd_number_of_minus_signs_the_least_important_is_changed():
    x = np.array([[1, -2, 3, -4, 5, -6, 7, 8], [-1, -2, 3, -4, 5, -6, 7, 8]], np.float32).T
    x = np.concatenate([x, x[::-1]])
    size, signs = even(x, np.abs(x) ** 3)
    assert size[:8].T.tolist() == [[-1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]]
    assert signs[0].tolist() == [0b00101011, 0b00101011]
    assert size[8:, 0].tolist() == [8, 7, 6, 5, 4, 3, 2, -1]
