"""4- and 6-bit floats as their writers pack them, against numpy on the whole; and companions that are missing or do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import safetensors
from support.composed import assert_no_values, assert_truth, checkpoint, quantized_by
from support.floats import E2M1, E2M3, E4M3, E8M0, grouped, low_first, six_bits
from support.shared import needs_shared

import weightmap
from weightmap.types.workspace import Workspace

CASES = ["ct-mx", "ct-nvfp4", "ds-v4", "gpt-oss", "modelopt-int4", "modelopt-mixed", "modelopt-mxfp8", "modelopt-nvfp4"]


@needs_shared
@pytest.mark.parametrize("case", [*CASES, "lying-u8-scales"])
def test_the_collection(case: str) -> None:
    assert_truth(case)


def drawn(shape: tuple[int, ...], most: int = 16, least: int = 0) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(least, most, shape, np.uint8)


def read(folder, name: str) -> np.ndarray:
    """All values, which parts, slices and a pass in small chunks have to agree with."""
    with weightmap.open(folder) as model:
        weight = model.composed[name]
        values = weight.array()
        at = tuple(n // 2 for n in values.shape[:-2])
        assert np.array_equal(
            weight[(*at, slice(1, None, 3), slice(5, 31))], values[(*at, slice(1, None, 3), slice(5, 31))]
        )
        assert np.array_equal(weight.heatmap(*values.shape[-2:], index=at).cells, values[at])
        assert weight.statistics().max == values.max()
        flat = values.size - 7
        assert np.float32(weight.explain(flat)[-1][1]) == values.reshape(-1)[flat]
        return values


@pytest.mark.parametrize("width", [64, 96, 72])
def test_mxfp4_with_ragged_groups(tmp_path, width: int) -> None:
    codes, scales = drawn((10, width)), drawn((10, -(-width // 32)), 140, 110)
    tensors = {"a.weight_packed": low_first(codes), "a.weight_scale": scales}
    found = read(checkpoint(tmp_path / "m", tensors), "a.weight")
    assert np.array_equal(found, E2M1[codes] * grouped(E8M0[scales], 32, width))


def test_mxfp4_in_stacks_and_under_the_own_name(tmp_path) -> None:
    codes, scales = drawn((3, 6, 64)), drawn((3, 6, 2), 140, 110)
    wanted = E2M1[codes] * grouped(E8M0[scales], 32, 64)
    tensors = {"m.experts.up_proj": low_first(codes), "m.experts.up_proj_weight_scale": scales}
    assert np.array_equal(read(checkpoint(tmp_path / "a", tensors), "m.experts.up_proj"), wanted)
    tensors = {"w": low_first(codes).view(np.int8), "w_scale": ("F8_E8M0", scales)}
    assert np.array_equal(read(checkpoint(tmp_path / "b", tensors), "w"), wanted)


def test_mxfp6(tmp_path) -> None:
    codes, scales = drawn((7, 96), 64), drawn((7, 3), 140, 110)
    tensors = {"a.weight_packed": six_bits(codes), "a.weight_scale": scales}
    found = read(checkpoint(tmp_path / "m", tensors), "a.weight")
    assert np.array_equal(found, E2M3[codes] * grouped(E8M0[scales], 32, 96))


@pytest.mark.parametrize("ending", ["_", "."])
def test_gpt_oss(tmp_path, ending: str) -> None:
    codes, scales = drawn((2, 5, 96)), drawn((2, 5, 3), 140, 110)
    blocks = low_first(codes).reshape(2, 5, 3, 16)
    name = "block.3.mlp.mlp1_weight"
    tensors = {f"{name}{ending}scales": scales, f"{name}{ending}blocks": blocks}
    found = read(checkpoint(tmp_path / "m", tensors), name)
    assert np.array_equal(found, E2M1[codes] * grouped(E8M0[scales], 32, 96))


@pytest.mark.parametrize("width", [64, 40])
def test_nvfp4_divides_or_multiplies(tmp_path, width: int) -> None:
    codes, scales = drawn((9, width)), drawn((9, -(-width // 16)), 0x7F, 8)
    large, small = np.array([2688.5], np.float32), np.array(1 / 3000, np.float32)
    scale = grouped(E4M3[scales] / large, 16, width)
    tensors = {
        "a.weight_packed": low_first(codes),
        "a.weight_scale": ("F8_E4M3", scales),
        "a.weight_global_scale": large,
    }
    assert np.array_equal(read(checkpoint(tmp_path / "ct", tensors), "a.weight"), E2M1[codes] * scale)
    scale = grouped(E4M3[scales] * small, 16, width)
    for dtype in ("F8_E4M3", "U8"):
        tensors = {"a.weight": low_first(codes), "a.weight_scale": (dtype, scales), "a.weight_scale_2": small}
        assert np.array_equal(read(checkpoint(tmp_path / dtype, tensors), "a.weight"), E2M1[codes] * scale)


def test_nvfp4_of_experts_has_a_second_scale_for_each(tmp_path) -> None:
    codes, scales = drawn((3, 4, 64)), drawn((3, 4, 4), 0x7F, 8)
    second = np.array([0.001, 0.002, 0.0005], np.float32)
    tensors = {
        "e.up_proj": low_first(codes),
        "e.up_proj_weight_scale": ("F8_E4M3", scales),
        "e.up_proj_weight_scale_2": second,
    }
    found = read(checkpoint(tmp_path / "m", tensors), "e.up_proj")
    assert np.array_equal(found, E2M1[codes] * grouped(E4M3[scales] * second[:, None, None], 16, 64))
    with weightmap.open(tmp_path / "m") as model:
        steps = dict(model.composed["e.up_proj"].explain((1, 2, 37)))
        assert steps["up_proj_weight_scale_2 (×)"] == str(float(second[1]))
        code = codes[1, 2, 37]
        assert steps["code"] == f"{code:#x} = {E2M1[code]}"


def test_int4_with_rows_in_pairs(tmp_path) -> None:
    codes = np.random.default_rng(3).integers(-8, 8, (3, 10, 24), np.int8)
    scales = np.random.default_rng(4).uniform(0.01, 0.1, (3, 10, 3)).astype(np.float32)
    packed = (codes[:, ::2] & 15 | (codes[:, 1::2] & 15) << 4).astype(np.uint8)
    tensors = {"a.weight": packed, "a.weight_scale": scales}
    found = read(checkpoint(tmp_path / "m", tensors), "a.weight")
    assert np.array_equal(found, codes.astype(np.float32) * grouped(scales, 8, 24))
    with weightmap.open(tmp_path / "m") as model:
        elements, flat = model.composed["a.weight"].elements(), found.reshape(-1)
        for start, stop in (
            (0, 720),
            (24, 72),
            (23, 73),
            (48, 240),
            (5, 700),
        ):  # from the second row of a pair, and in rows
            part = np.empty(stop - start, np.float32)
            elements.read(start, stop, part, Workspace())
            assert np.array_equal(part, flat[start:stop])


ONE = np.ones(1, np.float32)
PACKED, GROUPS = np.zeros((4, 32), np.uint8), np.full((4, 4), 0x38, np.uint8)
WRONG = {
    "no scales": ({"a.weight_packed": PACKED}, "scale_missing"),
    "no second scale": ({"a.weight_packed": PACKED, "a.weight_scale": ("F8_E4M3", GROUPS)}, "scale_missing"),
    "no second scale of ModelOpt": ({"a.weight": PACKED, "a.weight_scale": ("F8_E4M3", GROUPS)}, "scale_missing"),
    "no first scale": ({"a.weight": PACKED, "a.weight_scale_2": ONE}, "scale_missing"),
    "a group too few": (
        {"a.weight": PACKED, "a.weight_scale": ("F8_E4M3", GROUPS[:, :3]), "a.weight_scale_2": ONE},
        "scale_shape",
    ),
    "two second scales": (
        {"a.weight": PACKED, "a.weight_scale": ("F8_E4M3", GROUPS), "a.weight_scale_2": np.ones(2, np.float32)},
        "scale_shape",
    ),
    "scales of float": (
        {"a.weight": PACKED, "a.weight_scale": np.ones((4, 4), np.float32), "a.weight_scale_2": ONE},
        "dtype_mismatch",
    ),
    "blocks without exponents": ({"a_blocks": np.zeros((1, 2, 3, 16), np.uint8)}, "scale_missing"),
    "blocks with fewer exponents": (
        {"a_blocks": np.zeros((1, 2, 3, 16), np.uint8), "a_scales": np.zeros((1, 2, 2), np.uint8)},
        "scale_shape",
    ),
    "rows of scales for pairs": ({"a.weight": PACKED, "a.weight_scale": np.ones((4, 2), np.float32)}, "scale_shape"),
    "bytes that are no codes of six bits": (
        {"a.weight_packed": PACKED[:, :23], "a.weight_scale": GROUPS[:, :1]},
        "packed_size",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_companions_that_are_missing_or_do_not_fit(tmp_path, kind: str) -> None:
    tensors, code = WRONG[kind]
    said = quantized_by(quant_method="compressed-tensors", format="mxfp6-pack-quantized")
    with weightmap.open(checkpoint(tmp_path / "m", tensors, said if code == "packed_size" else None)) as model:
        (weight,) = model.composed.values()
        assert weight.status == "error"
        assert weight.problem is not None
        assert weight.problem.code == code
        assert weight.problem in model.findings
        assert set(weight.sources) == set(tensors)
        with pytest.raises(weightmap.CorruptWeightError):
            weight.array()


def test_a_second_scale_that_looks_like_its_reciprocal_is_warned_of(tmp_path) -> None:
    for second, folder in ((np.array([0.001], np.float32), "ct"), (np.array([2000], np.float32), "modelopt")):
        names = ("a.weight_packed", "a.weight_global_scale") if folder == "ct" else ("a.weight", "a.weight_scale_2")
        tensors = {names[0]: PACKED, "a.weight_scale": ("F8_E4M3", GROUPS), names[1]: second}
        with weightmap.open(checkpoint(tmp_path / folder, tensors)) as model:
            (finding,) = model.composed["a.weight"].findings
            assert finding.code == "odd_scale"
            assert finding.tensor == names[1]
            assert "reciprocal" in finding.message


def test_factors_of_inputs_are_another_reading(tmp_path) -> None:
    codes, scales = drawn((6, 64)), drawn((6, 2), 140, 110)
    factors = np.linspace(0.5, 2, 64, dtype=np.float32)
    tensors = {"a.weight": low_first(codes), "a.weight_scale": scales, "a.pre_quant_scale": factors}
    wanted = E2M1[codes] * grouped(E8M0[scales], 32, 64)
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed["a.weight"]
        assert np.array_equal(weight.array(), wanted)
        assert "a.pre_quant_scale" not in weight.sources
        assert weight.readings == ("with pre_quant_scale",)
        other = weight.with_reading("with pre_quant_scale")
        assert other.reading == "with pre_quant_scale"
        assert np.array_equal(other.array(), wanted * factors)
        assert np.array_equal(other[2:5, 7:20], (wanted * factors)[2:5, 7:20])
        steps = dict(other.explain((3, 9)))
        assert np.float32(steps["pre_quant_scale"]) == factors[9]
        assert np.float32(steps["stored value"]) == wanted[3, 9]
        assert list(other.layers()) == ["codes", "scales", "inputs"]


@pytest.mark.parametrize("shape", [(6, 64), (3, 5, 48), (8, 33)], ids=str)
def test_fours_in_their_own_type(tmp_path, shape: tuple[int, ...]) -> None:
    codes, second = drawn(shape), np.float32(0.0004)
    for size, kind, table in ((32, "U8", E8M0), (32, "F8_E8M0", E8M0), (16, "F8_E4M3", E4M3)):
        scales = drawn((*shape[:-1], -(-shape[-1] // size)), 0x7F, 0x70)
        numbers = table[scales] if size == 32 else table[scales] * second
        entries = [
            ("a.weight", "F4", shape, low_first(codes.reshape(1, -1)).tobytes()),
            ("a.weight_scale", kind, scales.shape, scales.tobytes()),
        ]
        entries += [("a.weight_scale_2", "F32", (), second.tobytes())] if size == 16 else []
        (tmp_path / f"{kind}.safetensors").write_bytes(safetensors(entries))
        assert np.array_equal(
            read(tmp_path / f"{kind}.safetensors", "a.weight"), E2M1[codes] * grouped(numbers, size, shape[-1])
        )
    (tmp_path / "bare.safetensors").write_bytes(safetensors(entries[:2]))
    with weightmap.open(tmp_path / "bare.safetensors") as model:
        assert_no_values(model.composed["a.weight"], "scale_missing")


def test_int4_with_scales_that_are_scaled_is_named(tmp_path) -> None:
    tensors = {
        "a.weight": drawn((8, 64), 256),
        "a.weight_scale": np.full((16, 2), 0.01, np.float32),
        "a.weight_scale_2": np.float32(0.5),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert_no_values(model.composed["a.weight"], "unknown_scheme", "info")
        assert model.composed["a.weight"].shape == (16, 64)


@pytest.mark.parametrize(("matrices", "fit"), [(1 << 20, True), ((1 << 20) + 1, False)])
def test_scales_of_scales_of_more_matrices_than_there_are(tmp_path, matrices: int, fit: bool) -> None:
    tensors = {
        "a.up_proj": np.zeros((matrices, 1, 8), np.uint8),
        "a.up_proj_weight_scale": ("F8_E4M3", np.zeros((matrices, 1, 1), np.uint8)),
        "a.up_proj_weight_scale_2": np.full(matrices, 0.01, np.float32),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert (model.composed["a.up_proj"].problem is None) == fit
