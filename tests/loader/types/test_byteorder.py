"""Big-endian blocks: the fields of a little-endian block turned round decode to the same values."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from support.blocks import decoded, random_blocks

from weightmap.types.registry import BUILT_IN, big_endian, by_dtype, by_id, by_name
from weightmap.types.unknown import unknown


@pytest.mark.parametrize("type", BUILT_IN, ids=lambda type: type.name)
def test_decodes_turned_fields_to_the_same_values(type):
    blocks = random_blocks(type, 50)
    turned = blocks.copy()
    for offset, width in type.fields:
        turned[:, offset : offset + width] = blocks[:, offset : offset + width][:, ::-1]
    values, expected = decoded(big_endian(type), turned), decoded(type, blocks)
    assert values.dtype == expected.dtype
    assert np.array_equal(values, expected, equal_nan=values.dtype.kind in "fc")


def test_keeps_name_number_and_sizes():
    for type in BUILT_IN:
        other = big_endian(type)
        assert (other.name, other.id, other.elements, other.bytes) == (type.name, type.id, type.elements, type.bytes)
        assert (other.value, other.known, other.safetensors) == (type.value, True, type.safetensors)
        assert big_endian(type) is other


def test_plain_types_are_viewed_in_swapped_order():
    assert big_endian(by_name("F32")).view_dtype() == np.dtype(">f4")
    assert big_endian(by_name("I64")).view_dtype() == np.dtype(">i8")
    assert big_endian(by_name("C64")).view_dtype() == np.dtype(">c8")
    assert big_endian(by_name("U8")).view_dtype() == np.dtype("u1")
    assert big_endian(by_name("BF16")).view_dtype() is None
    assert (
        sys.byteorder == "big" or decoded(big_endian(by_name("F32")), np.array([[0x3F, 0xC0, 0, 0]], np.uint8)) == 1.5
    )
    assert decoded(big_endian(by_name("BF16")), np.array([[0xC0, 0x00]], np.uint8)) == -2


def test_says_where_the_order_is_a_guess():
    assert {type.name for type in BUILT_IN if big_endian(type).assumed and not type.assumed} == {
        "Q5_0",
        "Q5_1",
        "IQ2_XXS",
        "IQ3_XXS",
    }
    assert "fifth bits" in big_endian(by_name("Q5_0")).assumed
    assert big_endian(by_dtype("F6_E2M3")).assumed == by_dtype("F6_E2M3").assumed


def test_types_without_wide_fields_and_unknown_types_stay_what_they_are():
    assert big_endian(by_dtype("F8_E4M3")) is by_dtype("F8_E4M3")
    assert big_endian(by_id(39)) is by_id(39)
    nothing = unknown(200)
    assert big_endian(nothing) is nothing
