"""ComfyUI's weights: what the JSON beside them or in the header says, against numpy; and descriptions that are wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.comfy import P, drawn, read, told
from support.composed import assert_truth, checkpoint
from support.floats import E2M1, E4M3, E8M0, grouped, high_first, low_first, swizzled
from support.shared import needs_shared

import weightmap


@needs_shared
@pytest.mark.parametrize("case", ["comfy-quant", "comfy-scaled-fp8"])
def test_the_collection(case: str) -> None:
    assert_truth(case)


def test_nvfp4_in_tiles(tmp_path) -> None:
    codes, scales, second = drawn((160, 112)), drawn((160, 7), 0x7F, 8), np.array(0.0004, np.float32)
    tensors = {
        f"{P}.weight": high_first(codes),
        f"{P}.weight_scale": ("F8_E4M3", swizzled(scales)),
        f"{P}.weight_scale_2": second,
        f"{P}.comfy_quant": told(format="nvfp4"),
    }
    wanted = E2M1[codes] * grouped(E4M3[scales] * second, 16, 112)
    assert np.array_equal(read(tmp_path / "m", tensors), wanted)
    with weightmap.open(tmp_path / "m") as model:
        weight = model.composed[f"{P}.weight"]
        assert set(weight.sources) == set(tensors)
        assert weight.assumed is None
        assert weight.readings == ("low nibble first",)
        other = weight.with_reading("low nibble first")
        swapped = low_first(codes)  # codes read the other way round
        assert np.array_equal(other[0, :2] != 0, wanted[0, [1, 0]] != 0)
        assert np.array_equal(other.array()[:, ::2], wanted[:, 1::2])
        assert swapped.shape == (160, 56)
    tensors[f"{P}.bias"] = np.zeros(150, np.float32)  # ten rows of padding
    assert np.array_equal(read(tmp_path / "cropped", tensors), wanted[:150])


def test_a_file_of_modelopt_leaves_the_order_open(tmp_path) -> None:
    tensors = {
        f"{P}.weight": drawn((16, 32), 256),
        f"{P}.weight_scale": ("F8_E4M3", swizzled(drawn((16, 4), 0x7F, 8))),
        f"{P}.weight_scale_2": np.array(0.001, np.float32),
    }
    layers = {"layers": {"a": {"format": "nvfp4"}}, "format_version": "1.0"}
    metadata = {
        "_quantization_metadata": json.dumps(layers),
        "quantization_config": json.dumps({"producer": {"name": "modelopt"}}),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=metadata)) as model:
        weight = model.composed[f"{P}.weight"]
        assert weight.scheme == "comfy_nvfp4"
        assert weight.assumed is not None
        assert weight.readings == ("low nibble first",)


def test_mxfp8_in_tiles_and_described_by_the_header(tmp_path) -> None:
    codes, scales = drawn((64, 96), 0x7F), drawn((64, 3), 140, 110)
    tensors = {f"{P}.weight": ("F8_E4M3", codes), f"{P}.weight_scale": swizzled(scales)}
    metadata = {"_quantization_metadata": json.dumps({"layers": {"a": {"format": "mxfp8"}}})}
    wanted = E4M3[codes] * grouped(E8M0[scales], 32, 96)
    assert np.array_equal(read(tmp_path / "m", tensors, metadata), wanted)
    tensors[f"{P}.bias"] = np.zeros(50, np.float32)  # the last rows are padding
    assert np.array_equal(read(tmp_path / "cropped", tensors, metadata), wanted[:50])
    with weightmap.open(tmp_path / "cropped") as model:
        weight = model.composed[f"{P}.weight"]
        assert np.array_equal(weight.layer("codes").array(), E4M3[codes[:50]])


@pytest.mark.parametrize("booked", [True, False])
def test_a_codebook_rounded_to_int8(tmp_path, booked: bool) -> None:
    codes, relative = drawn((12, 64)), drawn((12, 4), 0x60, 0x30)
    rows = np.random.default_rng(2).uniform(0.01, 0.1, 12).astype(np.float32)
    book = np.sort(np.random.default_rng(3).uniform(-20, 20, 16)).astype(np.float32)
    tensors = {
        f"{P}.weight": low_first(codes).view(np.int8),
        f"{P}.weight_s_rel": ("F8_E4M3", relative),
        f"{P}.weight_s_channel": rows,
        f"{P}.comfy_quant": told(format="asym_w4a8_int8", convrot=False),
    }
    tensors |= {f"{P}.weight_codebook": book} if booked else {}
    numbers = book[codes] if booked else codes.astype(np.float32) - 8
    wanted = np.clip(np.rint(numbers * grouped(E4M3[relative], 16, 64)), -127, 127) * rows[:, None]
    assert np.array_equal(read(tmp_path / "m", tensors), wanted.astype(np.float32))


def test_awq_with_scales_turned_round(tmp_path) -> None:
    codes = drawn((12, 64))
    scales = np.random.default_rng(2).uniform(0.01, 0.1, (4, 12)).astype(np.float32)
    zeros = np.random.default_rng(3).uniform(-1, 1, (4, 12)).astype(np.float32)
    tensors = {
        f"{P}.weight": low_first(codes).view(np.int8),
        f"{P}.weight_scale": scales,
        f"{P}.weight_zeros": zeros,
        f"{P}.comfy_quant": told(format="awq_w4a16", group_size=16),
    }
    wanted = (codes.astype(np.float32) - 8) * grouped(scales.T, 16, 64) + grouped(zeros.T, 16, 64)
    assert np.array_equal(read(tmp_path / "m", tensors), wanted)


@pytest.mark.parametrize("said", [8, 32, 10**60])
def test_groups_of_another_size_than_the_scales_are_for(tmp_path, said: int) -> None:
    codes, ones = np.zeros((12, 32), np.int8), np.ones((12, 4), np.float32)
    tensors = {f"{P}.weight": codes, f"{P}.weight_scale": ones.T, f"{P}.weight_zeros": ones.T}
    others = {f"{P}.weight": codes, f"{P}.weight_s_rel": ones, f"{P}.weight_s_channel": ones[:, 0]}
    for name, several in (("awq_w4a16", tensors), ("asym_w4a8_int8", others)):
        marker = {f"{P}.comfy_quant": told(format=name, group_size=said, convrot=False)}
        with weightmap.open(checkpoint(tmp_path / name, several | marker)) as model:
            (found,) = (one for one in model.composed[f"{P}.weight"].findings if one.severity == "warning")
            assert (found.code, found.tensor) == ("quant_config", f"{P}.comfy_quant")
            assert "one for each 16 values" in found.message


@pytest.mark.parametrize("corrected", [True, False])
def test_codes_of_six_bits_in_planes(tmp_path, corrected: bool) -> None:
    codes, relative = drawn((12, 64), 64), drawn((12, 4), 0x60, 0x30)
    rows = np.random.default_rng(2).uniform(0.01, 0.1, 12).astype(np.float32)
    shifts = np.random.default_rng(3).uniform(-1, 1, (4, 12)).astype(np.float32)
    tops = codes >> 4
    upper = (tops[:, 0::4] | tops[:, 1::4] << 2 | tops[:, 2::4] << 4 | tops[:, 3::4] << 6).astype(np.uint8)
    tensors = {
        f"{P}.weight": np.concatenate([low_first(codes & 15), upper], axis=1).view(np.int8),
        f"{P}.weight_s_rel": ("F8_E4M3", relative),
        f"{P}.weight_s_channel": rows,
        f"{P}.comfy_quant": told(format="asym_w4a8_int8", convrot=False, group_size=16),
    }
    tensors |= {f"{P}.weight_correction": shifts} if corrected else {}
    values = (codes.astype(np.float32) - 32) * grouped(E4M3[relative], 16, 64)
    wanted = np.clip(np.rint(values), -127, 127) * rows[:, None]
    wanted = wanted + grouped(shifts.T, 16, 64) if corrected else wanted
    assert np.array_equal(read(tmp_path / "m", tensors), wanted)


def test_a_format_that_is_known_by_name(tmp_path) -> None:
    tensors = {"a.weight": np.zeros((4, 8), np.int8), "a.comfy_quant": told(format="svdquant_w4a4")}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert model.composed["a.weight"].status == "info"
        with pytest.raises(weightmap.UnsupportedFormatError):
            model.composed["a.weight"].array()


CODES, SCALE = ("F8_E4M3", drawn((32, 32), 0x7F)), np.ones(1, np.float32)
WRONG = {
    "cut": (CODES, np.frombuffer(b'{"format": "float8_e4', np.uint8), "quant_metadata"),
    "no object": (CODES, np.frombuffer(b"[]", np.uint8), "quant_metadata"),
    "deep": (CODES, np.frombuffer(b"[" * 60000, np.uint8), "quant_metadata"),
    "empty": (CODES, np.empty(0, np.uint8), "quant_metadata"),
    "unknown": (CODES, told(format="float3"), "unknown_scheme"),
    "another type": (CODES, told(format="nvfp4"), "dtype_mismatch"),
    "no second scale": (drawn((32, 16), 256), told(format="nvfp4"), "scale_missing"),
    "scales of another shape": (CODES, told(format="mxfp8"), "scale_shape"),
    "no size of a rotation": (
        np.zeros((4, 64), np.int8),
        told(format="int8_tensorwise", convrot=True, convrot_groupsize=32),
        "quant_metadata",
    ),
    "rows of no whole pieces": (
        np.zeros((4, 60), np.int8),
        told(format="int8_tensorwise", convrot=True),
        "quant_metadata",
    ),
    "rotated or not": (np.zeros((4, 256), np.int8), told(format="int8_tensorwise", convrot=1), "quant_metadata"),
    "rotated and not": (np.zeros((4, 256), np.int8), told(format="convrot_w4a4", convrot=False), "quant_metadata"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_descriptions(tmp_path, kind: str) -> None:
    weight, marker, code = WRONG[kind]
    folder = checkpoint(tmp_path / "m", {"a.weight": weight, "a.weight_scale": SCALE, "a.comfy_quant": marker})
    with weightmap.open(folder) as model:
        found = model.composed["a.weight"]
        assert found.status == "error"
        assert found.problem is not None
        assert found.problem.code == code
        with pytest.raises(weightmap.WeightFileError):
            found[0]


def test_a_header_that_is_no_json_leaves_no_value(tmp_path) -> None:
    tensors = {"a.weight": CODES, "a.weight_scale": SCALE, "b.weight": np.ones((2, 2), np.float32)}
    folder = checkpoint(tmp_path / "m", tensors, metadata={"_quantization_metadata": '{"layers": {"a"'})
    with weightmap.open(folder) as model:
        assert list(model.composed) == ["a.weight"]
        assert model.composed["a.weight"].status == "error"
        assert np.array_equal(model.tensors["b.weight"].array(), np.ones((2, 2)))


@pytest.mark.parametrize("entry", [None, [], "float8_e4m3fn", {}, {"format": None}])
def test_a_header_that_describes_a_weight_by_nothing(tmp_path, entry) -> None:
    tensors = {"a.weight": ("F8_E4M3", np.ones((4, 8), np.uint8)), "a.weight_scale": np.float32(1)}
    metadata = {"_quantization_metadata": json.dumps({"layers": {"a": entry}})}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=metadata)) as model:
        assert model.composed["a.weight"].problem.code == "quant_metadata"


@pytest.mark.parametrize("shape", [(48, 96), (128, 128)], ids=["only in rows", "in rows or tiles"])
def test_modelopt_may_have_scales_in_rows(tmp_path, shape: tuple[int, int]) -> None:
    codes, scales = drawn(shape), drawn((shape[0], shape[1] // 16), 0x7F, 8)
    tensors = {
        f"{P}.weight": low_first(codes),
        f"{P}.weight_scale": ("F8_E4M3", scales),
        f"{P}.weight_scale_2": np.float32(0.5),
    }
    metadata = {
        "_quantization_metadata": json.dumps({"layers": {"a": {"format": "nvfp4"}}}),
        "quantization_config": json.dumps({"producer": {"name": "modelopt"}, "quant_algo": "NVFP4"}),
    }
    wanted = E2M1[codes] * grouped(E4M3[scales] * np.float32(0.5), 16, shape[1])
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=metadata)) as model:
        weight = model.composed[f"{P}.weight"]
        assert weight.assumed is not None
        assert model.status == "info"
        if shape == (48, 96):
            assert np.array_equal(weight.array(), wanted)
            assert weight.readings == ("high nibble first, scales in rows",)
        else:
            assert np.array_equal(weight.with_reading("low nibble first, scales in rows").array(), wanted)
            assert len(weight.readings) == 3
    with weightmap.open(
        checkpoint(tmp_path / "comfy", tensors, metadata=metadata | {"quantization_config": "{}"})
    ) as model:
        fits = shape != (48, 96)
        assert (model.composed[f"{P}.weight"].problem is None) == fits
