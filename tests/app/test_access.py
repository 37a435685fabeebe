"""What a screen reader hears: names, roles, states as words."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractItemView, QLabel, QWidget
from support.zoo import build

from tensorloupe.files import ours
from tensorloupe.items.arrangement import STATE
from tensorloupe.plots.picture import HistogramPicture
from tensorloupe.style import accessible
from tensorloupe.style.status import WORDS
from tensorloupe.style.theme import Theme
from tensorloupe.views.numbers import Numbers

NO_ROLE = (QAccessible.Role.NoRole, QAccessible.Role.Client)


def unnamed(window: QWidget) -> list[str]:
    """What can have the focus and has no name, or no role that tells what it is; labels that could take markup."""
    accessible.install()
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        spoken = QAccessible.queryAccessibleInterface(widget)
        assert spoken is not None, widget
        name, kind = spoken.text(QAccessible.Text.Name), type(widget).__name__
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not name:
            found.append(f"{kind} has no name")
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and spoken.role() in NO_ROLE:
            found.append(f"{kind} {name!r} has no role")
        if isinstance(widget, QLabel) and widget.text() and widget.textFormat() != Qt.TextFormat.PlainText:
            found.append(f"{kind} {widget.text()!r} is not plain")
    return found


def pages(qtbot, window) -> Iterator[str]:
    """Every page of the window, one after the other."""
    area, dock = window.explorer.area, window.explorer.dock
    yield "whole file"
    for tab in range(dock.tabs.count()):
        dock.open_tab(tab)
        yield dock.tabs.tabText(tab)
    window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
    for position, key in enumerate(area.all_views()):
        area.open_tab(position)
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        yield key


def test_every_control_of_every_page_has_a_name_and_a_role(qtbot, window, opened, tmp_path):
    assert unnamed(window) == []  # the welcome page
    opened(ours.SAMPLE)
    for page in pages(qtbot, window):
        assert unnamed(window) == [], page
    (tmp_path / "zoo").mkdir()
    build(tmp_path / "zoo")
    window.sheets.check([str(tmp_path / "zoo")])
    qtbot.waitUntil(lambda: window.sheets.in_front and window.tasks.idle, timeout=20_000)
    assert [said for said in unnamed(window) if "FindingReader" not in said] == []  # an area that scrolls


def test_pictures_are_pictures_and_say_what_they_show(qtbot, opened):
    accessible.install()
    window = opened(ours.SAMPLE)
    window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
    window.do("view heatmap")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    picture = window.explorer.area.view.picture
    spoken = QAccessible.queryAccessibleInterface(picture)
    assert spoken.role() == QAccessible.Role.Graphic and spoken.text(QAccessible.Text.Name) == "Heatmap"
    picture.setFocus()
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert spoken.text(QAccessible.Text.Description)


def test_a_role_outlives_no_widget(qtbot, qapp):
    accessible.install()
    for _ in range(50):
        widget = QWidget()
        accessible.speak_as(widget, QAccessible.Role.Graphic, "")
        assert QAccessible.queryAccessibleInterface(widget).role() == QAccessible.Role.Graphic
        widget.deleteLater()


def test_pictures_are_pictures_for_a_screen_reader_that_was_there_before_them(qapp):
    accessible.install()
    QAccessible.setActive(True)
    try:
        for made in (HistogramPicture(Theme()), Numbers(Theme(), "Values")):
            assert QAccessible.queryAccessibleInterface(made).role() not in NO_ROLE, made
    finally:
        QAccessible.setActive(False)


def test_states_are_spoken_as_words_beside_what_they_are_about(qtbot, opened, cut_file):
    window = opened(cut_file)
    role = Qt.ItemDataRole.AccessibleTextRole
    tree = window.explorer.tree.model
    assert tree.index(0, STATE).data(role) == "error"
    assert {tree.index(row, STATE).data(role) for row in range(tree.rowCount())} <= set(WORDS.values())
    for tab in (2, 3):
        window.explorer.dock.open_tab(tab)
        table = next(t for t in window.explorer.dock.findChildren(QAbstractItemView) if t.isVisible())
        first = table.model().index(0, 0)
        assert first.data(role) == f"{first.data()}, error"
