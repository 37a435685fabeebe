"""Plain types: views where numpy has the dtype, values that lose nothing."""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
import pytest
from support.blocks import decoded, different

from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

ALL_16_BITS = np.arange(65536, dtype="<u2").view(np.uint8).reshape(-1, 2)


def stored(values, dtype: str) -> np.ndarray:
    return np.array(values, dtype).view(np.uint8).reshape(len(values), -1)


def test_f16_equals_numpy_for_every_code():
    with np.errstate(all="ignore"):
        expected = ALL_16_BITS.view("<f2").astype(np.float32)
    assert different(decoded(by_name("F16"), ALL_16_BITS), expected).size == 0


def test_f16_of_finite_values_and_of_one_infinity():
    rng = np.random.default_rng(0)
    values = (rng.standard_normal(70_000) * 10.0 ** rng.uniform(-8, 4, 70_000)).astype("<f2")
    for extra in ([], [np.inf], [-np.inf], [np.nan]):
        values[70_000 - len(extra) :] = extra
        got = decoded(by_name("F16"), values.view(np.uint8).reshape(-1, 2))
        assert different(got, values.astype(np.float32)).size == 0


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan, 65504.0, 2.0])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 9])
def test_f16_notices_one_odd_value_among_small_ones_wherever_it_is(odd, count):
    for at in range(count):
        values = np.linspace(-1.9, 1.9, count, dtype="<f2")
        values[at] = odd
        got = decoded(by_name("F16"), values.view(np.uint8).reshape(-1, 2))
        assert different(got, values.astype(np.float32)).size == 0, at


def test_bf16_keeps_the_bits_of_every_code():
    bits = decoded(by_name("BF16"), ALL_16_BITS).view(np.uint32)[:, 0]
    assert np.array_equal(bits, np.arange(65536, dtype=np.uint32) << 16)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_bf16_of_few_values_begins_and_ends_as_it_should(count):
    codes = np.array([0xFFFF, 0x3F80, 0xC000, 0x0001, 0x7FC1], "<u2")[:count]
    bits = decoded(by_name("BF16"), codes.view(np.uint8).reshape(-1, 2)).view(np.uint32)[:, 0]
    assert bits.tolist() == [int(code) << 16 for code in codes]


def test_f32_keeps_the_bits_of_every_nan():
    words = np.array([0x7FC00001, 0xFFC00000, 0x7F800000, 0x80000000, 0x00000001], "<u4")
    assert np.array_equal(decoded(by_name("F32"), words.view(np.uint8).reshape(-1, 4)).view(np.uint32)[:, 0], words)


@pytest.mark.parametrize(
    ("name", "dtype", "values"),
    [
        ("I8", "i1", [-128, 0, 127]),
        ("U8", "u1", [0, 128, 255]),
        ("I16", "<i2", [-32768, -1, 32767]),
        ("U16", "<u2", [0, 40000, 65535]),
        ("I32", "<i4", [-(2**31), 2**24 + 1, 2**31 - 1]),
        ("U32", "<u4", [0, 2**24 + 1, 2**32 - 1]),
        ("I64", "<i8", [-(2**63), 2**53 + 1, 2**63 - 1]),
        ("U64", "<u8", [0, 2**53 + 1, 2**64 - 1]),
        ("F64", "<f8", [1 + 2**-52, -1e300, 5e-324]),
        ("C64", "<c8", [1 + 2j, -0.5j, 3e38]),
    ],
)
def test_numbers_come_out_whole(name, dtype, values):
    type, blocks = by_name(name), stored(values, dtype)
    assert type.view_dtype() == np.dtype(dtype)
    got = decoded(type, blocks)
    assert got[:, 0].tolist() == np.array(values, dtype).tolist()
    small = np.dtype(dtype).itemsize <= 2
    assert got.dtype == (np.float32 if small else np.dtype(dtype).newbyteorder("="))


def test_bool_is_true_for_any_byte_but_zero_and_is_never_a_view():
    type = by_name("BOOL")
    got = decoded(type, np.array([[0], [1], [2], [255]], np.uint8))
    assert got.dtype == np.bool_
    assert got[:, 0].tolist() == [False, True, True, True]
    assert got.view(np.uint8)[:, 0].tolist() == [0, 1, 1, 1]
    assert type.view_dtype() is None


def test_bf16_is_a_view_only_where_ml_dtypes_is_installed(monkeypatch):
    assert by_name("BF16").view_dtype() == ml_dtypes.bfloat16
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    assert by_name("BF16").view_dtype() is None
    assert by_name("F8_E5M2").view_dtype() is None


def test_halves_may_lie_apart():
    stored = np.zeros((9, 18), np.uint8)
    stored[:, 2:4] = np.linspace(-1, 3, 9).astype("<f2").view(np.uint8).reshape(9, 2)
    values = np.empty((9, 1), np.float32)
    by_name("F16").decode(stored[:, 2:4], values, Workspace())
    assert values[:, 0].tolist() == np.linspace(-1, 3, 9).tolist()
