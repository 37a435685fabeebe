"""Every encoder writes the bytes that ggml's reference quantizer writes, on weights as models have them and on odd ones."""

from __future__ import annotations

import libgguf
import numpy as np
import pytest
from support.shared import needs_shared, real_weights

from weightmap.quantize.base import STEP
from weightmap.quantize.registry import BUILT_IN, ENCODERS
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

COUNT = 1 << 15
TYPES = [kind for kind in ENCODERS if kind.name not in ("F32", "Q8_1", "Q8_K")]  # those have tests of their own


def weights(name: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    gaussian = (rng.standard_normal(COUNT) * 0.02).astype(np.float32)
    if name == "gaussian":
        return gaussian
    if name == "laplace":
        return rng.laplace(0, 0.02, COUNT).astype(np.float32)
    if name == "sparse":
        return np.where(rng.random(COUNT) < 0.9, np.float32(0), gaussian)
    if name == "positive":
        return np.abs(gaussian)
    if name == "whole numbers":  # many values are exactly between two codes, or as large as others
        return rng.integers(-8, 8, COUNT).astype(np.float32)
    if name == "powers of two":
        return (2.0 ** rng.integers(-10, 3, COUNT) * rng.choice([-1, 1], COUNT)).astype(np.float32)
    if name == "of all sizes":  # scales too small and too large for a half
        sizes = np.exp(4 * rng.standard_normal((COUNT // 32, 1)))
        return (rng.standard_normal((COUNT // 32, 32)) * sizes).astype(np.float32).reshape(-1)
    if name == "tiny":
        return gaussian * np.float32(1e-5)
    if name == "zeros":
        return np.zeros(COUNT, np.float32)
    if name == "zeros of both signs":
        return np.where(rng.random(COUNT) < 0.5, np.float32(-0.0), np.float32(rng.random() < 0.01))
    assert name == "all the same"
    return np.full(COUNT, -0.3, np.float32)


NAMES = (
    "gaussian",
    "laplace",
    "sparse",
    "positive",
    "whole numbers",
    "powers of two",
    "of all sizes",
    "tiny",
    "zeros",
    "zeros of both signs",
    "all the same",
)


def encoded(kind, values):
    blocks = np.empty((values.size // kind.elements, kind.bytes), np.uint8)
    ENCODERS[kind].encode(values.reshape(-1, kind.elements), blocks, Workspace())
    return blocks


def by_ggml(kind, values):
    rows = values.reshape(-1, 256)
    return np.asarray(libgguf.quantize_rows(rows, kind.id)).view(np.uint8).reshape(-1, kind.bytes)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
def test_equals_the_reference(kind, name):
    values = weights(name)
    assert (encoded(kind, values) == by_ggml(kind, values)).all()


@needs_shared
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
def test_equals_the_reference_on_real_weights(kind):
    for values in real_weights(1 << 16):
        assert (encoded(kind, values) == by_ggml(kind, values)).all()


@pytest.mark.parametrize("kind", ENCODERS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("blocks", [0, 1, 2, 3])
def test_a_block_is_the_same_whatever_stands_beside_it(kind, blocks):
    many = weights("laplace")[: STEP + 3 * kind.elements]
    many = many[: many.size // kind.elements * kind.elements]
    few = many[: blocks * kind.elements]
    assert (encoded(kind, few) == encoded(kind, many)[:blocks]).all()


def test_what_a_half_cannot_hold():
    values = np.array([65519, 65520, -1e30, 2.0**-25, 2.0**-24, -0.0, np.inf], np.float32)
    halves = encoded(by_name("F16"), values).view("<f2").reshape(-1)
    assert halves.tolist() == [65504, np.inf, -np.inf, 0, 2.0**-24, 0, np.inf]
    nan = encoded(by_name("F16"), np.full(1, np.nan, np.float32)).view("<f2")
    assert np.isnan(nan).all()


@pytest.mark.parametrize(
    ("bits", "stored"),
    [
        (0x3F808000, 0x3F80),  # half-way: to the even one
        (0x3F818000, 0x3F82),
        (0x3F808001, 0x3F81),
        (0x7F7FFFFF, 0x7F80),  # the largest number becomes Inf
        (0xFF800000, 0xFF80),
        (0x7F800001, 0x7FC0),  # a NaN whose upper half would be Inf
        (0xFFC12345, 0xFFC1),
    ],
)
def test_bfloat16(bits, stored):
    values = np.array([bits], np.uint32).view(np.float32)
    assert encoded(by_name("BF16"), values).view("<u2").item() == stored


@pytest.mark.parametrize("kind", ENCODERS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("size", [1e-42, 1e-38, 1e5, 1e37])
def test_no_size_of_values_is_too_much(kind, size):
    values = (np.random.default_rng(3).standard_normal(2048) * size).astype(np.float32)
    values[7], values[300] = 0, -values[301]
    blocks = encoded(kind, values)
    assert (encoded(kind, values) == blocks).all()
    if size < 1:
        out = np.empty((len(blocks), kind.elements), np.float32)
        kind.decode(blocks, out, Workspace())
        assert np.abs(out).max() <= 1.01 * np.abs(values).max()


def test_the_values_are_left_as_they_are():
    values = weights("gaussian")
    before = values.copy()
    for kind in ENCODERS:
        encoded(kind, values)
    assert (values == before).all()


def test_each_encoder_is_for_its_type():
    assert len({encoder.type for encoder in BUILT_IN}) == len(BUILT_IN) == len(ENCODERS)
    for kind, encoder in ENCODERS.items():
        assert (encoder.type, encoder.elements) == (kind.name, kind.elements)
        assert by_name(encoder.type) is kind
