"""Codes and scales that are looked up together and rounded to whole numbers, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from support.comfy import P, drawn, read, told
from support.floats import E4M3, grouped, hadamard, low_first

import weightmap
from weightmap.companions.counting import rounded
from weightmap.companions.scaled import rotated
from weightmap.types.workspace import Workspace

ROWS, GROUPS = 24, 32
BOOK = np.sort(np.random.default_rng(3).uniform(-20, 20, 16)).astype(np.float32)


@pytest.fixture(autouse=True, params=[1, 1 << 30])
def looked_up(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> bool:
    """Both ways: by the tables, and computed as where values are few."""
    monkeypatch.setattr(rounded, "WORTH", request.param)
    monkeypatch.setattr(rotated, "MANY", request.param)
    return bool(request.param == 1)


def stored(wide: int, *, booked: bool, rotated: bool) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray]:
    """The tensors, codes, relative scales as bytes, and scales of rows."""
    codes, relative = drawn((ROWS, GROUPS * wide)), drawn((ROWS, GROUPS), 0x60, 0x30)
    relative[::3] ^= 0x80  # negative ones
    rows = np.random.default_rng(2).uniform(0.01, 0.1, ROWS).astype(np.float32)
    tensors = {
        f"{P}.weight": low_first(codes).view(np.int8),
        f"{P}.weight_s_rel": ("F8_E4M3", relative),
        f"{P}.weight_s_channel": rows,
        f"{P}.comfy_quant": told(format="asym_w4a8_int8", convrot=rotated, convrot_groupsize=64, group_size=wide),
    }
    return tensors | ({f"{P}.weight_codebook": BOOK} if booked else {}), codes, relative, rows


def whole(codes: np.ndarray, relative: np.ndarray, booked: bool, wide: int) -> np.ndarray:
    numbers = BOOK[codes] if booked else codes.astype(np.float32) - 8
    return np.clip(np.rint(numbers * grouped(E4M3[relative], wide, codes.shape[1])), -127, 127)


@pytest.mark.parametrize("booked", [True, False])
@pytest.mark.parametrize("wide", [16, 10, 2, 272])
def test_values(tmp_path, booked: bool, wide: int) -> None:
    tensors, codes, relative, rows = stored(wide, booked=booked, rotated=False)
    wanted = (whole(codes, relative, booked, wide) * rows[:, None]).astype(np.float32)
    assert np.array_equal(read(tmp_path / "m", tensors), wanted)
    with weightmap.open(tmp_path / "m") as model:
        weight, flat = model.composed[f"{P}.weight"], wanted.reshape(-1)
        for start, stop in ((2, 4), (6, 60), (wide * GROUPS - 4, wide * GROUPS + 8), (wide, flat.size)):
            values = np.empty(stop - start, np.float32)
            weight.elements().read(start, stop, values, Workspace())
            assert np.array_equal(values, flat[start:stop])
        assert np.array_equal(weight[3:5, 7:29], wanted[3:5, 7:29])
        assert np.float32(dict(weight.explain(37))["value"]) == flat[37]


@pytest.mark.parametrize("odd", [False, True])
def test_rotated_ones(tmp_path, odd: bool) -> None:
    tensors, codes, relative, rows = stored(16, booked=True, rotated=True)
    if odd:
        relative[5, 6] = 0x7F
    numbers = whole(codes, relative, True, 16).reshape(-1, 64)
    wanted = (numbers.astype(np.float64) @ hadamard(64) / 8).astype(np.float32).reshape(codes.shape) * rows[:, None]
    found = read(tmp_path / "m", tensors)
    assert np.array_equal(found, wanted, equal_nan=True)
    assert np.isnan(found).sum() == (64 if odd else 0)
