"""The floats of 8, 6 and 4 bits of safetensors against ml_dtypes, for every code."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from support.blocks import decoded, different

from weightmap.types.registry import by_dtype

EIGHT = {
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "F8_E8M0": ml_dtypes.float8_e8m0fnu,
}


@pytest.mark.parametrize("name", EIGHT)
def test_every_code_of_eight_bits(name):
    type, codes = by_dtype(name), np.arange(256, dtype=np.uint8)[:, None]
    expected = codes.view(EIGHT[name]).astype(np.float32)
    assert different(decoded(type, codes), expected).size == 0
    assert type.view_dtype() == EIGHT[name]


@pytest.mark.parametrize(
    ("name", "largest", "smallest", "infinities", "nans"),
    [
        ("F8_E4M3", 448, 2**-9, 0, 2),
        ("F8_E5M2", 57344, 2**-16, 2, 6),
        ("F8_E4M3FNUZ", 240, 2**-10, 0, 1),
        ("F8_E5M2FNUZ", 57344, 2**-17, 0, 1),
        ("F8_E8M0", 2.0**127, 2.0**-127, 0, 1),
    ],
)
def test_ranges_are_those_of_the_format(name, largest, smallest, infinities, nans):
    values = decoded(by_dtype(name), np.arange(256, dtype=np.uint8)[:, None])
    finite = values[np.isfinite(values)]
    assert finite.max() == largest
    assert finite[finite > 0].min() == smallest
    assert (np.isinf(values).sum(), np.isnan(values).sum()) == (infinities, nans)


def test_f4_takes_the_low_nibble_first():
    values = decoded(by_dtype("F4"), np.array([[0x21], [0xF8], [0x70]], np.uint8))
    assert values.tolist() == [[0.5, 1.0], [-0.0, -6.0], [0.0, 6.0]]
    assert np.signbit(values[1, 0])
    every = np.arange(256, dtype=np.uint8)[:, None]
    codes = np.concatenate([every & 15, every >> 4], axis=1)
    assert different(decoded(by_dtype("F4"), every), codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32)).size == 0


@pytest.mark.parametrize(
    ("name", "dtype"), [("F6_E2M3", ml_dtypes.float6_e2m3fn), ("F6_E3M2", ml_dtypes.float6_e3m2fn)]
)
def test_f6_packs_four_codes_into_three_bytes_lowest_bits_first(name, dtype):
    type = by_dtype(name)
    codes = np.random.default_rng(0).permutation(np.arange(64, dtype=np.uint8)).reshape(-1, 4)
    words = [sum(int(code) << 6 * i for i, code in enumerate(four)) for four in codes]
    blocks = np.array([list(word.to_bytes(3, "little")) for word in words], np.uint8)
    assert different(decoded(type, blocks), codes.view(dtype).astype(np.float32)).size == 0
    assert "does not define" in type.assumed
    assert type.bits_per_weight == 6
