"""Blocks taken apart: what comes of scale, code and minimum is what the decoder says, bit for bit, for every type."""

from __future__ import annotations

import numpy as np
import pytest
from support.blocks import decoded, different, finite_blocks, random_blocks

from weightmap.types.base import StoredType
from weightmap.types.registry import BUILT_IN, big_endian, by_name
from weightmap.types.workspace import Workspace

CODED = [type for type in BUILT_IN if type.coded]
coded = pytest.mark.parametrize("type", CODED, ids=lambda type: type.name)


def levels_of(type: StoredType, blocks: np.ndarray) -> np.ndarray:
    """What the codes stand for, signs and shifts included: float32 (n, elements)."""
    coding, n = type.coding(blocks, Workspace()), len(blocks)
    assert coding.codes.shape == (n, type.elements // type.code_elements)
    levels = type.level_values()[coding.codes.astype(int) - type.first_code].reshape(n, type.elements)
    if coding.signs is not None:
        levels = levels * coding.signs
    if coding.shifts is not None:
        levels = (levels.reshape(n, coding.shifts.shape[1], -1) + coding.shifts[:, :, None]).reshape(n, -1)
    return levels


def recomputed(type: StoredType, blocks: np.ndarray) -> np.ndarray:
    levels = levels_of(type, blocks).reshape(len(blocks), type.groups, -1)
    scaling = type.scaling(blocks, Workspace())
    assert scaling.scales.shape == (len(blocks), type.groups)
    assert scaling.scales.dtype == np.float32
    with np.errstate(all="ignore"):
        values = levels * scaling.scales[:, :, None]
        if scaling.minima is not None:
            values = values + scaling.minima[:, :, None]
    return values.reshape(len(blocks), type.elements)


def test_every_block_type_of_ggml_can_be_taken_apart():
    assert {type.name for type in BUILT_IN if type.id is not None and type.elements > 1} == {t.name for t in CODED}


@coded
@pytest.mark.parametrize("make", [finite_blocks, random_blocks])
def test_scale_times_level_plus_minimum_is_the_decoded_value(type, make):
    blocks = make(type, 400)
    assert different(recomputed(type, blocks), decoded(type, blocks)).size == 0


@coded
def test_big_endian_blocks_are_taken_apart_as_well(type):
    blocks, other = finite_blocks(type, 50), big_endian(type)
    assert different(recomputed(other, blocks), decoded(other, blocks)).size == 0
    assert (other.groups, other.formula, other.anatomy) == (type.groups, type.formula, type.anatomy)


@coded
def test_fields_fill_the_block_without_a_gap(type):
    end = 0
    for field in type.anatomy:
        assert field.offset == end
        assert field.role in ("scale", "minimum", "sub-scales", "codes", "signs", "unused")
        end += field.size
    assert end == type.bytes
    assert len({field.name for field in type.anatomy}) == len(type.anatomy)


@coded
def test_sub_blocks_and_codes_share_out_the_elements(type):
    assert type.sub_elements * type.groups == type.elements
    assert type.sub_elements % type.code_elements == 0
    levels = type.level_values()
    assert levels.dtype == np.float32
    assert levels.shape[1:] == (() if type.code_elements == 1 else (type.code_elements,))


@coded
def test_codes_reach_from_the_first_to_the_last_level(type):
    codes = type.coding(random_blocks(type, 20_000 if type.code_elements > 1 else 500), Workspace()).codes
    last = type.first_code + len(type.level_values()) - 1
    assert (int(codes.min()), int(codes.max())) == (type.first_code, last)


def test_sub_scales_are_shown_as_they_are_stored():
    blocks = np.zeros((1, 144), np.uint8)
    blocks[0, 4], blocks[0, 8] = 51, 48
    scaling = by_name("Q4_K").scaling(blocks, Workspace())
    assert scaling.scale_codes[0].tolist() == [51, 0, 0, 0, 0, 0, 0, 0]
    assert scaling.minimum_codes[0].tolist() == [48, 0, 0, 0, 0, 0, 0, 0]
    assert by_name("Q3_K").scaling(np.zeros((1, 110), np.uint8), Workspace()).scale_codes[0].tolist() == [0] * 16
    assert by_name("Q6_K").scaling(np.full((1, 210), 255, np.uint8), Workspace()).scale_codes[0].tolist() == [-1] * 16


def test_plain_types_have_no_codes():
    for name in ("F32", "BF16", "F8_E4M3", "F4", "BOOL", "I8"):
        assert not by_name(name).coded
