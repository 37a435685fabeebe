"""Keys and the wheel act on what has the focus: letters in a picture, Esc on what is under way, places typed."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QSlider, QTabBar, QWidget
from support.gestures import wheel


def standing(widget: QWidget) -> object:
    return widget.currentIndex() if isinstance(widget, QComboBox | QTabBar) else widget.value()  # type: ignore[attr-defined]


def moved(picture, place):
    """A move of the mouse with the left button down, as the window system tells of it."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    where = QPointF(place), QPointF(picture.mapToGlobal(place))
    modifiers = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(picture, QMouseEvent(QEvent.Type.MouseMove, *where, none, left, modifiers))


def test_every_action_has_a_key_of_its_own(window):
    keys = {}
    for name, action in window.actions_.by_name.items():
        assert action.shortcuts(), name
        for key in action.shortcuts():
            keys.setdefault(key.toString(), []).append(name)
    shared = {key: names for key, names in keys.items() if len(names) > 1}
    assert shared == {"Ctrl+E": ["export_list", "export_values"]}  # of what is in front: the list, or a tensor


def test_the_wheel_changes_only_what_has_the_focus(qtbot, sample, page):
    window = sample(page)
    window.explorer.tree.view.setFocus()
    tried = 0
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QComboBox | QTabBar | QSlider | QAbstractSpinBox) and widget.isVisible():
            before = standing(widget)
            for by in (-1, 1, 1, -1, -1):
                wheel(widget, by)
                assert standing(widget) == before, widget
            tried += 1
    assert tried
    tabs = window.explorer.dock.tabs
    tabs.setFocus()
    assert tabs.hasFocus()
    wheel(tabs, -1)
    assert tabs.currentIndex() == 1


def test_letters_act_only_in_the_picture(qtbot, sample):
    window = sample("heatmap")
    view = window.explorer.area.view
    before = view.picture.frame.viewport
    for widget in (window.explorer.tree.view, window.explorer.tree.filter.field, window.explorer.area.tabs):
        widget.setFocus()
        for key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Home, Qt.Key.Key_N):
            qtbot.keyClick(widget, key)
        assert view.picture.frame.viewport == before
    window.explorer.tree.filter.field.clear()
    window.do("view heatmap")
    view.picture.setFocus()
    qtbot.keyClick(view.picture, Qt.Key.Key_Plus)
    assert view.picture.frame.viewport != before
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_esc_cancels_then_clears_the_filter_then_does_nothing(qtbot, sample):
    import threading

    window = sample("file")
    window.explorer.tree.filter.field.setText("ffn")
    qtbot.waitUntil(lambda: window.explorer.tree.model.shown < 37)
    go, cancelled = threading.Event(), []
    window.tasks.start("slow", "Slow", lambda _: go.wait(5), lambda _: None, cancelled=lambda: cancelled.append(1))
    window.do("cancel")
    go.set()
    assert cancelled == [1] and window.explorer.tree.filter.field.text() == "ffn"
    window.do("cancel")
    assert window.explorer.tree.filter.field.text() == "" and window.explorer.tree.model.shown == 37
    for _ in range(5):
        window.do("cancel")
    assert window.isVisible() and window.document.model is not None
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_esc_gives_back_what_is_dragged_before_it_clears_the_filter(qtbot, sample):
    window = sample("heatmap")
    window.explorer.tree.filter.field.setText("weight")
    picture = window.explorer.area.view.picture
    picture.zoom(20)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    before, place = picture.frame.viewport, picture.image_rect().center().toPoint()
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=place)
    moved(picture, place + QPoint(40, 30))
    assert picture.frame.viewport != before
    QTest.keyClick(picture, Qt.Key.Key_Escape)
    assert picture.frame.viewport == before and not picture.held
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert window.explorer.tree.filter.field.text() == "weight"
    window.do("view overview")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    histogram, picture = window.explorer.area.view.histogram, window.explorer.area.view.picture
    limits, outside, rect = histogram.limits, histogram.outside, picture.place(False)
    place = QPoint(round(picture.position(limits[1], False)), round(rect.top + rect.height / 2))
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=place)
    moved(picture, place - QPoint(60, 0))
    assert picture.held and picture.limits != limits
    QTest.keyClick(picture, Qt.Key.Key_Escape)
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=place - QPoint(60, 0))
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert histogram.limits == limits and histogram.by_hand is None
    assert histogram.outside == outside  # as it was counted, not as the bars tell
    QTest.keyClick(picture, Qt.Key.Key_Escape)
    assert window.explorer.tree.filter.field.text() == ""


def test_copy_takes_the_values_that_are_selected(qtbot, sample):
    window = sample("values")
    view = window.explorer.area.view
    view.cells.setFocus()
    view.cells.setCurrentIndex(view.model.index(0, 0))
    qtbot.keyClick(view.cells, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QApplication.clipboard().clear()
    window.do("copy")
    qtbot.waitUntil(lambda: bool(QApplication.clipboard().text()), timeout=20_000)
    values = window.document.selected[0:1, 0:2]
    copied = QApplication.clipboard().text().split("\t")
    assert [np.float32(text) for text in copied] == list(values.ravel())


@pytest.mark.parametrize("page", ["heatmap", "values"])
@pytest.mark.parametrize("typed", ["99999999999,5", f"{2**70}, 0", "-1,-1", "x", "1e400"])
def test_no_place_that_can_be_typed_is_too_far(qtbot, sample, page, typed):
    window = sample(page)
    view = window.explorer.area.view
    field = view.controls.position if page == "heatmap" else view.position
    field.setText(typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert view.stage.state == "picture"
