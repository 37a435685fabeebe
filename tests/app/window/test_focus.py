"""The focus by keys alone: Tab through every control, F6 from region to region, a ring where it is."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QTableView,
    QWidget,
)

from tensorloupe.widgets import tabbing
from tensorloupe.widgets.focusring import FocusRing


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


def ring_of(widget: QWidget) -> FocusRing | None:
    return widget.findChild(FocusRing, options=Qt.FindChildOption.FindDirectChildrenOnly)


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
