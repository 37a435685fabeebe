"""Corners of the block formats that a decoder gets wrong without anybody noticing, each worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.blocks import decoded, different

from weightmap.types.grids import even_sign_words, grid
from weightmap.types.registry import by_name

ONE = np.frombuffer(np.float16(1).tobytes(), np.uint8)
MINUS_ONE = np.frombuffer(np.float16(-1).tobytes(), np.uint8)


def block(name: str, **bytes_at: object) -> np.ndarray:
    """One zeroed block with bytes from the given offsets: block("Q4_0", at0=ONE)."""
    data = np.zeros((1, by_name(name).bytes), np.uint8)
    for at, content in bytes_at.items():
        content = np.atleast_1d(np.array(content, np.uint8))
        data[0, int(at[2:]) : int(at[2:]) + content.size] = content
    return data


@pytest.mark.parametrize(("name", "zero_code"), [("Q4_0", 0x88), ("Q8_0", 0)])
def test_a_zero_code_times_a_negative_scale_is_minus_zero(name, zero_code):
    values = decoded(by_name(name), block(name, at0=MINUS_ONE, at2=[zero_code] * 16))[0, :16]
    assert np.array_equal(values, np.zeros(16))
    assert np.signbit(values).all()


def test_nibbles_are_halves_of_the_block_not_neighbours():
    values = decoded(by_name("Q4_0"), block("Q4_0", at0=ONE, at2=[0x9A] + [0x88] * 15))[0]
    assert (values[0], values[1], values[16]) == (2, 0, 1)


def test_fifth_bit_of_an_element_is_its_bit_in_the_word():
    values = decoded(by_name("Q5_0"), block("Q5_0", at0=ONE, at2=[0x02, 0x00, 0x01, 0x80]))[0]
    assert np.flatnonzero(values == 0).tolist() == [1, 16, 31]
    assert np.count_nonzero(values == -16) == 29


@pytest.mark.parametrize("name", ["MXFP4", "NVFP4"])
def test_minus_zero_of_a_4_bit_float_is_plus_zero(name):
    blocks = block(name, at0=127, at1=[0x88] * 16) if name == "MXFP4" else block(name, at0=[0x38] * 4, at4=[0x88] * 32)
    values = decoded(by_name(name), blocks)
    assert different(values, np.zeros_like(values)).size == 0


def test_mxfp4_scale_has_no_nan_and_two_subnormals():
    data = np.zeros((4, 17), np.uint8)
    data[:, 0], data[:, 1:] = (0, 1, 2, 255), 0x22
    assert decoded(by_name("MXFP4"), data)[:, 0].tolist() == [2.0**-127, 2.0**-126, 2.0**-125, np.inf]
    data[3, 1:] = 0x11
    assert decoded(by_name("MXFP4"), data)[3, 0] == 2.0**127


def test_nvfp4_scale_ignores_bit_7_but_for_the_zeros():
    values = decoded(by_name("NVFP4"), block("NVFP4", at0=[0x00, 0x7F, 0x80, 0xFF], at4=[0x11] * 32))[0]
    assert values.reshape(4, 16)[:, 0].tolist() == [0, 0, 0, 240]
    values = decoded(by_name("NVFP4"), block("NVFP4", at0=[0x01, 0x38, 0xB8, 0x7E], at4=[0x22] * 32))[0]
    assert values.reshape(4, 16)[:, 0].tolist() == [2**-9, 1, 1, 448]


def test_nvfp4_groups_hold_low_nibbles_before_high_nibbles():
    values = decoded(by_name("NVFP4"), block("NVFP4", at0=[0x38] * 4, at4=[0x42], at20=[0x27]))[0]
    assert (values[0], values[8]) == (1, 2)
    assert (values[32], values[40]) == (6, 1)
    assert np.count_nonzero(values) == 4


def test_a_set_bit_of_q3_k_means_that_nothing_is_taken_away():
    blocks = block("Q3_K", at0=[0b10], at96=[0x01], at104=[0b10], at108=ONE)  # scale 0: 1 | 2 << 4, less 32
    values = decoded(by_name("Q3_K"), blocks)[0]
    assert values[:16].tolist() == [-4.0] * 16
    assert values[32:34].tolist() == [(0 - 32) * 0.0, (0 - 32) * -4.0]


def test_q3_k_scales_are_spread_over_twelve_bytes():
    packed = [0x0F] + [0] * 7 + [0b00000011, 0, 0, 0b11000000]
    values = decoded(by_name("Q3_K"), block("Q3_K", at96=packed, at108=ONE))[0].reshape(16, 16)[:, 0] / -4
    assert values[0] == (15 | 3 << 4) - 32
    assert values[15] == (0 | 3 << 4) - 32
    assert values[1:15].tolist() == [-32.0] * 14


def test_q4_k_scales_and_minima_of_the_upper_groups():
    packed = np.zeros(12, np.uint8)
    packed[0], packed[4], packed[8] = 0b11_000001, 0b01_000010, 0b0101_0011
    blocks = block("Q4_K", at0=ONE, at2=ONE, at4=packed, at16=[0x11] * 128)
    groups = decoded(by_name("Q4_K"), blocks)[0].reshape(8, 32)[:, 0]
    assert groups.tolist() == [1 - 2, 0, 0, 0, (3 | 3 << 4) - (5 | 1 << 4), 0, 0, 0]


def test_q6_k_scales_are_signed_and_a_zero_keeps_their_sign():
    blocks = block("Q6_K", at128=[0xAA] * 64, at192=[0xFF] + [1] * 15, at208=ONE)  # code 32: value 0
    values = decoded(by_name("Q6_K"), blocks)[0]
    assert np.count_nonzero(values) == 0
    assert np.signbit(values[:16]).all()
    assert not np.signbit(values[16:]).any()


def test_a_seven_bit_sign_code_makes_the_number_of_minus_signs_even():
    signs = even_sign_words().view(np.int8).reshape(128, 8)
    assert set(np.unique(signs)) == {-1, 0}
    assert (signs.sum(axis=1) % 2 == 0).all()
    assert np.array_equal(signs[:, :7] != 0, (np.arange(128)[:, None] >> np.arange(7) & 1) != 0)


def test_iq1_m_collects_its_scale_from_four_words():
    one = int(np.float16(1).view(np.uint16))
    words = np.array([(one >> 4 * i & 15) << 12 for i in range(4)], "<u2").view(np.uint8)
    values = decoded(by_name("IQ1_M"), block("IQ1_M", at32=[0x80], at48=words))[0]
    first = grid("iq1s")[0].astype(np.float32)
    assert values[:8].tolist() == (first + 0.125).tolist()
    assert values[8:16].tolist() == (first - 0.125).tolist()


def test_iq1_s_moves_all_32_elements_by_one_delta():
    values = decoded(by_name("IQ1_S"), block("IQ1_S", at0=ONE, at34=[0x00, 0x90]))[0]  # group 0: scale 1, minus
    first = grid("iq1s")[0].astype(np.float32)
    assert values[:32].reshape(4, 8).tolist() == [(3 * (first - 0.125)).tolist()] * 4
    assert values[32:40].tolist() == (first + 0.125).tolist()


def test_ternary_codes_that_nobody_writes_still_decode():
    assert decoded(by_name("TQ2_0"), block("TQ2_0", at0=[0xFF] * 64, at64=ONE))[0].tolist() == [2.0] * 256
    digits = decoded(by_name("TQ1_0"), block("TQ1_0", at0=[0xFF] * 52, at52=ONE))[0]
    assert digits.tolist() == [1.0] * 256


def test_tq1_0_takes_the_highest_digit_first():
    byte = -(-(2 * 81 + 0 * 27 + 1 * 9 + 2 * 3 + 0) * 256 // 243)
    values = decoded(by_name("TQ1_0"), block("TQ1_0", at0=[byte], at52=ONE))[0]
    assert values[0:160:32].tolist() == [1, -1, 0, 1, -1]


def test_q2_0_counts_from_minus_one_and_q1_0_has_no_zero():
    assert decoded(by_name("Q2_0"), block("Q2_0", at0=ONE, at2=[0b11100100]))[0, :5].tolist() == [-1, 0, 1, 2, -1]
    assert decoded(by_name("Q1_0"), block("Q1_0", at0=ONE, at2=[0b00000101]))[0, :4].tolist() == [1, -1, 1, -1]
