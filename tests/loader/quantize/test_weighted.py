"""Types that ggml makes with an importance matrix alone: the bytes are those of its quantizers under the same weights."""

from __future__ import annotations

import libgguf
import numpy as np
import pytest
from support.shared import needs_shared, real_weights

from weightmap.quantize.base import STEP
from weightmap.quantize.positive import positive_scales
from weightmap.quantize.registry import BUILT_IN_WEIGHTED, ENCODERS, WEIGHTED
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

WIDTH = 1024


def values_of(name):
    rng = np.random.default_rng(21)
    shape = 24, WIDTH
    values = {
        "gaussian": lambda: rng.standard_normal(shape) * 0.02,
        "laplace": lambda: rng.laplace(0, 0.02, shape),
        "sparse": lambda: np.where(rng.random(shape) < 0.95, 0, rng.standard_normal(shape)),
        "whole numbers": lambda: rng.integers(-8, 8, shape),
        "of all sizes": lambda: rng.standard_normal(shape) * np.exp(4 * rng.standard_normal((24, 1))),
        "below zero": lambda: -np.abs(rng.standard_normal(shape)),
        "tiny": lambda: rng.standard_normal(shape) * 1e-12,
        "zeros": lambda: np.where(rng.random(shape) < 0.5, -0.0, 0.0),
        "all the same": lambda: np.full(shape, 0.3),
    }
    return values[name]().astype(np.float32)


def weights_of(name):
    rng = np.random.default_rng(22)
    weights = {
        "as inputs are": lambda: rng.gamma(0.5, 2, WIDTH),
        "equal": lambda: np.ones(WIDTH),
        "some zero": lambda: np.where(rng.random(WIDTH) < 0.2, 0, rng.random(WIDTH)),
        "one alone": lambda: np.where(np.arange(WIDTH) % 32 == 5, 1e6, 1e-6),
    }
    return weights[name]().astype(np.float32)


def encoded(kind, values, weights):
    blocks = np.full((values.size // 256, kind.bytes), 0xAA, np.uint8)
    own = np.ascontiguousarray(np.broadcast_to(weights, values.shape)).reshape(-1, 256)
    WEIGHTED[kind].encode(values.reshape(-1, 256), own, blocks, Workspace())
    return blocks


def by_ggml(kind, values, weights):
    return np.asarray(libgguf.quantize_rows(values, kind.id, imatrix=weights)).view(np.uint8).reshape(-1, kind.bytes)


@pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.name)
@pytest.mark.parametrize("weights", ["as inputs are", "equal", "some zero", "one alone"])
@pytest.mark.parametrize(
    "name",
    ["gaussian", "laplace", "sparse", "whole numbers", "of all sizes", "below zero", "tiny", "zeros", "all the same"],
)
def test_equals_the_reference(kind, name, weights):
    given = values_of(name), weights_of(weights)
    assert (encoded(kind, *given) == by_ggml(kind, *given)).all()


@needs_shared
@pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.name)
def test_equals_the_reference_on_real_weights(kind):
    for values in real_weights(1 << 15):
        weights = np.random.default_rng(23).gamma(0.5, 2, 256).astype(np.float32)
        assert (encoded(kind, values, weights) == by_ggml(kind, values, weights)).all()


@pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.name)
def test_a_block_is_the_same_whatever_stands_beside_it(kind):
    values, weights = values_of("laplace"), weights_of("as inputs are")
    assert values.size > STEP
    assert (encoded(kind, values[5:6], weights) == encoded(kind, values, weights)[20:24]).all()


@pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.name)
@pytest.mark.parametrize("size", [1e-42, 1e-20, 1e20, 1e37])
@pytest.mark.parametrize("weight", [0, 1e-38, 1e38])
def test_nothing_is_too_much(kind, size, weight):
    values = (np.random.default_rng(3).standard_normal((2, WIDTH)) * size).astype(np.float32)
    blocks = encoded(kind, values, np.full(WIDTH, weight, np.float32))
    out = np.empty((len(blocks), 256), np.float32)
    kind.decode(blocks, out, Workspace())
    assert not np.isnan(blocks[:, :2].copy().view("<f2")).any()


def test_scales_of_what_is_nowhere_above_zero():
    x = np.array([[-1, 0, 0], [-2, 0, 1e-3]], np.float32)
    with np.errstate(all="ignore"):
        assert positive_scales(x, np.ones_like(x), 4).tolist() == [0, 0, pytest.approx(1e-3 / 4)]


def test_each_is_for_its_type_and_none_can_do_without():
    assert len({encoder.type for encoder in BUILT_IN_WEIGHTED}) == len(WEIGHTED)
    for kind, encoder in WEIGHTED.items():
        assert (encoder.type, encoder.elements) == (kind.name, kind.elements)
        assert by_name(encoder.type) is kind and kind not in ENCODERS
        assert libgguf.quantize_requires_imatrix(kind.id)
