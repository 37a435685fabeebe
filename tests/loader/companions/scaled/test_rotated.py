"""ComfyUI's weights that were rotated before they were quantized, against the whole matrix in float64."""

from __future__ import annotations

import numpy as np
import pytest
from support.comfy import P, drawn, read, told
from support.composed import checkpoint
from support.floats import E4M3, grouped, hadamard, low_first

import weightmap
from weightmap.companions.counting import rounded
from weightmap.companions.scaled import rotated
from weightmap.types.workspace import Workspace


@pytest.fixture(autouse=True, params=[1, 1 << 30])
def by_keys(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Both ways: several numbers looked up at once, and each by itself as where they are few."""
    monkeypatch.setattr(rotated, "MANY", request.param)


def turned(values: np.ndarray, size: int) -> np.ndarray:
    pieces = values.astype(np.float64).reshape(len(values), -1, size) @ hadamard(size) / np.sqrt(size)
    return pieces.reshape(values.shape)


def test_integers_with_and_without_rotation(tmp_path) -> None:
    codes = np.random.default_rng(1).integers(-128, 128, (12, 64), np.int8)
    scales = np.random.default_rng(2).uniform(0.001, 0.01, (12, 1)).astype(np.float32)
    tensors = {f"{P}.weight": codes, f"{P}.weight_scale": scales, f"{P}.comfy_quant": told(format="int8_tensorwise")}
    plain = codes.astype(np.float32) * scales
    assert np.array_equal(read(tmp_path / "a", tensors), plain)
    tensors[f"{P}.comfy_quant"] = told(format="int8_tensorwise", convrot=True, convrot_groupsize=16)
    assert np.allclose(read(tmp_path / "b", tensors), turned(plain, 16), atol=1e-6)
    tensors[f"{P}.comfy_quant"] = told(format="int8_tensorwise", params={"convrot": True, "convrot_groupsize": 64})
    assert np.allclose(read(tmp_path / "c", tensors), turned(plain, 64), atol=1e-6)


@pytest.mark.parametrize("form", ["int8_tensorwise", "convrot_w4a4", "asym_w4a8_int8"])
def test_whole_numbers_are_turned_exactly_and_rounded_once(tmp_path, form: str) -> None:
    codes = np.random.default_rng(1).integers(-8, 8, (12, 4096), np.int8)
    scales = np.random.default_rng(2).uniform(0.001, 0.01, (12, 1)).astype(np.float32)
    tensors = {
        f"{P}.weight": codes if form == "int8_tensorwise" else low_first(codes & 15).view(np.int8),
        f"{P}.weight_scale": scales,
        f"{P}.comfy_quant": told(format=form, convrot=True, convrot_groupsize=256),
    }
    if form == "asym_w4a8_int8":
        tensors |= {
            f"{P}.weight_s_channel": scales[:, 0],
            f"{P}.weight_s_rel": ("F8_E4M3", drawn((12, 256), 0x60, 0x30)),
        }
        tensors |= {f"{P}.weight": low_first(codes + 8).view(np.int8)}
        products = np.rint(codes * grouped(E4M3[tensors[f"{P}.weight_s_rel"][1]], 16, 4096))
        codes = np.clip(products, -127, 127)
    wanted = turned(codes, 256).astype(np.float32) * scales
    assert np.array_equal(read(tmp_path / "m", tensors), wanted)
    with weightmap.open(tmp_path / "m") as model:
        values = np.empty(2304, np.float32)
        elements = model.composed[f"{P}.weight"].elements()
        elements.read(3840, 3840 + 2304, values, Workspace())  # the end of a row and the beginning of the next
        assert np.array_equal(values, wanted.reshape(-1)[3840 : 3840 + 2304])


@pytest.mark.parametrize("form", ["convrot_w4a4", "asym_w4a8_int8"])
@pytest.mark.parametrize("size", [256, 1024, 4096])
def test_the_largest_sums_that_there_are(tmp_path, form: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounded, "WORTH", 1)
    signs = hadamard(size)[:12]
    codes = np.where(signs > 0, -8, 7).astype(np.int8)
    scales = np.full((12, 1), 0.5, np.float32)
    tensors = {
        f"{P}.weight": low_first(codes & 15).view(np.int8),
        f"{P}.weight_scale": scales,
        f"{P}.comfy_quant": told(format=form, convrot=True, convrot_groupsize=size),
    }
    if form == "asym_w4a8_int8":
        tensors |= {
            f"{P}.weight": low_first(codes + 8).view(np.int8),
            f"{P}.weight_s_channel": scales[:, 0],
            f"{P}.weight_s_rel": ("F8_E4M3", np.full((12, size // 16), 0x58, np.uint8)),  # 16
        }
        codes = np.clip(codes * 16.0, -127, 127)
    assert np.array_equal(read(tmp_path / "m", tensors), turned(codes, size).astype(np.float32) * scales)


def test_a_scale_that_is_no_number_spoils_its_pieces(tmp_path) -> None:
    relative = drawn((3, 32), 0x60, 0x30)
    relative[1, 20] = 0x7F
    tensors = {
        f"{P}.weight": drawn((3, 256), 256).view(np.int8),
        f"{P}.weight_s_rel": ("F8_E4M3", relative),
        f"{P}.weight_s_channel": np.ones(3, np.float32),
        f"{P}.comfy_quant": told(format="asym_w4a8_int8"),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        values = model.composed[f"{P}.weight"].array()
    assert np.isnan(values[1, 256:]).all()
    assert np.isfinite(values[1, :256]).all()
    assert np.isfinite(values[::2]).all()


def test_nibbles_with_rotation(tmp_path) -> None:
    codes = np.random.default_rng(1).integers(-8, 8, (12, 64), np.int8)
    scales = np.random.default_rng(2).uniform(0.01, 0.1, 12).astype(np.float32)
    tensors = {
        f"{P}.weight": low_first(codes & 15).view(np.int8),
        f"{P}.weight_scale": scales,
        f"{P}.comfy_quant": told(format="convrot_w4a4", convrot_groupsize=16),
    }
    assert np.allclose(read(tmp_path / "m", tensors), turned(codes * scales[:, None], 16), atol=1e-5)


@pytest.mark.parametrize("rotated", [True, False])
@pytest.mark.parametrize("shape", [(4, 0), (0, 256), (0, 0)])
def test_weights_without_values(tmp_path, shape: tuple[int, int], rotated: bool) -> None:
    tensors = {
        f"{P}.weight": np.empty(shape, np.int8),
        f"{P}.weight_scale": np.ones((shape[0], 1), np.float32),
        f"{P}.comfy_quant": told(format="int8_tensorwise", convrot=rotated),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed[f"{P}.weight"]
        if weight.problem is None:
            assert weight.array().shape == shape
            assert weight.statistics().count == 0
