"""Small screens, large text: nothing is squeezed out, dialogs keep their buttons, rows and fields grow with the font."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from tensorloupe.files import ours
from tensorloupe.items.arrangement import NAME, SHAPE, SIZE, TYPE
from tensorloupe.panels.explorer import TREE_WIDTH
from tensorloupe.plots.legend import Legend
from tensorloupe.views import VIEWS
from tensorloupe.widgets.controls import Chip, PlainLabel
from tensorloupe.window import geometry
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.dialogs import ErrorDialog


@pytest.fixture
def twice(qapp, request):
    """The system's text at twice its size, from the start of the window."""
    usual = QApplication.font()
    large = QApplication.font()
    large.setPointSizeF(usual.pointSizeF() * 2)
    QApplication.setFont(large)
    yield
    QApplication.setFont(usual)


def test_rows_fields_and_chips_grow_with_the_font(twice, opened, qtbot):
    window = opened(ours.SAMPLE)
    tree = window.explorer.tree
    line = tree.view.fontMetrics().height()
    assert line > 26
    assert tree.view.rowHeight(tree.model.index(0, NAME)) >= line
    for field in (tree.filter.field, window.explorer.dock.search):
        assert field.height() >= line
    for field in window.findChildren(QLineEdit) + window.findChildren(QPushButton):
        if field.isVisible() and field.text():
            assert field.height() >= field.fontMetrics().height(), field


@pytest.mark.parametrize("size", [(960, 620), (1366, 768)])
def test_large_text_makes_no_window_larger_than_asked_for(twice, opened, qtbot, size):
    window = opened(ours.SAMPLE)
    window.resize(*size)
    window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
    for kind in VIEWS:
        window.do(f"view {kind.key}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        assert (window.width(), window.height()) == size, kind.key
        assert window.explorer.area.width() >= 460 and window.explorer.tree.width() >= 220


def test_columns_of_the_tree_go_one_after_the_other(opened):
    view = opened(ours.SAMPLE).explorer.tree.view
    left = []
    for width in (500, 400, 300, 190):
        view.resize(width, 400)
        view.fit_columns()
        left.append([column for column in (TYPE, SHAPE, SIZE) if not view.isColumnHidden(column)])
    assert left == [[TYPE, SHAPE, SIZE], [TYPE, SIZE], [TYPE], []]


@pytest.mark.parametrize("name", ["keys", "about", "goto_tensor", "open_address"])
def test_dialogs_keep_their_buttons_on_a_small_screen(twice, opened, name):
    window = opened(ours.SAMPLE)
    window.do(name)
    dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
    assert dialog.minimumSizeHint().width() <= 853 and dialog.minimumSizeHint().height() <= 480
    dialog.resize(min(dialog.width(), 853), min(dialog.height(), 480))
    QApplication.processEvents()
    for buttons in dialog.findChildren(QDialogButtonBox):
        assert dialog.rect().contains(buttons.geometry())
    dialog.close()


def test_the_dialog_of_an_error_fits_too(twice, qtbot, theme):
    dialog = ErrorDialog(None)
    qtbot.addWidget(dialog)
    dialog.add("x" * 500)
    dialog.show()
    dialog.resize(853, 480)
    assert (dialog.width(), dialog.height()) == (853, 480)
    assert all(dialog.rect().contains(buttons.geometry()) for buttons in dialog.findChildren(QDialogButtonBox))


def test_below_the_least_size_the_dock_folds_then_the_tree(opened):
    window = opened(ours.SAMPLE)
    window.setMinimumSize(1, 1)
    explorer = window.explorer
    window.resize(1200, 900)
    QApplication.processEvents()
    assert not explorer.dock.folded and explorer.tree.isVisible()
    window.resize(900, 560)
    QApplication.processEvents()
    assert explorer.dock.folded and explorer.tree.isVisible()
    window.resize(640, 480)
    QApplication.processEvents()
    assert explorer.tree.isHidden() and (window.width(), window.height()) == (640, 480)
    window.resize(1200, 900)
    QApplication.processEvents()
    assert explorer.tree.isVisible() and not explorer.dock.folded


def test_the_window_opens_on_a_screen_that_exists(window):
    window.settings.set("window", [90_000, 90_000, 1200, 800])
    geometry.place(window, window.settings, None)
    assert any(screen.availableGeometry().intersects(window.frameGeometry()) for screen in QApplication.screens())
    least = geometry.smallest(window)
    assert least.width() <= 960 and least.height() <= 620


def test_the_window_follows_the_systems_font_while_it_is_open(qtbot, opened, request):
    window = opened(ours.SAMPLE)
    usual, larger = QApplication.font(), QApplication.font()
    request.addfinalizer(lambda: QApplication.setFont(usual))
    larger.setPointSizeF(usual.pointSizeF() * 1.5)
    chip = window.explorer.tree.filter.findChildren(Chip)[0]
    table, name = window.explorer.dock.metadata.table, window.explorer.area.subject.name
    before = [widget.font().pointSizeF() for widget in (chip, table, name)]
    height = table.verticalHeader().defaultSectionSize()
    QApplication.setFont(larger)
    qtbot.waitUntil(lambda: chip.font().pointSizeF() > before[0])
    after = [widget.font().pointSizeF() for widget in (chip, table, name)]
    assert after == pytest.approx([size * 1.5 for size in before], rel=0.02)
    assert table.verticalHeader().defaultSectionSize() >= table.fontMetrics().height() > height * 0.8
    QApplication.setFont(usual)
    qtbot.waitUntil(lambda: chip.font().pointSizeF() == before[0])


def clipped(window) -> list[str]:
    """Words of buttons, choices and labels that do not fit the widget that shows them, elided ones aside."""
    found = []
    for widget in window.explorer.area.findChildren(QWidget):
        words = widget.currentText() if isinstance(widget, QComboBox) else getattr(widget, "text", str)()
        if not widget.isVisible() or not words or not isinstance(widget, (QAbstractButton, QComboBox, QLabel)):
            continue
        elides = (
            isinstance(widget, PlainLabel) and widget.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Preferred
        )
        if isinstance(widget, QLabel) and (widget.wordWrap() or elides):
            continue
        if widget.width() < widget.sizeHint().width() or widget.height() < widget.sizeHint().height() - 1:
            found.append(f"{type(widget).__name__} {words!r}: {widget.size()} of {widget.sizeHint()}")
    return found


@pytest.mark.parametrize("size", [(960, 620), (1366, 768)])
def test_no_words_are_cut_where_text_is_twice_as_large(twice, opened, qtbot, size):
    window = opened(ours.SAMPLE)
    window.resize(*size)
    attach(window, str(ours.SAMPLE).replace(".gguf", ".safetensors"))
    window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
    for kind in VIEWS:
        window.do(f"view {kind.key}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        qtbot.waitUntil(lambda: clipped(window) == [])  # the checks of values may say something new meanwhile
        tabs = window.explorer.area.tabs
        assert tabs.rect().contains(tabs.tabRect(tabs.currentIndex())), kind.key
        assert window.explorer.area.rect().contains(tabs.mapTo(window.explorer.area, tabs.rect().bottomRight()))


def test_icons_and_status_shapes_grow_with_the_font(twice, opened):
    window = opened(ours.SAMPLE)
    assert window.theme.scaled(14) >= 24
    assert window.explorer.area.subject.mark.width() == window.theme.scaled(14)
    assert window.explorer.area.subject._copy.iconSize().width() == window.theme.scaled(14)
    assert window.explorer.tree.view.indentation() == window.theme.scaled(16)


def test_the_grid_of_a_small_model_has_numbers_on_a_small_screen(qtbot, opened):
    window = opened(ours.SAMPLE)
    attach(window, str(ours.SAMPLE).replace(".gguf", ".safetensors"))
    window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
    qtbot.waitUntil(lambda: window.document.comparing.stage == "done" and window.tasks.idle, timeout=20_000)
    view = window.explorer.area.view
    grid, spread = view.ranking.grid.view, view.pictures.spread
    QApplication.processEvents()
    assert grid.down.defaultSectionSize() >= grid.fontMetrics().height()  # from there on a cell shows its number
    assert grid.verticalScrollBar().maximum() == 0
    assert spread.mapTo(view, spread.rect().bottomRight()).y() < view.height()  # the name of the axis is in sight


def test_the_tree_gives_way_to_the_view_and_comes_back(opened):
    window = opened(ours.SAMPLE)
    tree = window.explorer.tree
    assert tree.width() == TREE_WIDTH
    window.resize(960, 620)
    QApplication.processEvents()
    assert tree.width() == 240
    window.resize(1366, 768)
    QApplication.processEvents()
    assert tree.width() == TREE_WIDTH


def test_large_text_leaves_the_pictures_their_room(twice, opened, qtbot):
    window = opened(ours.SAMPLE)
    window.resize(1440, 900)
    window.explorer.tree.select(window.document.model.tensors["blk.1.ffn_down.weight"])
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    view = window.explorer.area.view
    assert view.body.wide is False and view.picture.width() == view.width()
    attach(window, str(ours.SAMPLE.with_suffix(".safetensors")))
    qtbot.waitUntil(lambda: window.document.comparing.stage == "done" and window.tasks.idle, timeout=20_000)
    window.do("view error")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    seen = window.explorer.area.view
    assert seen.ranking.grid.isHidden() and seen.ranking.table.width() == seen.ranking.width()


def test_what_a_histogram_shows_is_named_beside_its_axis(twice, qtbot, theme):
    over = QWidget()
    qtbot.addWidget(over)
    legends = [Legend(theme, over, right=right) for right in (True, False)]
    axis = 8 + legends[0].fontMetrics().horizontalAdvance("values per bin (log)")
    for width in (300, 520, 900):
        over.resize(width, 200)
        for legend in legends:
            legend.show_names("this file", "fresh Q4_K of the reference")
            assert legend.x() >= axis or legend.width() == 0
            assert legend.geometry().right() < width or legend.width() == 0
