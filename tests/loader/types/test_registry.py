"""One registry: every number and name leads to one type, and to a telling one where values cannot be given."""

from __future__ import annotations

import gguf
import numpy as np
import pytest

from weightmap.errors import UnsupportedFormatError
from weightmap.types.registry import BUILT_IN, all_types, by_dtype, by_id, by_name
from weightmap.types.unknown import IK_LLAMA, REMOVED
from weightmap.types.workspace import Workspace

DTYPES = [
    "BOOL",
    "F4",
    "F6_E2M3",
    "F6_E3M2",
    "U8",
    "I8",
    "F8_E5M2",
    "F8_E4M3",
    "F8_E8M0",
    "F8_E4M3FNUZ",
    "F8_E5M2FNUZ",
    "I16",
    "U16",
    "F16",
    "BF16",
    "I32",
    "U32",
    "F32",
    "C64",
    "F64",
    "I64",
    "U64",
]


def test_every_number_of_ggml_up_to_42_is_a_type_or_was_removed():
    removed = {4, 5, 31, 32, 33, 36, 37, 38}
    for id in range(43):
        type = by_id(id)
        assert type.id == id
        assert type.known == (id not in removed), type


def test_names_and_block_sizes_are_those_of_gguf_py():
    for kind, (elements, size) in gguf.GGML_QUANT_SIZES.items():
        type = by_id(int(kind))
        # gguf-py counts two float32 in a block of Q8_1; the C structure holds two halves
        expected = (32, 36) if kind.name == "Q8_1" else (elements, size)
        assert (type.name, type.elements, type.bytes) == (kind.name, *expected)
    assert (by_id(42).name, by_id(42).elements, by_id(42).bytes) == ("Q2_0", 64, 18)


def test_names_and_numbers_are_unique():
    assert len({type.name for type in BUILT_IN}) == len(BUILT_IN) == 49
    ids = [type.id for type in BUILT_IN if type.id is not None]
    assert len(set(ids)) == len(ids) == 35
    assert all_types()[: len(BUILT_IN)] == BUILT_IN


def test_every_dtype_of_safetensors_is_there_and_no_other_name_is():
    assert [by_dtype(name).name for name in DTYPES] == DTYPES
    assert {type.name for type in BUILT_IN if type.safetensors} == set(DTYPES)
    assert by_dtype("Q4_0") is None
    assert by_dtype("f32") is None
    assert by_dtype("") is None


def test_one_type_serves_both_formats():
    assert by_dtype("F32") is by_id(0) is by_name("F32")
    assert by_dtype("BF16") is by_id(30)
    assert by_name("no such type") is None


@pytest.mark.parametrize(
    ("id", "name", "words", "remedy"),
    [
        (4, "Q4_2 (removed)", "ggml removed the type Q4_2, number 4", "Quantize the model again"),
        (31, "Q4_0_4_4 (removed)", "ggml removed the type Q4_0_4_4, number 31", "Quantize the model again"),
        (36, "IQ4_NL_4_4 (removed) or I2_S (BitNet)", "Two types use the number 36", "Quantize the model again"),
        (139, "IQ4_K (ik_llama.cpp)", "the type IQ4_K of ik_llama.cpp", "Use ik_llama.cpp, or quantize"),
        (200, "type 200", "No type with the number 200", "Look for a newer release"),
        (2**32 - 1, "type 4294967295", "No type with the number 4294967295", "Look for a newer release"),
    ],
)
def test_what_cannot_be_decoded_is_named_and_says_why(id, name, words, remedy):
    type = by_id(id)
    assert (type.id, type.name, type.known) == (id, name, False)
    assert words in type.reason
    assert type.reason.endswith(".")
    assert type.remedy.startswith(remedy)
    assert type.remedy not in type.reason
    assert type.nbytes(256) == 0
    with pytest.raises(UnsupportedFormatError, match="cannot be given") as caught:
        type.decode(np.empty((0, 0), np.uint8), np.empty((0, 1), np.float32), Workspace())
    assert caught.value.code == "unsupported_type"
    assert words in caught.value.finding.message
    assert caught.value.finding.advice == type.remedy


def test_no_removed_or_foreign_number_is_a_type_here():
    assert not {type.id for type in BUILT_IN} & {*REMOVED, *IK_LLAMA, 36}
    assert not set(REMOVED) & set(IK_LLAMA)
