"""MLX weights of every width and mode, against numpy on the whole; widths told by codes alone; and what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint
from support.composed_reads import every_way
from support.floats import E2M1, E4M3, E8M0
from support.packing import repeated, words

import weightmap

ROWS, COLUMNS = 64, 512


class Made:
    """An affine weight whose groups reach from the first to the last code, as MLX makes them."""

    def __init__(self, bits: int, size: int, stack: tuple[int, ...] = ()) -> None:
        random, groups = np.random.default_rng(bits * size), COLUMNS // size
        self.bits, self.size = bits, size
        weights = random.standard_normal((*stack, ROWS, groups, size))
        low, high = weights.min(axis=-1, keepdims=True), weights.max(axis=-1, keepdims=True)
        codes = np.rint((weights - low) / (high - low) * ((1 << bits) - 1)).astype(np.uint8)
        self.codes = codes.reshape(*stack, ROWS, COLUMNS)
        self.scales = random.uniform(0.001, 0.01, (*stack, ROWS, groups)).astype(np.float16)
        self.offsets = random.uniform(-0.1, 0.1, (*stack, ROWS, groups)).astype(np.float16)

    def tensors(self) -> dict[str, Any]:
        packed = words(self.codes, self.bits).view(np.uint32)
        return {"a.weight": packed, "a.scales": self.scales, "a.biases": self.offsets}

    @property
    def values(self) -> np.ndarray:
        scales, offsets = (
            repeated(part.astype(np.float32), self.size, COLUMNS) for part in (self.scales, self.offsets)
        )
        return self.codes * scales + offsets


def config(**more: Any) -> dict[str, Any]:
    return {"model_type": "llama", "quantization": more}


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("size", [32, 64, 128])
def test_affine_with_a_config_and_without(tmp_path: Path, bits: int, size: int) -> None:
    made = Made(bits, size)
    folder = checkpoint(tmp_path / "told", made.tensors(), config(group_size=size, bits=bits))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)
    bare = checkpoint(tmp_path / "bare", made.tensors())
    # two codes of one bit may as well be one of two: how they are spread decides, and that is said
    open_ = (bits == 2 and size < 128) or (bits == 1 and size > 32)
    assert np.array_equal(every_way(bare, "a.weight", "info" if open_ else "ok"), made.values)


def test_one_bit_or_two_is_assumed_and_can_be_read_otherwise(tmp_path: Path) -> None:
    made = Made(1, 64)
    with weightmap.open(checkpoint(tmp_path / "m", made.tensors())) as model:
        weight = model.composed["a.weight"]
        assert weight.readings == ("2-bit codes in groups of 32",)
        assert "1 in groups of 64 are assumed" in (weight.assumed or "")
        (said,) = (found for found in model.findings if found.code == "assumed_reading")
        assert said.tensor == "a.weight"
        assert "2-bit codes in groups of 32" in said.message
        assert model.weights["a.weight"].shape == (ROWS, COLUMNS)
        assert model.read_as("2-bit") == ("a.weight",)
        other = model.composed["a.weight"]
        assert other.shape == (ROWS, COLUMNS // 2)
        assert other.reading == "2-bit codes in groups of 32"
        twos = made.codes[:, 0::2] + 2 * made.codes[:, 1::2].astype(np.float32)
        scales, offsets = (repeated(part.astype(np.float32), 32, COLUMNS // 2) for part in (made.scales, made.offsets))
        assert np.array_equal(other.array(), twos * scales + offsets)
        assert other.statistics().count == other.count
        assert np.array_equal(model.weights["a.weight"].array(), other.array())
        with pytest.raises(KeyError, match="3-bit"):
            model.read_as("3-bit")
    loaded = weightmap.load_weights(tmp_path / "m", reading="2-bit codes")
    assert np.array_equal(loaded["a.weight"], twos * scales + offsets)
    with pytest.raises(KeyError, match="3-bit"):
        weightmap.load_weights(tmp_path / "m", reading="3-bit")


def test_each_module_has_its_own_settings_and_experts_are_stacked(tmp_path: Path) -> None:
    made, other = Made(4, 64, (3,)), Made(8, 32)
    tensors = {name.replace("a.", "m.switch_mlp.up_proj."): part for name, part in made.tensors().items()}
    tensors |= {name.replace("a.", "m.embed."): part for name, part in other.tensors().items()}
    told = config(group_size=64, bits=4, mode="affine", **{"m.embed": {"group_size": 32, "bits": 8}})
    folder = checkpoint(tmp_path / "m", tensors, told)
    assert np.array_equal(every_way(folder, "m.switch_mlp.up_proj.weight"), made.values)
    assert np.array_equal(every_way(folder, "m.embed.weight"), other.values)


def test_offsets_of_the_metal_backend(tmp_path: Path) -> None:
    made = Made(4, 64)
    tensors = {name.replace("biases", "qbiases"): part for name, part in made.tensors().items()}
    folder = checkpoint(tmp_path / "m", tensors, config(group_size=64, bits=4))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)


def test_a_config_that_codes_and_shapes_contradict_loses(tmp_path: Path) -> None:
    made = Made(8, 32)
    for name, told in (("same room", config(group_size=64, bits=4)), ("other room", config(group_size=64, bits=8))):
        folder = checkpoint(tmp_path / name, made.tensors(), told)
        assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)
        with weightmap.open(folder) as model:
            assert [found.code for found in model.composed["a.weight"].findings] == ["quant_config"]


def test_codes_that_do_not_reach_the_ends_leave_the_width_assumed(tmp_path: Path) -> None:
    made = Made(4, 64)
    made.codes = np.clip(made.codes, 6, 9)
    with weightmap.open(checkpoint(tmp_path / "m", made.tensors())) as model:
        assert "assumed" in (model.composed["a.weight"].assumed or "")


@pytest.mark.parametrize("mode", ["mxfp4", "mxfp8", "nvfp4"])
def test_floats(tmp_path: Path, mode: str) -> None:
    random, size, bits = np.random.default_rng(1), 16 if mode == "nvfp4" else 32, 8 if mode == "mxfp8" else 4
    codes = random.integers(0, 0x7F if bits == 8 else 16, (ROWS, COLUMNS), np.uint8)
    scales = random.integers(110, 125, (ROWS, COLUMNS // size), np.uint8)
    tensors = {"a.weight": words(codes, bits).view(np.uint32), "a.scales": scales}
    numbers = E4M3[scales] if mode == "nvfp4" else E8M0[scales]
    wanted = (E4M3 if bits == 8 else E2M1)[codes] * repeated(numbers, size, COLUMNS)
    folder = checkpoint(tmp_path / "m", tensors, config(mode=mode, bits=bits, group_size=size))
    assert np.array_equal(every_way(folder, "a.weight"), wanted)
    assert np.array_equal(every_way(checkpoint(tmp_path / "bare", tensors), "a.weight"), wanted)
    other = "nvfp4" if mode != "nvfp4" else "mxfp4"
    folder = checkpoint(tmp_path / "stale", tensors, config(mode=other, bits=bits, group_size=size))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), wanted)


def spoilt(what: str) -> dict[str, Any]:
    tensors = Made(4, 64).tensors()
    match what:
        case "no scales":
            del tensors["a.scales"]
        case "no offsets":
            del tensors["a.biases"]
        case "fewer rows of scales":
            tensors["a.scales"] = tensors["a.scales"][1:]
        case "other offsets":
            tensors["a.biases"] = tensors["a.biases"][:, 1:].copy()
        case "groups that do not share out":
            tensors["a.scales"] = np.ones((ROWS, 3), np.float16)
            tensors["a.biases"] = np.ones((ROWS, 3), np.float16)
        case "groups of no size":
            tensors["a.scales"] = tensors["a.biases"] = np.ones((ROWS, 1), np.float16)
        case "bytes with offsets":
            tensors["a.scales"] = np.ones((ROWS, 8), np.uint8)
        case "integers as scales":
            tensors["a.scales"] = np.ones((ROWS, 8), np.int32)
        case "a scale of scales":
            tensors = {"a.weight": tensors["a.weight"], "a.scales": np.ones((ROWS, 32), np.uint8)}
            tensors["a.global_scale"] = np.ones(1, np.float32)
    return tensors


WRONG = {
    "no scales": "scale_missing",
    "no offsets": "scale_missing",
    "fewer rows of scales": "scale_shape",
    "other offsets": "scale_shape",
    "groups that do not share out": "scale_shape",
    "groups of no size": "packed_size",
    "bytes with offsets": "scale_shape",
    "integers as scales": "dtype_mismatch",
    "a scale of scales": "unknown_scheme",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit(tmp_path: Path, what: str) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", spoilt(what))) as model:
        assert_no_values(model.composed["a.weight"], WRONG[what])


def test_scales_of_a_weight_with_other_columns(tmp_path: Path) -> None:
    tensors = Made(4, 32).tensors()
    for name in ("a.scales", "a.biases"):
        tensors[name] = np.repeat(tensors[name], 2, axis=1)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config(bits=4, group_size=32))) as model:
        assert_no_values(model.composed["a.weight"], "scale_shape")
        assert "groups of 16" in model.composed["a.weight"].problem.message


@pytest.mark.parametrize("part", ["a.scales", "a.biases"])
def test_scales_and_offsets_that_are_no_numbers(tmp_path: Path, part: str) -> None:
    tensors = Made(4, 64).tensors()
    tensors[part][3, 2] = np.nan
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config(bits=4, group_size=64))) as model:
        (found,) = (one for one in model.findings if one.severity == "warning")
        assert (found.code, found.tensor) == ("odd_scale", part)
