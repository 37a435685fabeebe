"""One block taken apart: every number as a person would work it out with pencil and paper."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks
from support.elements import of_type

from weightmap.measure.blocks import block
from weightmap.types.registry import BUILT_IN, big_endian, by_name

CODED = [type for type in BUILT_IN if type.coded]
HALF = np.frombuffer(np.float16(0.5).tobytes(), np.uint8)


def one(name: str, **bytes_at: object):
    """The block that holds these bytes at these offsets, else zeros."""
    type = by_name(name)
    data = np.zeros((1, type.bytes), np.uint8)
    for at, content in bytes_at.items():
        content = np.atleast_1d(np.array(content, np.uint8))
        data[0, int(at[2:]) : int(at[2:]) + content.size] = content
    return block(of_type(type, (type.elements,), data), 0)


def computed(formula: str, terms: dict) -> float:
    """A formula of the types with numbers in the place of its words."""
    text = re.sub("[a-z]+", lambda word: f"np.float64({terms[word.group()]!r})", formula)
    return float(eval(text.replace("×", "*").replace("−", "-"), {"np": np}))


@pytest.mark.parametrize("type", CODED, ids=lambda type: type.name)
def test_the_formula_with_its_terms_gives_the_value(type):
    blocks = finite_blocks(type, 20)
    if type.name == "MXFP4":
        blocks[:, 0] = 120
    elements = of_type(type, (20, type.elements), blocks)
    values = decoded(type, blocks)
    for index in (0, 7, 19):
        taken = block(elements, index)
        assert np.array_equal(taken.values, values[index])
        assert np.array_equal(taken.bytes, blocks[index])
        for element in (0, 1, type.elements // 2 - 1, type.elements // 2, type.elements - 1):
            worked = computed(taken.formula, taken.terms(element))
            assert worked == pytest.approx(float(taken.values[element]), rel=1e-5, abs=1e-12)


def test_where_a_block_lies():
    type = by_name("Q4_K")
    elements = of_type(type, (3, 2, 512), finite_blocks(type, 12), offset=7)
    taken = block(elements, 7)
    assert (taken.index, taken.offset, taken.position) == (7, 7 + 7 * 144, (1, 1, 256))
    assert block(elements, -1).index == 11
    for index in (12, -13):
        with pytest.raises(IndexError):
            block(elements, index)
    assert elements.source.ranges[0] == (7 + 7 * 144, 144)  # one block is read, no more


def test_a_block_of_q4_k_by_hand():
    taken = one("Q4_K", at0=HALF, at2=HALF, at4=[51, 2, 0, 0, 48], at23=[0x93])
    assert [(n.name, n.stored, n.value) for n in taken.numbers] == [("d", 0x3800, 0.5), ("dmin", 0x3800, 0.5)]
    assert (taken.scale_codes[:2].tolist(), taken.minimum_codes[:2].tolist()) == ([51, 2], [48, 0])
    assert (taken.scales[:2].tolist(), taken.minima[:2].tolist()) == ([25.5, 1.0], [-24.0, 0.0])
    assert (taken.codes[7], taken.codes[39], taken.levels[7]) == (3, 9, 3)
    assert taken.values[7] == 25.5 * 3 - 24
    assert taken.terms(7) == {"d": 0.5, "sc": 51, "code": 3, "dmin": 0.5, "mn": 48}
    assert taken.bytes_of(7) == (23,)
    assert taken.bytes_of(39) == (23,)
    assert taken.bytes_of_group(0) == (4, 8)
    assert taken.bytes_of_group(4) == (4, 8, 12)
    assert [(f.name, f.role, f.offset, f.size) for f in taken.fields][2:] == [
        ("scales", "sub-scales", 4, 12),
        ("codes", "codes", 16, 128),
    ]
    with pytest.raises(IndexError):
        taken.terms(256)
    with pytest.raises(IndexError):
        taken.bytes_of_group(8)


def test_codes_lie_where_the_formats_say():
    assert one("Q4_0").bytes_of(0) == one("Q4_0").bytes_of(16) == (2,)
    assert one("Q5_0").bytes_of(17) == (4, 7)  # its fifth bit, its nibble
    assert one("Q6_K").bytes_of(32) == (32, 128)
    assert one("Q3_K").bytes_of(255) == (31, 95)
    assert one("Q3_K").bytes_of_group(15) == (103, 107)
    assert one("Q8_0").bytes_of(31) == (33,)
    assert one("IQ2_S").bytes_of(9) == (3, 35, 66)
    assert one("IQ2_XXS").bytes_of(0) == (2, 6)
    assert one("IQ3_XXS").bytes_of(255) == (65, 96, 97)
    assert one("IQ1_M").bytes_of(8) == (1, 32)
    assert one("TQ1_0").bytes_of(32) == (0,)
    assert one("MXFP4").bytes_of(31) == (16,)
    assert one("NVFP4").bytes_of_group(3) == (3,)
    assert one("Q8_0").bytes_of_group(0) == ()


def test_signs_and_shifts_are_part_of_the_levels():
    taken = one("IQ2_S", at0=HALF, at34=[0b10])
    assert taken.signs[:3].tolist() == [1, -1, 1]
    assert taken.levels[:3].tolist() == [8, -8, 8]
    assert len(taken.codes) == 32
    shifted = one("IQ1_S", at0=HALF, at34=[0, 0x80])
    assert shifted.levels[0] - one("IQ1_S").levels[0] == -0.25
    assert one("Q8_0", at0=HALF, at2=[0x80]).codes[0] == -128


def test_floats_that_are_none_are_shown_as_they_are():
    taken = one("MXFP4", at0=255)
    assert (taken.numbers[0].name, taken.numbers[0].stored) == ("e", 255)
    assert np.isnan(taken.numbers[0].value)
    nan = one("Q4_0", at0=[0x00, 0x7E])
    assert np.isnan(nan.numbers[0].value)
    assert nan.numbers[0].stored == 0x7E00
    assert np.isnan(nan.values).all()


def test_a_big_endian_block():
    little, big = by_name("Q4_1"), big_endian(by_name("Q4_1"))
    data = np.zeros((1, 20), np.uint8)
    data[0, :4] = [0x38, 0x00, 0x3C, 0x00]
    taken = block(of_type(big, (32,), data), 0)
    assert [(n.name, n.stored, n.value) for n in taken.numbers] == [("d", 0x3800, 0.5), ("m", 0x3C00, 1.0)]
    assert taken.fields == little.anatomy
    assert taken.bytes_of(31) == (19,)


def test_plain_types_have_no_blocks():
    with pytest.raises(TypeError, match="F32 has no blocks"):
        block(of_type(by_name("F32"), (4,), np.zeros(16, np.uint8)), 0)
