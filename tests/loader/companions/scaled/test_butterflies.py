"""Whole numbers turned by sums and products of sixteen, against the whole matrix in integers."""

from __future__ import annotations

import numpy as np
import pytest
from support.floats import hadamard

from weightmap.companions.scaled.butterflies import first_digits, turn_keys, turn_whole
from weightmap.types.workspace import Workspace


def turned(numbers: np.ndarray, size: int) -> np.ndarray:
    out = np.empty(len(numbers), np.float32)
    turn_whole(numbers, size, out, Workspace())
    return out


@pytest.mark.parametrize("size", [4, 16, 64, 256, 1024, 4096])
def test_sums_are_exact(size: int) -> None:
    signs = hadamard(size)
    drawn = np.random.default_rng(size).integers(-128, 128, (5, size), np.int8)
    most = np.where(signs[:3] > 0, -128, 127).astype(np.int8)  # the largest sums that there are
    codes = np.concatenate([drawn, most, ~most])
    wanted = (codes @ signs.astype(np.int64)) / np.sqrt(size)
    for numbers in (codes, codes.astype(np.float32)):
        assert np.array_equal(turned(numbers.reshape(-1), size).reshape(codes.shape), wanted)


def test_more_pieces_than_one_product_has() -> None:
    codes = np.random.default_rng(1).integers(-128, 128, (1500, 16), np.int8)
    wanted = codes @ hadamard(16).astype(np.int64) / 4
    assert np.array_equal(turned(codes.reshape(-1), 16).reshape(codes.shape), wanted)


def test_a_number_that_is_none_spoils_its_own_piece() -> None:
    numbers = np.ones((6, 64), np.float32)
    numbers[2, 17] = np.nan
    found = turned(numbers.reshape(-1), 64).reshape(6, 64)
    assert np.array_equal(np.isnan(found).all(axis=1), np.arange(6) == 2)
    assert np.array_equal(np.isnan(found).any(axis=1), np.arange(6) == 2)


def test_what_lay_in_the_memory_before_is_not_added_up() -> None:
    """Nothing warns of it, and no sum is another one."""
    numbers, work = np.ones(4 * 64, np.float32), Workspace()  # lines of four items have room for a fifth
    for before in (np.inf, -np.inf, np.nan, np.finfo(np.float32).max):
        for name in ("butterflies stored", "butterflies", "butterflies other"):
            work.array(name, (4096,), np.float32).fill(before)
        out = np.empty(len(numbers), np.float32)
        turn_whole(numbers, 64, out, work)
        assert np.array_equal(out, turned(np.ones(4 * 64, np.int8), 64))


@pytest.mark.parametrize(
    ("size", "each"), [(4, 2), (16, 2), (64, 2), (256, 2), (4, 4), (16, 4), (256, 4), (1024, 4), (4096, 4)]
)
def test_sums_of_what_keys_stand_for(size: int, each: int) -> None:
    bits, low, high = (8, -127, 127) if each == 2 else (4, -8, 7)
    signs = hadamard(size)
    drawn = np.random.default_rng(size).integers(low, high + 1, (5, size), np.int8)
    most = np.where(signs[:3] > 0, low, high).astype(np.int8)  # the largest sums that there are
    codes = np.concatenate([drawn, most, np.where(signs[:3] > 0, high, low).astype(np.int8)])
    fields = codes.reshape(-1, each).astype(np.int64) & (1 << bits) - 1
    keys = (fields << bits * np.arange(each)).sum(axis=1).astype(np.uint16)
    numbers = np.arange(1 << 16)[:, None] >> bits * np.arange(each) & (1 << bits) - 1
    numbers = np.maximum((numbers ^ 1 << bits - 1) - (1 << bits - 1), low).astype(np.int8)
    out = np.empty(codes.size, np.float32)
    turn_keys(keys, first_digits(numbers, -low), size, out, Workspace())
    assert np.array_equal(out.reshape(codes.shape), (codes @ signs.astype(np.int64)) / np.sqrt(size))
