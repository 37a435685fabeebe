"""The filter above the tree: what is typed narrows it at once, a finished term becomes a chip, Esc takes back."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from support.gestures import press


def test_the_filter_leaves_what_fits_and_says_how_much(qtbot, opened, model_file):
    window = opened(model_file)
    press(window, "Ctrl+F")
    bar = window.explorer.tree.filter
    assert window.focusWidget() is bar.field
    qtbot.keyClicks(bar.field, "attn")
    qtbot.waitUntil(lambda: window.explorer.tree.model.shown == 12)
    assert bar._count.text() == "12 of 27 shown"
    qtbot.keyClicks(bar.field, " type:f32 ")
    assert bar.field.text().strip() == "attn" or bar.field.text() == "attn type:f32 "
    press(window, "Esc")
    assert window.explorer.tree.model.shown == 27
    assert bar._count.text() == "27 shown"
    assert window.contents is not None


def test_a_filter_that_leaves_nothing_says_so_in_the_tree(opened, model_file):
    window = opened(model_file)
    tree = window.explorer.tree
    plain = tree.view.grab().toImage()
    assert not tree.model.filtered_out
    tree.filter.field.setText("nothing of this")
    assert tree.model.shown == 0 and tree.model.filtered_out
    said = tree.view.grab().toImage()
    shades = {said.pixelColor(x, y).name() for x in range(20, 400) for y in range(70, 110)}
    assert len(shades) > 2 and said != plain
    press(window, "Esc")
    assert not tree.model.filtered_out and tree.view.grab().toImage() == plain


def test_a_size_is_typed_as_it_is_written(qtbot, opened, model_file):
    window = opened(model_file)
    bar = window.explorer.tree.filter
    bar.field.setFocus()
    QTest.keyClicks(bar.field, "> 0,1 kB ")
    assert [term.text for term in bar.terms] == ["size > 0,1 kB"] and bar.field.text() == ""
    assert window.explorer.tree.model.shown == 1
    QTest.keyClick(bar.field, Qt.Key.Key_Backspace)
    QTest.keyClicks(bar.field, "< 20 attn ")
    assert [(term.text, term.nbytes) for term in bar.terms] == [("size < 20 B", 20.0), ("attn", 0.0)]


def test_a_finished_term_becomes_a_chip_that_can_be_taken_away(qtbot, opened, model_file):
    window = opened(model_file)
    bar = window.explorer.tree.filter
    qtbot.keyClicks(bar.field, "size>100")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.field.text() == "" and bar._chips[0].text() == "size > 100 B"
    assert window.explorer.tree.model.shown == 1
    bar._chips[0].click()
    assert window.explorer.tree.model.shown == 27 and bar.terms == ()


def test_esc_clears_the_search_that_has_the_focus_before_the_filter(qtbot, opened, model_file):
    window = opened(model_file)
    field, search = window.explorer.tree.filter.field, window.explorer.dock.search
    field.setText("attn")
    search.setFocus()
    QTest.keyClicks(search, "toy")
    qtbot.waitUntil(lambda: len(window.explorer.dock.metadata.model.rows) == 2 and window.tasks.idle)
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert (search.text(), field.text()) == ("", "attn")
    qtbot.waitUntil(lambda: len(window.explorer.dock.metadata.model.rows) == 6)
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert field.text() == ""
