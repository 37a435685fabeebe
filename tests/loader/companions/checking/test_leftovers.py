"""Tensors that are parts of quantized weights and of none that is there; parts and weights that are there twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint, quantized_by
from support.gptq import Made, gptq
from support.packing import words

import weightmap
from weightmap.types.float8 import F8_E4M3

RANDOM = np.random.default_rng(9)
BYTES = RANDOM.integers(0, 0x7F, (32, 64), np.uint8)
FP8: dict[str, Any] = {"a.weight": ("F8_E4M3", BYTES), "a.weight_scale": np.full((1,), 0.01, np.float32)}
PLAIN: dict[str, Any] = {"n.weight": np.ones((4, 4), np.float32)}


def loud(model: weightmap.WeightFile) -> list[tuple[str, str]]:
    return [(found.code, str(found.tensor)) for found in model.findings if found.severity in ("warning", "error")]


@pytest.mark.parametrize("scale", [np.float32([0.02]), np.full((32, 1), 0.01, np.float32), np.float32([np.nan])])
@pytest.mark.parametrize("name", ["a.scale_weight", "a.weight_scale_inv", "a.scale"])
def test_scales_under_two_names_that_differ(tmp_path: Path, name: str, scale: np.ndarray) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", FP8 | {name: scale})) as model:
        weight = model.composed["a.weight"]
        assert_no_values(weight, "several_scales")
        assert set(weight.sources) == {*FP8, name}
        assert "a.weight_scale" in weight.problem.message
        assert name in weight.problem.message
        assert len(loud(model)) == 1


@pytest.mark.parametrize("scale", [np.float32([0.01]), np.float32(0.01), np.float64([np.float32(0.01)])])
def test_scales_said_twice(tmp_path: Path, scale: np.ndarray) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", FP8 | {"a.scale_weight": scale})) as model:
        assert np.array_equal(model.composed["a.weight"].array(), F8_E4M3().values()[BYTES] * np.float32(0.01))
        assert loud(model) == []


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("a.scale_weight", np.ones(7, np.float32)),  # fits no weight of this shape
        ("a.weight_scale_2", np.float32(0.5)),
        ("a.weight_global_scale", np.float32(0.5)),
    ],
)
def test_parts_beside_a_weight_that_is_read_without_them(tmp_path: Path, name: str, tensor: np.ndarray) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", FP8 | {name: tensor})) as model:
        assert model.composed["a.weight"].array().any()
        assert loud(model) == [("orphan_scale", name)]


def test_a_part_belongs_to_codes_that_are_called_as_its_module(tmp_path: Path) -> None:
    tensors = {
        "a": ("F8_E4M3", BYTES),
        "a.weight_scale_inv": np.ones((3, 5), np.float32),
    }  # fits no codes of this shape
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        [found] = [found for found in model.findings if found.code == "orphan_scale"]
        assert "beside codes that are read without" in found.message and found.tensor == "a.weight_scale_inv"


def test_parts_beside_a_weight_that_is_refused_are_not_said_as_well(tmp_path: Path) -> None:
    tensors = FP8 | {"a.weight_scale": np.ones(7, np.float32), "a.weight_scale_2": np.float32(0.5)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert_no_values(model.composed["a.weight"], "scale_shape")
        assert loud(model) == [("scale_shape", "a.weight_scale")]


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("x.weight_scale", np.ones((4, 1), np.float32)),
        ("x.gate_up_proj_scales", np.ones((2, 8, 3), np.uint8)),
        ("x.mlp1_weight.scales", np.ones((2, 8, 3), np.uint8)),
        ("x.gate_up_proj_weight_scale", np.ones(2, np.float32)),
        ("x.SCB", np.ones(4, np.float32)),
        ("x.weight.absmax", np.ones(4, np.float32)),
        ("x._weight_scale", np.ones(4, np.float32)),
        ("x.w1.scale", ("F8_E8M0", np.full((2, 3), 120, np.uint8))),
    ],
)
@pytest.mark.parametrize("others", [PLAIN, FP8], ids=["plain", "quantized"])
def test_scales_without_codes(tmp_path: Path, name: str, tensor: np.ndarray, others: dict[str, Any]) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", {**others, name: tensor})) as model:
        assert loud(model) == [("orphan_scale", name)]


@pytest.mark.parametrize("name", ["n.scales", "norm_scales", "n.weight_scale", "logit_scale", "x.scale"])
def test_what_only_sounds_like_scales(tmp_path: Path, name: str) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", {**FP8, **PLAIN, name: np.ones(4, np.float32)})) as model:
        assert loud(model) == []


@pytest.mark.parametrize(("kind", "several"), [("U8", 2), ("F8_E8M0", 2), ("I32", 64)])
def test_scales_beside_codes_that_no_scheme_reads(tmp_path: Path, kind: str, several: int) -> None:
    codes = np.zeros(64, np.uint8) if kind != "I32" else np.zeros(64, np.int32)
    tensors = {"a.weight": (kind, codes), "a.weight_scale": np.ones(several, np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert loud(model) == [("orphan_scale", "a.weight_scale")]


@pytest.mark.parametrize("first", [True, False], ids=["plain first", "plain last"])
def test_a_weight_that_is_plain_and_quantized(tmp_path: Path, first: bool) -> None:
    codes = RANDOM.integers(0, 16, (8, 32), np.uint8)
    packed: dict[str, Any] = {
        "a.weight_packed": words(codes, 4),
        "a.weight_scale": np.full((8, 1), 0.5, np.float32),
        "a.weight_shape": np.array([8, 32]),
    }
    plain: dict[str, Any] = {"a.weight": np.ones((8, 32), np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", plain | packed if first else packed | plain)) as model:
        assert loud(model) == [("doubled_weight", "a.weight")]
        wanted = (codes.astype(np.float32) - 8) * np.float32(0.5)
        assert np.array_equal(model.composed["a.weight"].array(), wanted)
        assert np.array_equal(model.weights["a.weight"].array(), wanted)
        assert model.tensors["a.weight"].array().all()
        assert list(model.weights) == ["a.weight"]


@pytest.mark.parametrize(("ignore", "said"), [(["n"], []), ([], [("scale_missing", "n.weight")])])
def test_neighbours_without_scales_under_a_config(tmp_path: Path, ignore: list[str], said: list[Any]) -> None:
    tensors = FP8 | {"n.weight": FP8["a.weight"]}
    config = quantized_by(quant_method="modelopt", quant_algo="MIXED_PRECISION", exclude_modules=ignore)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        assert loud(model) == said


OFFSETS = {f"m.{end}": np.ones((8, 2), np.float16) for end in ("scales", "biases")}
MLX = {"format": "mlx"}


SAID = {"bits": 4, "group_size": 32}
CONFIGS = [(MLX, None), (None, {"quantization": SAID}), (None, {"quantization_config": SAID, "quantization": SAID})]


@pytest.mark.parametrize(("metadata", "config"), CONFIGS)
@pytest.mark.parametrize("beside", [{}, {"n.weight": np.ones((4, 4), np.int8)}], ids=["alone", "beside bytes"])
def test_scales_and_offsets_of_mlx_without_codes(
    tmp_path: Path, metadata: dict[str, str] | None, config: dict[str, Any] | None, beside: dict[str, Any]
) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", OFFSETS | beside, config, metadata)) as model:
        assert loud(model) == [("orphan_scale", "m.scales")]
        assert "m.biases" in model.findings[-1].message


@pytest.mark.parametrize(
    ("others", "metadata"),
    [
        ({}, None),
        ({"n.codes": np.ones((4, 4), np.int8)}, None),
        ({"m.weight": np.ones((8, 8), np.float16)}, MLX),
        ({"m.scales": np.ones(2, np.float16), "m.biases": np.ones(2, np.float16)}, MLX),
    ],
    ids=["nothing says MLX", "other codes", "beside a weight", "of one axis"],
)
def test_scales_and_offsets_of_something_else(
    tmp_path: Path, others: dict[str, Any], metadata: dict[str, str] | None
) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", OFFSETS | others, metadata=metadata)) as model:
        assert loud(model) == []


MATRIX = np.ones((32, 64), np.float32)


@pytest.mark.parametrize("name", ["a.weight_scale_inv", "a.weight_scale", "a.scale_weight", "a.qscale_weight"])
def test_scales_beside_plain_floats_among_quantized_weights(tmp_path: Path, name: str) -> None:
    tensors = {f"b{part[1:]}" if part == "a.weight" else f"b{name[1:]}": FP8[part] for part in FP8}
    floats = {"a.weight": MATRIX, name: np.float32([0.5])}
    with weightmap.open(checkpoint(tmp_path / "m", tensors | floats)) as model:
        assert loud(model) == [("orphan_scale", name)]
        assert list(model.composed) == ["b.weight"]
        assert np.array_equal(model.tensors["a.weight"].array(), MATRIX)
    for others in ({name: np.float32([1])}, {"a.weight": MATRIX[0]}, {name: np.int32([7])}):
        with weightmap.open(checkpoint(tmp_path / "harmless", tensors | floats | others)) as model:
            assert loud(model) == []


def test_scales_and_offsets_of_a_usual_layer_need_no_word_of_mlx(tmp_path: Path) -> None:
    tensors = {f"model.layers.0.mlp.up_proj{name[1:]}": part for name, part in OFFSETS.items()}
    with weightmap.open(checkpoint(tmp_path / "m", tensors | PLAIN)) as model:
        assert loud(model) == [("orphan_scale", "model.layers.0.mlp.up_proj.scales")]


WORDS = BYTES.view(np.uint32)
LIKE: dict[str, dict[str, Any]] = {
    "I8": {"a.weight": BYTES.view(np.int8), "a.weight_scale": np.full((32, 1), 0.01, np.float32)},
    "U8": {"a.weight": BYTES, "a.weight_scale": np.full((32, 4), 120, np.uint8)},
    "U32": {"a.weight": WORDS, **{f"a.{end}": np.ones((32, 4), np.float16) for end in ("scales", "biases")}},
}


@pytest.mark.parametrize("kind", LIKE)
def test_codes_without_scales_among_others_that_have_some(tmp_path: Path, kind: str) -> None:
    bare = {
        "b.weight": LIKE[kind]["a.weight"],
        "b.mask": np.ones((32, 64), np.int8),
        "b.table.weight": np.ones(4, np.uint8),
    }
    with weightmap.open(checkpoint(tmp_path / "m", LIKE[kind] | bare)) as model:
        assert loud(model) == [("scale_missing", "b.weight")]
        assert list(model.composed) == ["a.weight"]
    with weightmap.open(checkpoint(tmp_path / "alone", bare | PLAIN)) as model:
        assert loud(model) == []


@pytest.mark.parametrize("part", ["qzeros", "g_idx"])
def test_a_weight_without_a_part_that_others_have(tmp_path: Path, part: str) -> None:
    made = Made(4, symmetric=True)
    tensors = {f"{module}{name[1:]}": each for module in "abc" for name, each in made.tensors(1).items()}
    config = gptq(bits=4, sym=True, desc_act=False)
    for lacking, said in ((f"b.{part}", [("scale_missing", "b.qweight")]), ("no such", [])):
        kept = {name: each for name, each in tensors.items() if name != lacking}
        with weightmap.open(checkpoint(tmp_path / lacking, kept, config)) as model:
            assert loud(model) == said
            assert np.array_equal(model.composed["b.weight"].array(), made.values)
    fewer = {name: each for name, each in tensors.items() if name[0] == "a" or not name.endswith(part)}
    with weightmap.open(checkpoint(tmp_path / "most do without", fewer, config)) as model:
        assert loud(model) == []


def test_zeros_that_most_others_have_unless_the_config_says_symmetric(tmp_path: Path) -> None:
    part = {"x.weight": BYTES.view(np.int8), "x.weight_scale": np.full((32, 1), 0.01, np.float32)}
    part |= {"x.weight_zero_point": np.full((32, 1), 3, np.int8)}
    tensors = {f"{module}{name[1:]}": each for module in "abc" for name, each in part.items()}
    del tensors["c.weight_zero_point"]
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert loud(model) == [("scale_missing", "c.weight")]
    groups = {f"group_{module}": {"targets": [module], "weights": {"symmetric": module == "c"}} for module in "abc"}
    config = quantized_by(quant_method="compressed-tensors", format="int-quantized", config_groups=groups)
    with weightmap.open(checkpoint(tmp_path / "said", tensors, config)) as model:
        assert loud(model) == []
