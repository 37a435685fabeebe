"""What the heatmap shows: pixels in the colours of the values, a read-out that is the stored value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from support.sections import read
from support.tensors import stored

from tensorloupe.plots.shade import color_of
from tensorloupe.style.colormaps import value_map
from tensorloupe.views.heat.frame import BAR_GAP
from tensorloupe.views.heatmap import HeatmapView


def test_it_begins_with_the_whole_tensor_and_says_what_a_pixel_is(view: HeatmapView, values: np.ndarray) -> None:
    frame = view.picture.frame
    assert frame.viewport.is_fitted and view.stage.state == "picture"
    assert "one pixel" in {row.label for row in view.side.view.sections[0].rows}
    beyond = frame.beyond
    finite = values[np.isfinite(values)]
    assert (beyond.below, beyond.above) == (int((finite < -beyond.limit).sum()), int((finite > beyond.limit).sum()))
    assert (beyond.nan, beyond.inf, beyond.total) == (1, 1, values.size)


def test_pixels_on_screen_are_the_colours_of_the_values(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    image = view.picture.grab().toImage()
    limit, table = view.loading.limit, value_map(False)
    rect, scale = view.picture.image_rect(), view.picture.frame.viewport.rows.scale
    for at in (rect.center() + QPointF(3 * scale, 2 * scale), rect.topLeft() + QPointF(5 * scale, 7 * scale)):
        row, column = view.picture.value_at(at)
        expected = QColor(*color_of(float(values[row, column]), limit, table))
        assert image.pixelColor(at.toPoint()) == expected


def test_the_read_out_is_the_stored_value(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.go_to(212, 263)
    settle(view)
    reading = view.side.head._reading
    assert np.float32(reading.exact) == values[212, 263]
    assert reading.text == str(values[212, 263]).replace("-", "−")
    assert read(view.side.where)["row, column"] == "212, 263"
    assert read(view.side.where)["byte offset"] == f"{view.tensor.offset + 4 * (212 * 2000 + 263):,}"
    view.picture.point_at(213, 260)
    assert np.float32(view.side.head._reading.exact) == values[213, 260]


def test_limits_are_chosen_typed_and_reset(qtbot: QtBot, settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    sizes = np.abs(values[np.isfinite(values)])
    assert view.loading.limit == pytest.approx(float(np.quantile(sizes, 0.99)), rel=0.01)
    view.controls.shares.choose(2)
    settle(view)
    assert view.loading.limit == float(sizes.max())
    view.controls.limit.setFocus()
    view.controls.limit.selectAll()
    qtbot.keyClicks(view.controls.limit, "0,5")
    qtbot.keyClick(view.controls.limit, Qt.Key.Key_Return)
    settle(view)
    assert view.loading.limit == 0.5 and view.loading.current.limit == 0.5
    assert view.loading.beyond.above == int((values > 0.5).sum()) - int(np.isposinf(values).sum())
    qtbot.keyClicks(view.controls.limit, "x")
    qtbot.keyClick(view.controls.limit, Qt.Key.Key_Return)
    assert view.controls.limit.property("wrong") is True
    view.reset()
    settle(view)
    assert view.loading.limit == pytest.approx(float(np.quantile(sizes, 0.99)), rel=0.01)


def test_another_theme_keeps_the_place(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    before = view.picture.frame.viewport
    view.context.theme.set_mode("dark")
    view.refresh_theme()
    settle(view)
    assert view.picture.frame.viewport == before
    current = view.loading.current
    expected = QColor(*color_of(float(values[current.rows[0], current.columns[0]]), current.limit, value_map(True)))
    assert current.image.pixelColor(0, 0) == expected


def test_slices_of_leading_axes(make, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    values = np.random.default_rng(1).normal(size=(4, 3, 20, 30)).astype(np.float32)
    view = make("heatmap")
    view.show_tensor(stored(tmp_path, values))
    settle(view)
    assert [spin.maximum() for spin in view.slices.spins] == [3, 2] and not view.slices.isHidden()
    assert np.array_equal(view.loading.current.values, values[0, 0])
    view.loading.set_limit(0.99, 1.25)
    view.slices.spins[0].setValue(2)
    view.slices.spins[1].setValue(1)
    settle(view)
    assert np.array_equal(view.loading.current.values, values[2, 1])
    assert view.loading.limit == 1.25
    view.picture.point_at(5, 6)
    assert read(view.side.where)["slice"] == "2, 1"
    view.show_tensor(stored(tmp_path, values[0, 0]))
    settle(view)
    assert view.slices.isHidden() and view.loading.by_hand is None


def test_only_the_last_selected_tensor_is_shown(settle, view: HeatmapView, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tensors = [stored(tmp_path, np.full((50, 50), n, np.float32)) for n in range(1, 8)]
    for tensor in tensors:
        view.show_tensor(tensor)
    settle(view)
    assert (view.loading.current.values == 7).all()
    view.show_tensor(None)
    settle(view)
    assert not view.has_picture and view.stage.notice.what.text().startswith("No tensor selected.")


def test_narrow_views_flow(settle, view: HeatmapView) -> None:  # type: ignore[no-untyped-def]
    view.resize(720, 430)
    settle(view)
    view.go_to(212, 263)
    settle(view)
    assert not view.side.lines.isHidden() and not view.side.map.isVisible()
    assert "212, 263" in view.side.lines.text()
    assert view.controls.reset_button.isHidden() and not view.controls.fit_button.isHidden()


def test_the_colour_bar_stands_beside_the_image_however_small_that_is(
    make, settle, tmp_path: Path, view: HeatmapView, values: np.ndarray
) -> None:  # type: ignore[no-untyped-def]
    def gap(shown: HeatmapView) -> float:
        return shown.picture.places().bar.left() - shown.picture.image_rect().right()

    view.go_to(400, 1000)  # the image fills its room
    settle(view)
    places = view.picture.places()
    assert gap(view) == BAR_GAP and places.bar.left() == pytest.approx(places.room.right() + BAR_GAP, abs=1)
    small = make("heatmap")
    small.show_tensor(stored(tmp_path, values[:400, :330], "narrow"))
    settle(small)
    places = small.picture.places()
    assert gap(small) == BAR_GAP and places.bar.right() < places.room.right() - 200
