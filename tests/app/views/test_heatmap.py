from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.build import gguf
from support.tensors import stored

import weightmap
from tensorloupe.plots.shade import color_of
from tensorloupe.style.colormaps import value_map
from tensorloupe.views.heat.controls import position
from tensorloupe.views.heatmap import HeatmapView

Q8_0 = 8


def wheel(view: HeatmapView, at: QPointF, notches: int) -> None:
    point = QPointF(view.picture.mapToGlobal(at.toPoint()))
    no = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    for _ in range(abs(notches)):
        turned = QPoint(0, 120 if notches > 0 else -120)
        event = QWheelEvent(at, point, QPoint(), turned, Qt.MouseButton.NoButton, *no, False)
        QApplication.sendEvent(view.picture, event)


def rows(view: HeatmapView) -> dict[str, str]:
    return {row.label: row.value for section in view.side.where.sections for row in section.rows}


@pytest.fixture
def values() -> np.ndarray:
    made = np.random.default_rng(11).normal(size=(900, 2000)).astype(np.float32)
    made[700, 1500] = np.nan
    made[10, 20] = -np.inf
    return made


@pytest.fixture
def view(make, settle, tmp_path: Path, values: np.ndarray) -> HeatmapView:  # type: ignore[no-untyped-def]
    made = make("heatmap")
    made.show_tensor(stored(tmp_path, values, "blk.0.$x$.weight"))
    settle(made)
    return made


def test_it_begins_with_the_whole_tensor_and_says_what_a_pixel_is(view: HeatmapView, values: np.ndarray) -> None:
    frame = view.picture.frame
    assert frame.viewport.is_fitted and view.stage.state == "picture"
    assert "one pixel" in {row.label for row in view.side.view.sections[0].rows}
    beyond = frame.beyond
    finite = values[np.isfinite(values)]
    assert (beyond.below, beyond.above) == (int((finite < -beyond.limit).sum()), int((finite > beyond.limit).sum()))
    assert (beyond.nan, beyond.inf, beyond.total) == (1, 1, values.size)


def test_the_wheel_reaches_single_values_around_the_pointer(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    at = view.picture.image_rect().center()
    place = view.picture.value_at(at)
    wheel(view, at, 12)
    assert view.picture.frame.viewport.elements
    settle(view)
    found = view.picture.value_at(at)
    assert abs(found[0] - place[0]) <= 2 and abs(found[1] - place[1]) <= 3
    current = view.loading.current
    (r0, r1), (c0, c1) = current.rows, current.columns
    assert np.array_equal(current.stored, values[r0:r1, c0:c1], equal_nan=True)
    assert (r1 - r0) * (c1 - c0) < 60 * 80
    wheel(view, at, -40)
    assert view.picture.frame.viewport.is_fitted
    settle(view)


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
    assert rows(view)["row, column"] == "212, 263"
    assert rows(view)["byte offset"] == f"{view.tensor.offset + 4 * (212 * 2000 + 263):,}"
    view.picture.point_at(213, 260)
    assert np.float32(view.side.head._reading.exact) == values[213, 260]


def test_blocks_are_named_and_bordered(make, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    blocks = np.zeros((64 * 8, 34), np.uint8)
    blocks[:, :2] = np.array([0.01], np.float16).view(np.uint8)
    blocks[:, 2:] = rng.integers(0, 256, (512, 32))
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=[("q", (64, 256), Q8_0, blocks.tobytes())]))
    tensor = weightmap.open(str(tmp_path / "q.gguf")).tensors["q"]
    view = make("heatmap")
    view.show_tensor(tensor)
    view.go_to(9, 70)
    settle(view)
    shown = rows(view)
    block, offset = tensor.locate((9, 70))
    assert shown["block"] == str(block) and shown["value in the block"] == "6"
    assert shown["block at byte"] == f"{offset:,}"
    assert np.float32(view.side.head._reading.exact) == tensor.array()[9, 70]
    image, frame = view.picture.grab().toImage(), view.picture.frame
    y = round(view.picture.image_rect().top() + 5)
    x = round(view.picture.image_rect().left() + frame.viewport.columns.at(64))
    assert image.pixelColor(x, y) == QColor(frame.colors.text)
    view.controls.borders.setChecked(False)
    assert view.picture.grab().toImage().pixelColor(x, y) != QColor(frame.colors.text)
    decoded = {row.label: row for row in view.side.view.sections[0].rows}["decoded"]
    assert decoded.after == "of 512"


def test_a_drag_moves_the_values_with_the_pointer(qtbot: QtBot, settle, view: HeatmapView) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    start = view.picture.image_rect().center()
    held = view.picture.value_at(start)
    qtbot.mousePress(view.picture, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(view.picture, (start + QPointF(45, 30)).toPoint())
    assert view.picture.value_at(start + QPointF(45, 30)) == held
    qtbot.mouseRelease(view.picture, Qt.MouseButton.LeftButton, pos=(start + QPointF(45, 30)).toPoint())
    settle(view)
    assert view.loading.current.request.viewport == view.picture.frame.viewport


def test_keys_move_zoom_fit_and_find(qtbot: QtBot, settle, view: HeatmapView) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    picture = view.picture
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    qtbot.keyClick(picture, Qt.Key.Key_Down)
    assert picture.frame.pointer == (401, 1001)
    qtbot.keyClick(picture, Qt.Key.Key_PageDown)
    assert picture.frame.pointer == (433, 1001)
    qtbot.keyClick(picture, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert picture.frame.pointer == (433, 969)
    scale = picture.frame.viewport.zoom
    qtbot.keyClick(picture, Qt.Key.Key_Plus)
    assert picture.frame.viewport.zoom > scale
    qtbot.keyClick(picture, Qt.Key.Key_Minus)
    assert picture.frame.viewport.zoom <= scale + 1
    qtbot.keyClick(picture, Qt.Key.Key_N)
    settle(view)
    assert picture.frame.pointer == (700, 1500)
    assert view.side.head._reading.text == "NaN"
    x, y = (picture.image_rect().left(), picture.image_rect().top())
    axis_x, axis_y = picture.frame.viewport.columns, picture.frame.viewport.rows
    middle = QPoint(round(x + axis_x.at(1500) + 3), round(y + axis_y.at(700) + axis_y.scale / 2))
    assert picture.grab().toImage().pixelColor(middle) == QColor("#60ff00")
    qtbot.keyClick(picture, Qt.Key.Key_N)
    settle(view)
    assert picture.frame.pointer == (10, 20)
    qtbot.keyClick(picture, Qt.Key.Key_Home)
    assert picture.frame.viewport.is_fitted
    settle(view)


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
    assert rows(view)["slice"] == "2, 1"
    view.show_tensor(stored(tmp_path, values[0, 0]))
    settle(view)
    assert view.slices.isHidden() and view.loading.by_hand is None


def test_the_map_moves_the_view(qtbot: QtBot, settle, view: HeatmapView) -> None:  # type: ignore[no-untyped-def]
    view.go_to(100, 100)
    settle(view)
    small = view.side.map
    qtbot.mouseClick(small, Qt.MouseButton.LeftButton, pos=QPoint(small.width() - 20, small.height() - 20))
    seen = view.picture.frame.viewport
    assert seen.rows.window[0] > 600 and seen.columns.window[0] > 1500
    settle(view)


def test_the_same_tensor_again_keeps_zoom_and_place(
    settle, view: HeatmapView, tmp_path: Path, values: np.ndarray
) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    before = view.picture.frame.viewport
    view.show_tensor(stored(tmp_path, values, "blk.0.$x$.weight"))
    settle(view)
    assert view.picture.frame.viewport == before and view.picture.frame.pointer == (400, 1000)
    view.show_tensor(stored(tmp_path, values, "another"))
    settle(view)
    assert view.picture.frame.viewport.is_fitted


def test_positions_are_typed_in_many_ways(view: HeatmapView) -> None:
    assert position("212, 263") == position("212 263") == position("212;263") == position("212,263") == (212, 263)
    assert position("1,024; 3") == (1024, 3)
    assert position("7") == (7, 0)
    assert position("a, b") is None and position("1 2 3") is None and position("") is None
    view.go_to(10**9, 0)
    assert view.controls.position.property("wrong") is True


def test_pictures_are_saved(qtbot: QtBot, settle, view: HeatmapView, tmp_path: Path, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.context.theme.set_mode("dark")
    view.refresh_theme()
    view.go_to(400, 1000)
    settle(view)
    for ending in ("png", "svg"):
        with qtbot.waitSignal(view.picture_saved, timeout=20_000) as saved:
            view.save_picture(str(tmp_path / f"x.{ending}"))
        assert saved.args[1] is None
    image = QImage(str(tmp_path / "x.png"))
    assert image.width() == 2 * view.picture.width()
    assert image.pixelColor(2, 2) == QColor("#ffffff")
    text = (tmp_path / "x.svg").read_text()
    assert "blk.0.$x$.weight" in text and "data:image/png;base64" in text and "900 × 2,000" in text
    for ending in ("png", "svg"):
        with qtbot.waitSignal(view.picture_saved, timeout=20_000) as saved:
            view.save_picture(str(tmp_path / "no such folder" / f"x.{ending}"))
        assert isinstance(saved.args[1], OSError)


def test_the_values_in_view_go_to_the_clipboard(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    view.copy_values()
    settle(view)
    current = view.loading.current
    (r0, r1), (c0, c1) = current.rows, current.columns
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == r1 - r0
    assert np.array_equal(np.array(lines[0].split("\t"), np.float32), values[r0, c0:c1])


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
