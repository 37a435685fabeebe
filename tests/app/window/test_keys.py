"""The window by keys alone: Tab, F6, Esc, letters; and a wheel that changes only what has the focus."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QPlainTextEdit,
    QSlider,
    QTabBar,
    QTableView,
    QWidget,
)

from tensorloupe.files import ours
from tensorloupe.views import VIEWS
from tensorloupe.widgets import tabbing
from tensorloupe.widgets.focusring import FocusRing

PAGES = ["file", *(kind.key for kind in VIEWS)]


@pytest.fixture
def sample(qtbot, opened):
    """The sample, turned to one page."""

    def turned(page: str):
        window = opened(ours.SAMPLE)
        if page != "file":
            window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
            window.do(f"view {page}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        QApplication.processEvents()
        return window

    return turned


def round_trip(qtbot, window, key: Qt.Key, most: int = 100) -> list[QWidget]:
    """The widgets that have the focus one after the other, until the first has it again."""
    first = window.focusWidget()
    seen = [first]
    for _ in range(most):
        qtbot.keyClick(window.focusWidget(), key)
        if window.focusWidget() is first:
            return seen
        seen.append(window.focusWidget())
    raise AssertionError(f"no way back to {first}")


@pytest.mark.parametrize("page", PAGES)
def test_tab_visits_every_control_once(qtbot, sample, page):
    window = sample(page)
    window.explorer.tree.view.setFocus()
    seen = round_trip(qtbot, window, Qt.Key.Key_Tab)
    wanted = [widget for widget in window.findChildren(QWidget) if widget.isVisible() and tabbing.takes_focus(widget)]
    assert len(seen) == len(set(seen)) and set(seen) == set(wanted)
    back = round_trip(qtbot, window, Qt.Key.Key_Backtab)
    assert [seen[0], *reversed(seen[1:])] == back


def test_tab_goes_as_the_page_is_read(qtbot, sample):
    window = sample("heatmap")
    explorer = window.explorer
    explorer.tree.filter.field.setFocus()
    seen = round_trip(qtbot, window, Qt.Key.Key_Tab)
    order = [explorer.tree.filter.field, explorer.tree.view, explorer.area.tabs, explorer.area.view.picture]
    places = [seen.index(widget) for widget in (*order, explorer.dock.tabs)]
    assert places == sorted(places)


def test_tab_leaves_tables_and_readers(qtbot, sample):
    window = sample("file")
    left = 0
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QTableView | QPlainTextEdit) and widget.isVisible():
            widget.setFocus()
            qtbot.keyClick(widget, Qt.Key.Key_Tab)
            assert window.focusWidget() is not widget
            left += 1
    assert left >= 2


@pytest.mark.parametrize("page", PAGES)
def test_f6_moves_between_tree_view_and_dock(qtbot, sample, page):
    window = sample(page)
    explorer = window.explorer
    explorer.tree.view.setFocus()
    for region in (explorer.area, explorer.dock, explorer.tree, explorer.area):
        window.do("next_region")
        focus = window.focusWidget()
        assert focus is not None and region.isAncestorOf(focus) and tabbing.takes_focus(focus)


def test_f6_finds_something_in_an_empty_dock(qtbot, sample):
    window = sample("file")
    window.explorer.dock.open_tab(2)  # no findings
    window.explorer.dock.focus_inside()
    assert window.explorer.dock.isAncestorOf(window.focusWidget())


def turn(widget: QWidget, by: int) -> None:
    where = QPointF(widget.rect().center())
    event = QWheelEvent(
        where,
        QPointF(widget.mapToGlobal(widget.rect().center())),
        QPoint(),
        QPoint(0, by),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def standing(widget: QWidget) -> object:
    return widget.currentIndex() if isinstance(widget, QComboBox | QTabBar) else widget.value()  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_the_wheel_changes_only_what_has_the_focus(qtbot, sample, page):
    window = sample(page)
    window.explorer.tree.view.setFocus()
    tried = 0
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QComboBox | QTabBar | QSlider | QAbstractSpinBox) and widget.isVisible():
            before = standing(widget)
            for by in (-120, 120, 120, -120, -120):
                turn(widget, by)
                assert standing(widget) == before, widget
            tried += 1
    assert tried
    tabs = window.explorer.dock.tabs
    tabs.setFocus()
    assert tabs.hasFocus()
    turn(tabs, -120)
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


def ring_of(widget: QWidget) -> FocusRing | None:
    return widget.findChild(FocusRing, options=Qt.FindChildOption.FindDirectChildrenOnly)


@pytest.mark.parametrize("page", PAGES)
def test_where_the_focus_went_by_tab_can_be_seen(qtbot, sample, page):
    """Each stop looks different from how it looks without the focus."""
    window = sample(page)
    window.explorer.tree.view.setFocus()
    for widget in round_trip(qtbot, window, Qt.Key.Key_Tab):
        tabbing.give_focus(widget)
        QApplication.processEvents()
        focused = widget.grab().toImage()
        window.menus.setFocus()
        QApplication.processEvents()
        assert widget.grab().toImage() != focused, widget.accessibleName()


def test_the_ring_follows_the_keyboard_and_leaves_with_the_focus(qtbot, sample):
    window = sample("overview")
    tree = window.explorer.tree.view
    tree.setFocus(Qt.FocusReason.MouseFocusReason)
    assert ring_of(tree) is None or ring_of(tree).isHidden()
    qtbot.keyClick(tree, Qt.Key.Key_F6)
    for _ in range(2):
        window.do("next_region")
    assert window.focusWidget() is tree and ring_of(tree).isVisible() and ring_of(tree).rect() == tree.rect()
    ring = ring_of(tree).grab().toImage()
    accent = window.theme.color("accent")
    assert ring.pixelColor(0, 0) == accent and ring.pixelColor(1, tree.height() // 2) == accent
    window.explorer.dock.search.setFocus()
    assert ring_of(tree).isHidden()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 40))
    assert ring_of(tree).isHidden()


def test_every_action_has_a_key_of_its_own(window):
    keys = {}
    for name, action in window.actions_.by_name.items():
        assert action.shortcuts(), name
        for key in action.shortcuts():
            keys.setdefault(key.toString(), []).append(name)
    shared = {key: names for key, names in keys.items() if len(names) > 1}
    assert shared == {"Ctrl+E": ["export_list", "export_values"]}  # of what is in front: the list, or a tensor


def moved(picture, place):
    """A move of the mouse with the left button down, as the window system tells of it."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    where = QPointF(place), QPointF(picture.mapToGlobal(place))
    modifiers = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(picture, QMouseEvent(QEvent.Type.MouseMove, *where, none, left, modifiers))


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
    limits, rect = histogram.limits, picture.place(False)
    place = QPoint(round(picture.position(limits[1], False)), round(rect.top + rect.height / 2))
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=place)
    moved(picture, place - QPoint(60, 0))
    assert picture.held and picture.limits != limits
    QTest.keyClick(picture, Qt.Key.Key_Escape)
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=place - QPoint(60, 0))
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert histogram.limits == limits and histogram.by_hand is None
    QTest.keyClick(picture, Qt.Key.Key_Escape)
    assert window.explorer.tree.filter.field.text() == ""
