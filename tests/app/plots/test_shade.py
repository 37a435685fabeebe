from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from tensorloupe.plots.shade import color_of, colors_of, image_of, largest_of
from tensorloupe.style.colormaps import NAN, value_map


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_those_of_the_map(dark: bool) -> None:
    table = value_map(dark)
    values = np.array([[-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 9.0]])
    rgb = colors_of(values, 1.0, table)
    expected = [0, 0, 64, 128, 191, 255, 255]
    assert rgb[0].tolist() == [table[i].tolist() for i in expected]
    assert color_of(0.5, 1.0, table) == tuple(table[191].tolist())


def test_what_is_not_finite_is_loud() -> None:
    rgb = colors_of(np.array([[np.nan, np.inf, -np.inf, 0.0]]), 1.0, value_map(False))
    assert rgb[0, :3].tolist() == [list(NAN)] * 3
    assert rgb[0, 3].tolist() != list(NAN)
    marked = colors_of(np.array([[0.0, 1.0]]), 1.0, value_map(False), np.array([[True, False]]))
    assert marked[0, 0].tolist() == list(NAN)


def test_extreme_values_have_colours_without_a_warning() -> None:
    table = value_map(False)
    for values, limit in (([1.7e308, -1.7e308], 1.7e308), ([5e-324, -5e-324], 5e-324)):
        assert colors_of(np.array([values]), limit, table)[0].tolist() == [table[255].tolist(), table[0].tolist()]
    whole = np.array([[2**63 - 1, -(2**63)]], np.int64)
    assert colors_of(whole, 2.0**63, table)[0].tolist() == [table[255].tolist(), table[0].tolist()]


def test_an_image_holds_the_pixels_as_they_are() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (3, 5, 3)).astype(np.uint8)
    image = image_of(rgb)
    assert (image.width(), image.height()) == (5, 3)
    assert all(image.pixelColor(x, y) == QColor(*(int(c) for c in rgb[y, x])) for y in range(3) for x in range(5))


def test_fewer_cells_keep_the_largest_with_its_sign() -> None:
    cells = np.zeros((40, 60), np.float32)
    cells[7, 11], cells[30, 50], cells[31, 51] = -5.0, 2.0, np.nan
    few = largest_of(cells, 4, 6)
    assert few.shape == (4, 6)
    assert few[0, 1] == -5.0 and few[3, 5] == 2.0
    assert np.count_nonzero(few) == 2
    assert largest_of(cells != 0, 4, 6).sum() == 2
