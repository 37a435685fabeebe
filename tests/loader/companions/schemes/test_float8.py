"""8-bit codes with scales of every spelling and shape, against numpy on the whole; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from support.composed import assert_truth, checkpoint, digest, quantized_by
from support.shared import needs_shared

import weightmap
from weightmap.types.float8 import F8_E4M3, F8_E5M2

E4M3, E5M2 = F8_E4M3().values(), F8_E5M2().values()
FP8 = quantized_by(quant_method="fp8", weight_block_size=[128, 128])


def codes(shape: tuple[int, ...], seed: int = 1) -> np.ndarray:
    """Codes of finite numbers."""
    drawn = np.random.default_rng(seed).integers(0, 0x7F, shape, np.uint8)
    return drawn | (np.random.default_rng(seed + 1).integers(0, 2, shape, np.uint8) << 7)


def scales(shape: tuple[int, ...], seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).uniform(1e-4, 1e-2, shape).astype(np.float32)


@needs_shared
@pytest.mark.parametrize("case", ["ds-fp8", "modelopt-fp8", "ct-8bit", "comfy-scaled-fp8", "lying-scale-shape"])
def test_the_collection(case: str) -> None:
    assert_truth(case)


SHAPES = {
    "tensor": ((48, 80), (), lambda s: s),
    "tensor of one axis": ((48, 80), (1, 1), lambda s: s),
    "channel": ((48, 80), (48, 1), lambda s: s),
    "channel without axis": ((48, 80), (48,), lambda s: s[:, None]),
    "blocks": ((256, 384), (2, 3), lambda s: np.kron(s, np.ones((128, 128), np.float32))),
    "ragged blocks": ((192, 300), (2, 3), lambda s: np.kron(s, np.ones((128, 128), np.float32))[:192, :300]),
    "experts": ((3, 16, 24), (3,), lambda s: s[:, None, None]),
    "experts with axes": ((3, 16, 24), (3, 1, 1), lambda s: s),
    "rows of experts": ((3, 16, 24), (3, 16), lambda s: s[:, :, None]),
    "rows of experts with axis": ((3, 16, 24), (3, 16, 1), lambda s: s),
    "columns of experts": ((3, 16, 24), (3, 24), lambda s: s[:, None, :]),
    "blocks of experts": (
        (2, 130, 140),
        (2, 2, 2),
        lambda s: np.stack([np.kron(one, np.ones((128, 128), np.float32))[:130, :140] for one in s]),
    ),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("spelling", ["_scale_inv", "_scale"])
def test_the_shape_of_the_scales_says_what_they_are_for(tmp_path, kind: str, spelling: str) -> None:
    shape, grid, spread = SHAPES[kind]
    stored, factors = codes(shape), scales(grid)
    name = "m.proj.weight" if len(shape) == 2 else "m.experts.gate_up_proj"
    folder = checkpoint(tmp_path / "m", {name: ("F8_E4M3", stored), name + spelling: factors})
    wanted = E4M3[stored] * spread(factors)
    with weightmap.open(folder) as model:
        weight = model.composed[name]
        assert weight.array().tobytes() == wanted.astype(np.float32).tobytes()
        assert weight.sources == (name, name + spelling)
        assert weight.status == "ok"
        assert [found.code for found in model.findings] == ["directory"]
        assert weight.shape == shape
        assert np.array_equal(weight[..., 3:17:2, 5:19], wanted[..., 3:17:2, 5:19])
        assert np.array_equal(weight[-1], wanted[-1])
        found = weight.statistics()
        assert (found.min, found.max) == (wanted.min(), wanted.max())
        assert found.mean == pytest.approx(wanted.astype(np.float64).mean(), abs=1e-12)
        picture = weight.heatmap(shape[-2], shape[-1], index=(1,) * (len(shape) - 2))
        assert np.array_equal(picture.cells, wanted[1] if len(shape) == 3 else wanted)


@pytest.mark.parametrize("spelling", ["scale_weight", "scale", "qscale_weight", "weight_scales"])
def test_scales_in_the_module(tmp_path, spelling: str) -> None:
    stored, factors = codes((32, 48)), scales((32, 1))
    folder = checkpoint(tmp_path / "m", {"a.b.weight": ("F8_E5M2", stored), f"a.b.{spelling}": factors})
    with weightmap.open(folder) as model:
        weight = model.composed["a.b.weight"]
        wanted = E5M2[stored] * factors
        assert np.array_equal(weight.array(), wanted, equal_nan=True)
        assert weight.scheme == "fp8_channel"


def test_scales_of_every_type_are_widened_exactly(tmp_path) -> None:
    stored, halves = codes((4, 8)), np.array([0.5, 0.1, 3, 7], np.float16).reshape(4, 1)
    upper = (halves.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    folder = checkpoint(
        tmp_path / "m",
        {
            "a.weight": ("F8_E4M3", stored),
            "a.weight_scale": halves,
            "b.weight": ("F8_E4M3", stored),
            "b.weight_scale": ("BF16", upper),
            "c.weight": ("F8_E4M3", stored),
            "c.weight_scale_inv": ("F8_E8M0", np.array([[127], [120], [130], [0]], np.uint8)),
        },
    )
    with weightmap.open(folder) as model:
        assert np.array_equal(model.composed["a.weight"].array(), E4M3[stored] * halves.astype(np.float32))
        bfloats = (upper.astype(np.uint32) << 16).view(np.float32)
        assert np.array_equal(model.composed["b.weight"].array(), E4M3[stored] * bfloats)
        powers = np.ldexp(np.float32(1), np.array([[0], [-7], [3], [-127]])).astype(np.float32)
        assert np.array_equal(model.composed["c.weight"].array(), E4M3[stored] * powers)
        assert model.composed["c.weight"].scheme == "fp8_channel_e8m0"


def test_integers_with_zero_points(tmp_path) -> None:
    drawn = np.random.default_rng(5)
    stored, zeros = drawn.integers(-128, 128, (6, 10), np.int8), drawn.integers(-20, 20, (6, 1), np.int8)
    folder = checkpoint(
        tmp_path / "m", {"a.weight": stored, "a.weight_scale": scales((6, 1)), "a.weight_zero_point": zeros}
    )
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        wanted = (stored.astype(np.float32) - zeros.astype(np.float32)) * scales((6, 1))
        assert np.array_equal(weight.array(), wanted)
        assert set(weight.sources) == {"a.weight", "a.weight_scale", "a.weight_zero_point"}
        assert list(weight.layers()) == ["codes", "scales", "zeros"]
        assert np.array_equal(weight.layer("zeros").array(), zeros)
        steps = dict(weight.explain((2, 3)))
        assert float(steps["code"]) == stored[2, 3]
        assert float(steps["zero"]) == zeros[2, 0]
        assert np.float32(steps["value"]) == wanted[2, 3]


LIES = {
    "transposed": ((256, 260), (3, 2), "transposed"),
    "one row too many": ((256, 260), (3, 3), "1 row of scales too many"),
    "flat": ((256, 260), (6,), "one scale"),
    "of another rank": ((256, 260), (1, 2, 3), "one scale"),
    "no scale at all": ((256, 260), (0,), "one scale"),
    "no column": ((256, 260), (256, 0), "260"),
}


@pytest.mark.parametrize("kind", LIES)
def test_scales_that_do_not_fit_are_refused(tmp_path, kind: str) -> None:
    shape, grid, said = LIES[kind]
    folder = checkpoint(
        tmp_path / "m", {"a.weight": ("F8_E4M3", codes(shape)), "a.weight_scale_inv": scales(grid)}, FP8
    )
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert weight.status == "error"
        (finding,) = [found for found in model.findings if found.severity == "error"]
        assert finding.code == "scale_shape"
        assert finding.tensor == "a.weight_scale_inv"
        assert said in finding.message
        with pytest.raises(weightmap.CorruptWeightError, match=r"a\.weight_scale_inv"):
            weight.array()
        assert model.tensors["a.weight"].array(np.float32).shape == shape  # the codes can be looked at


def test_shapes_go_before_the_config(tmp_path) -> None:
    stored, factors = codes((128, 192)), scales((2, 3))
    folder = checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", stored), "a.weight_scale_inv": factors}, FP8)
    with weightmap.open(folder) as model:
        wanted = E4M3[stored] * np.kron(factors, np.ones((64, 64), np.float32))
        assert np.array_equal(model.composed["a.weight"].array(), wanted)
        assert [found.code for found in model.composed["a.weight"].findings] == ["quant_config"]


def test_blocks_that_the_config_gives(tmp_path) -> None:
    stored, factors = codes((96, 100)), scales((2, 3))
    said = quantized_by(quant_method="fp8", weight_block_size=[48, 40])
    folder = checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", stored), "a.weight_scale_inv": factors}, said)
    with weightmap.open(folder) as model:
        wanted = E4M3[stored] * np.kron(factors, np.ones((48, 40), np.float32))[:, :100]
        assert np.array_equal(model.composed["a.weight"].array(), wanted)
        assert model.composed["a.weight"].status == "ok"


def test_odd_scales_are_said_and_used(tmp_path) -> None:
    factors = np.array([[np.nan], [0], [-1], [2]], np.float32)
    folder = checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", codes((4, 8))), "a.weight_scale": factors})
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert np.isnan(weight.array()[0]).all()
        assert not weight.array()[1].any()
        (finding,) = weight.findings
        assert finding.code == "odd_scale"
        assert finding.found == "1 NaN, 1 zero, 1 negative"
        assert weight.status == "warning"
        (found,) = weight.check_values()
        assert found.code == "non_finite"
        assert "8 NaN" in found.message
        assert "[0, 0]" in found.message
        assert found in model.findings


def test_a_cast_without_scales_is_a_plain_tensor(tmp_path) -> None:
    folder = checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", codes((4, 8)))}, {"model_type": "made_up"})
    with weightmap.open(folder) as model:
        assert not model.composed
        assert model.tensors["a.weight"].array(np.float32).tobytes() == E4M3[codes((4, 8))].tobytes()


def test_a_cast_is_an_error_where_the_config_wants_scales(tmp_path) -> None:
    tensors = {"a.weight": ("F8_E4M3", codes((4, 8))), "head.weight": ("F8_E4M3", codes((4, 8)))}
    said = quantized_by(quant_method="fp8", modules_to_not_convert=["head"])
    with weightmap.open(checkpoint(tmp_path / "m", tensors, said)) as model:
        assert list(model.composed) == ["a.weight"]
        assert [found.code for found in model.findings if found.severity == "error"] == ["scale_missing"]
        with pytest.raises(weightmap.CorruptWeightError):
            model.composed["a.weight"].array()
    with pytest.raises(weightmap.CorruptWeightError, match="without scales"):
        weightmap.load_weights(tmp_path / "m")


def test_neighbours_without_scales_and_scales_without_weight_are_warned_of(tmp_path) -> None:
    tensors = {
        "a.weight": ("F8_E4M3", codes((4, 8))),
        "a.weight_scale": scales((4, 1)),
        "b.weight": ("F8_E4M3", codes((4, 8))),
        "ghost.weight_scale": scales((4, 1)),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        said = {found.code: found for found in model.findings}
        assert said["scale_missing"].severity == "warning"
        assert said["scale_missing"].tensor == "b.weight"
        assert said["orphan_scale"].tensor == "ghost.weight_scale"
        assert model.composed["a.weight"].status == "ok"
    marked = tensors | {"scaled_fp8": ("F8_E4M3", np.empty(0, np.uint8))}
    del marked["ghost.weight_scale"]
    with weightmap.open(checkpoint(tmp_path / "marked", marked)) as model:
        assert model.status == "info"


def test_the_digest_of_the_collection_does_not_see_the_sign_of_zero() -> None:
    assert digest(np.array([0.0, np.nan], np.float32)) == digest(np.array([-0.0, -np.nan], np.float32))


def test_rows_of_one_group_have_one_exponent_each(tmp_path) -> None:
    codes = np.random.default_rng(6).integers(0, 0x7F, (6, 32), np.uint8)
    for rows in (6, 1):
        exponents = np.arange(120, 120 + rows, dtype=np.uint8)[:, None]
        tensors = {"a.weight": ("F8_E4M3", codes[:rows]), "a.weight_scale": exponents}
        with weightmap.open(checkpoint(tmp_path / str(rows), tensors)) as model:
            wanted = E4M3[codes[:rows]] * np.ldexp(np.float32(1), exponents.astype(np.int64) - 127).astype(np.float32)
            assert np.array_equal(model.composed["a.weight"].array(), wanted)
