from __future__ import annotations

import numpy as np
import pytest

from weightmap.quantize import base


def floats(*values):
    return np.array(values, np.float32)


def test_halves_go_away_from_zero():
    below = np.nextafter(np.float32(0.5), np.float32(0))
    given = floats(0.5, -0.5, below, -below, 1.5, 2.5, -2.5, 126.5, 0, 1.4999999)
    assert base.rounded(given).tolist() == [1, -1, 0, 0, 2, 3, -3, 127, 0, 1]


def test_halves_go_to_the_even_number_and_stay_within_the_ends():
    assert base.nearest(floats(0.5, 1.5, 2.5, -9, 99), -4, 3).tolist() == [0, 2, 2, -4, 3]


def test_the_peak_keeps_its_sign_and_is_the_first_of_equals():
    columns = np.array([[1, -3, 2, 0, -0.0], [-2, 3, -2, 0, 0.0], [1, 1, 1, 0, 0]], np.float32)
    assert base.peak(columns).tolist() == [-2, -3, 2, 0, 0]
    assert not np.signbit(base.peak(columns)[4])


@pytest.mark.parametrize("columns", [1, 2, 7])
def test_sums_add_up_from_the_first_row_on(columns):
    terms = np.random.default_rng(1).standard_normal((64, columns)).astype(np.float32)
    expected = np.zeros(columns, np.float32)
    for row in terms:
        expected = expected + row
    assert base.total(terms).tolist() == expected.tolist()


def test_lanes_and_back():
    values = np.arange(512, dtype=np.float32).reshape(2, 256)
    lanes = base.lanes(values, 32, base.Workspace())
    assert lanes.shape == (32, 16)
    assert lanes[:, 3].tolist() == list(range(96, 128))
    assert (base.in_order(lanes % 251, 256) == values % 251).all()


def test_the_inverse_of_nothing_is_nothing():
    assert base.inverse(floats(0, 4, -0.0)).tolist() == [0, 0.25, 0]


def test_codes_are_packed_where_decoders_look_for_them():
    codes = np.arange(64, dtype=np.uint8).reshape(1, 64) % 16
    assert base.nibbles(codes, 16)[0, [0, 15, 16]].tolist() == [0x00, 0xFF, 0x00]
    assert base.nibbles(codes, 8)[0, :2].tolist() == [0x80, 0x91]
    pairs = np.repeat(np.arange(4, dtype=np.uint8), 32).reshape(1, 128)
    assert base.bit_pairs(pairs).tolist() == [[0b11100100] * 32]
    bits = np.zeros((1, 256), np.uint8)
    bits[0, 32 * 5 + 7] = 1
    assert np.flatnonzero(base.bit_planes(bits)).tolist() == [7]
    assert base.bit_planes(bits)[0, 7] == 1 << 5
