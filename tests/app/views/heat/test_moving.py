"""Through the heatmap by wheel, drag, keys, the small map and typed places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from support.gestures import wheel
from support.tensors import stored

from tensorloupe.views.heat.typed import position, typed_index
from tensorloupe.views.heatmap import HeatmapView


def test_the_wheel_reaches_single_values_around_the_pointer(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    at = view.picture.image_rect().center()
    place = view.picture.value_at(at)
    wheel(view.picture, 12, at)
    assert view.picture.frame.viewport.elements
    settle(view)
    found = view.picture.value_at(at)
    assert abs(found[0] - place[0]) <= 2 and abs(found[1] - place[1]) <= 3
    current = view.loading.current
    (r0, r1), (c0, c1) = current.rows, current.columns
    assert np.array_equal(current.stored, values[r0:r1, c0:c1], equal_nan=True)
    assert (r1 - r0) * (c1 - c0) < 60 * 80
    wheel(view.picture, -40, at)
    assert view.picture.frame.viewport.is_fitted
    settle(view)


def test_a_drag_moves_the_values_with_the_pointer(qtbot: QtBot, settle, view: HeatmapView) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    start = view.picture.image_rect().center()
    held = view.picture.value_at(start)
    qtbot.mousePress(view.picture, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(view.picture, (start + QPointF(45, 30)).toPoint())
    qtbot.waitUntil(lambda: view.picture.value_at(start + QPointF(45, 30)) == held)
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


def test_positions_are_typed_in_many_ways(qtbot: QtBot, view: HeatmapView) -> None:
    assert position("212, 263") == position("212 263") == position("212;263") == position("212,263") == (212, 263)
    assert position("1,024; 3") == (1024, 3)
    assert position("7") == (7,)
    assert position("a, b") is None and position("1 2 3") is None and position("") is None
    for words, wrong in (("1,000,000,000, 0", True), ("400, 1,000", False), ("1, 2, 3", True)):
        view.controls.position.setText(words)
        qtbot.keyClick(view.controls.position, Qt.Key.Key_Return)
        assert view.controls.position.property("wrong") is wrong
        assert view.picture.frame.pointer == (None if words.startswith("1,000") else (400, 1000))


def test_a_place_is_typed_with_a_number_for_each_axis_or_in_the_slice_in_view() -> None:
    experts = (8, 64, 256)
    assert typed_index("3, 2, 1", experts, (5,)) == (3, 2, 1)
    assert typed_index("2, 1", experts, (5,)) == (5, 2, 1) and typed_index("2", experts, (5,)) == (5, 2, 0)
    assert typed_index("8, 2, 1", experts, (5,)) is None and typed_index("64, 0", experts, (5,)) is None
    assert typed_index("1, 2, 3, 4", experts, (5,)) is None
    assert typed_index("7", (9,), ()) == (7,) and typed_index("0, 7", (9,), ()) == (7,)
    assert typed_index("1, 7", (9,), ()) is None and typed_index("9", (9,), ()) is None
    assert typed_index("0", (), ()) == () and typed_index("1", (), ()) is None


def test_the_small_map_has_the_shape_of_the_matrix(settle, make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    view = make("heatmap")
    shapes = {(300, 300): 1.0, (400, 200): 2.0, (100, 400): 0.25}
    for (rows, columns), ratio in shapes.items():
        view.show_tensor(stored(tmp_path, np.zeros((rows, columns), np.float32), f"{rows}.weight"))
        settle(view)
        small = view.side.map
        assert abs(small.height() / small.image_width() - ratio) < 0.02 * ratio
        view.go_to(rows - 1, columns - 1)
        settle(view)
        assert small.view_rect().right() <= small.image_width()
    view.show_tensor(stored(tmp_path, np.zeros((4000, 40), np.float32), "strip.weight"))
    settle(view)
    assert small.image_width() == small.width()  # as in the picture, a strip fills the room


def test_an_empty_tensor_shows_nothing_of_the_one_before(settle, view: HeatmapView, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    assert "rows" in view.side.view.text() and view.picture.accessibleDescription()
    view.show_tensor(stored(tmp_path, np.zeros((0, 8), np.float32), "empty.weight"))
    settle(view)
    assert view.stage.state != "picture"
    assert (view.side.view.text(), view.side.where.text(), view.picture.accessibleDescription()) == ("", "", "")
    view.show_tensor(stored(tmp_path, np.ones((1, 1), np.float32), "one.weight"))
    settle(view)
    assert "decoded\t1 value\n" in view.side.view.text() + "\n"
