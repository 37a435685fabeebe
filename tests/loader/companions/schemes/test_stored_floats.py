"""Floats of six bits in the types that safetensors has for them, with exponents beside them."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import safetensors
from support.floats import E2M1, E8M0, grouped, low_first, minifloat, six_bits

import weightmap

NUMBERS = {
    "F6_E2M3": np.array([minifloat(code, 2, 3, 1) for code in range(64)], np.float32),
    "F6_E3M2": np.array([minifloat(code, 3, 2, 3) for code in range(64)], np.float32),
}


def packed(shape: tuple[int, ...]) -> tuple[np.ndarray, bytes]:
    codes = np.random.default_rng(sum(shape)).integers(0, 64, shape, np.uint8)
    return codes, six_bits(codes.reshape(1, -1)).tobytes()


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("scale", ["F8_E8M0", "U8"])
@pytest.mark.parametrize("shape", [(7, 96), (6, 70), (2, 4, 64)])
def test_powers_of_two_per_32(tmp_path, kind: str, scale: str, shape: tuple[int, ...]) -> None:
    codes, data = packed(shape)
    groups = (*shape[:-1], -(-shape[-1] // 32))
    scales = np.random.default_rng(2).integers(110, 140, groups, np.uint8)
    entries = [("a.weight", kind, shape, data), ("a.weight_scale", scale, groups, scales.tobytes())]
    (tmp_path / "m.safetensors").write_bytes(safetensors(entries))
    wanted = NUMBERS[kind][codes] * grouped(E8M0[scales], 32, shape[-1])
    with weightmap.open(tmp_path / "m.safetensors") as model:
        weight = model.composed["a.weight"]
        assert weight.scheme == "mxfp6" and weight.shape == shape
        assert weight.assumed is not None and weight.assumed.startswith("Four values are taken to lie in three bytes")
        assert np.array_equal(weight.array(), wanted)
        statistics = weight.statistics()
        assert (statistics.min, statistics.max) == (wanted.min(), wanted.max())
        assert np.float32(weight.explain(wanted.size - 5)[-1][1]) == wanted.reshape(-1)[-5]


def test_rows_of_fours_that_end_within_a_byte(tmp_path) -> None:
    shape, codes = (6, 71), np.random.default_rng(7).integers(0, 16, (6, 71), np.uint8)
    scales = np.random.default_rng(2).integers(110, 140, (6, 3), np.uint8)
    data = low_first(codes.reshape(1, -1)).tobytes()
    entries = [("a.weight", "F4", shape, data), ("a.weight_scale", "F8_E8M0", (6, 3), scales.tobytes())]
    (tmp_path / "m.safetensors").write_bytes(safetensors(entries))
    wanted = E2M1[codes] * grouped(E8M0[scales], 32, 71)
    with weightmap.open(tmp_path / "m.safetensors") as model:
        weight = model.composed["a.weight"]
        assert np.array_equal(weight.array(), wanted)
        statistics = weight.statistics()
        assert (statistics.min, statistics.max) == (wanted.min(), wanted.max())


def test_other_scales_are_told_and_the_codes_shown_as_codes(tmp_path) -> None:
    codes, data = packed((8, 64))
    ones = np.ones(8, np.float32).tobytes()
    entries = [("a.weight", "F6_E2M3", (8, 64), data), ("a.weight_scale", "F32", (8, 1), ones)]
    (tmp_path / "m.safetensors").write_bytes(safetensors(entries))
    with weightmap.open(tmp_path / "m.safetensors") as model:
        assert not model.composed
        assert [finding.tensor for finding in model.findings if finding.code == "orphan_scale"] == ["a.weight_scale"]
        assert np.array_equal(model.tensors["a.weight"].array(), NUMBERS["F6_E2M3"][codes])


def test_exponents_that_do_not_fit_are_refused(tmp_path) -> None:
    _, data = packed((8, 64))
    entries = [("a.weight", "F6_E2M3", (8, 64), data), ("a.weight_scale", "U8", (8, 4), bytes(32))]
    (tmp_path / "m.safetensors").write_bytes(safetensors(entries))
    with weightmap.open(tmp_path / "m.safetensors") as model, pytest.raises(weightmap.WeightFileError) as caught:
        model.composed["a.weight"].array()
    assert caught.value.finding.code == "scale_shape"
