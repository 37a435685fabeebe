from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor
from support.tensors import stored

import weightmap
from tensorloupe.plots.shade import color_of
from tensorloupe.style.colormaps import NAN, value_map
from tensorloupe.views.heat.cells import Request, decode, recolored, rule_words
from tensorloupe.views.heat.matrix import matrix_shape, next_nonfinite
from tensorloupe.views.heat.viewport import Viewport


def go_on(done: int, total: int) -> bool:
    return True


def request(tensor: weightmap.Tensor, height: int = 600, width: int = 700, limit: float = 1.0) -> Request:
    view = Viewport.fitted(*matrix_shape(tensor.shape), height, width)
    return Request(tensor, (0,) * max(0, len(tensor.shape) - 2), view, "max_abs", limit, 1.0, False)


def test_each_value_is_a_pixel_of_the_colour_map(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(20, 30)).astype(np.float32)
    values[3, 4], values[5, 6] = np.nan, np.inf
    picture = decode(request(stored(tmp_path, values)), go_on)
    assert picture.elements and picture.stored is not None
    assert np.array_equal(picture.stored, values, equal_nan=True)
    for (i, j), value in np.ndenumerate(values):
        expected = color_of(float(value), 1.0, value_map(False)) if np.isfinite(value) else NAN
        assert picture.image.pixelColor(j, i) == QColor(*expected)


def test_a_pixel_of_many_values_is_the_largest_of_them(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(1200, 1400)).astype(np.float32)
    picture = decode(request(stored(tmp_path, values), limit=4.0), go_on)
    assert picture.values.shape == (600, 700)
    tiles = values.reshape(600, 2, 700, 2).transpose(0, 2, 1, 3).reshape(600, 700, 4)
    largest = np.take_along_axis(tiles, np.abs(tiles).argmax(axis=2)[..., None], axis=2)[..., 0]
    assert np.array_equal(picture.values, largest)
    assert rule_words(picture) == "the largest of 2 × 2 values"
    assert picture.cell(1199, 3) == (599, 1)
    assert picture.cell(1200, 0) is None
    assert picture.small.width() == 250


@pytest.mark.parametrize("rule", ["mean", "rms"])
def test_other_rules(tmp_path: Path, rule: str) -> None:
    values = np.random.default_rng(2).normal(size=(200, 300)).astype(np.float32)
    picture = decode(replace(request(stored(tmp_path, values), 100, 150), rule=rule), go_on)
    tiles = values.reshape(100, 2, 150, 2).astype(np.float64)
    expected = tiles.mean(axis=(1, 3)) if rule == "mean" else np.sqrt((tiles**2).mean(axis=(1, 3)))
    assert np.allclose(picture.values, expected, rtol=1e-5, atol=1e-7)


def test_limits_of_cells_hold_their_share(tmp_path: Path) -> None:
    values = np.random.default_rng(3).normal(size=(1000, 1000)).astype(np.float32)
    picture = decode(replace(request(stored(tmp_path, values), 100, 100), share=0.99), go_on)
    assert picture.limit == picture.cell_limits[0.99]
    assert np.count_nonzero(np.abs(picture.values) > picture.limit) == pytest.approx(100, abs=2)


def test_other_colours_for_the_same_cells(tmp_path: Path) -> None:
    picture = decode(request(stored(tmp_path, np.array([[0.5, -0.5]], np.float32))), go_on)
    dark = recolored(picture, 2.0, True, False)
    assert dark.image.pixelColor(0, 0) == QColor(*color_of(0.5, 2.0, value_map(True)))
    assert (dark.limit, dark.request.dark) == (2.0, True)


@pytest.mark.parametrize(
    ("shape", "matrix"), [((), (1, 1)), ((7,), (1, 7)), ((3, 4), (3, 4)), ((2, 3, 4, 5, 6), (5, 6))]
)
def test_a_tensor_is_a_matrix_of_its_last_two_axes(
    tmp_path: Path, shape: tuple[int, ...], matrix: tuple[int, int]
) -> None:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert matrix_shape(shape) == matrix
    picture = decode(request(stored(tmp_path, values)), go_on)
    assert np.array_equal(picture.values, values[(0,) * max(0, len(shape) - 2)].reshape(matrix))


def test_the_next_nonfinite_value_goes_round(tmp_path: Path) -> None:
    values = np.zeros((50, 40), np.float32)
    values[3, 4], values[3, 9], values[30, 2] = np.nan, np.inf, -np.inf
    tensor = stored(tmp_path, values)
    places = [(0, -1)]
    for _ in range(4):
        found = next_nonfinite(tensor, (), places[-1], go_on)
        assert found is not None
        places.append(found)
    assert places[1:] == [(3, 4), (3, 9), (30, 2), (3, 4)]
    assert next_nonfinite(stored(tmp_path, np.zeros((5, 5), np.float32)), (), (2, 2), go_on) is None
    assert next_nonfinite(stored(tmp_path, np.zeros((5, 5), np.int8)), (), (2, 2), go_on) is None
    with pytest.raises(weightmap.Cancelled):
        next_nonfinite(tensor, (), (0, -1), lambda done, total: False)
