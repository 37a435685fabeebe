"""The grid of layers on the page of the whole file: shown by itself, coloured by what is chosen, a click goes there."""

from __future__ import annotations

import threading
import time

import pytest
from PySide6.QtCore import Qt
from support.build import safetensors

from tensorloupe.views.layers.grid import READABLE
from tensorloupe.window import layers as window_layers
from tensorloupe.window.layers import SLOT, LayersKeeper


@pytest.fixture
def panel(qtbot, opened, model_file):
    window = opened(model_file)
    qtbot.waitUntil(lambda: window.findChild(LayersKeeper) is not None and window.tasks.idle, timeout=20_000)
    return window.findChild(LayersKeeper).panel


def place_of(panel, name):
    row, column = panel.model.grid.rows.index(name), panel.model.grid.columns.index("attn_q")
    return panel.model.index(row, column)


def test_a_click_goes_to_the_tensor_and_keys_only_move(qtbot, panel):
    window, view = panel.window(), panel.view
    assert panel.isVisible() and view.verticalScrollBar().maximum() == 0
    assert panel.model.grid.rows[:3] == ("blk.0", "blk.1", "blk.2")
    view.setCurrentIndex(place_of(panel, "blk.2"))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert window.document.selected is None and view.currentIndex() == place_of(panel, "blk.3")
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert window.document.selected.name == "blk.3.attn_q.weight"
    window.do("whole_file")
    view.scrollTo(place_of(panel, "blk.10"))
    window.explorer.area.file_page.ensureWidgetVisible(view)
    at = view.visualRect(place_of(panel, "blk.10")).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert window.document.selected.name == "blk.10.attn_q.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_every_cell_has_its_number_where_there_is_room(qtbot, panel):
    window, view, names = panel.window(), panel.view, panel.model.grid.columns
    window.resize(1900, 900)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    widths = {view.columnWidth(column) for column in range(len(names))}
    assert len(widths) == 1 and widths.pop() >= READABLE
    longest = max(view.across.fontMetrics().horizontalAdvance(name) for name in names)
    upright = longest + 8 <= view.columnWidth(0)
    assert view.across.sizeHint().height() < 2 * view.across.fontMetrics().height() if upright else True
    assert view.height() <= view.across.height() + view.verticalHeader().length() + 12  # no gap below the rows


def test_a_tensor_outside_of_layers_is_drawn_across_all_roles(qtbot, panel):
    window, view, grid = panel.window(), panel.view, panel.model.grid
    lone = range(len(grid.rows) - grid.lone, len(grid.rows))
    assert lone and len(grid.columns) > 1
    assert {view.columnSpan(row, 0) for row in lone} == {len(grid.columns)}
    assert {view.columnSpan(row, 0) for row in range(lone.start)} == {1}
    window.explorer.area.file_page.ensureWidgetVisible(view)
    last = panel.model.index(lone[0], 0)
    view.scrollTo(last)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(last).center())
    assert window.document.selected.name.removesuffix(".weight") == grid.rows[lone[0]]
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_values_are_read_when_a_measure_of_them_is_chosen(qtbot, panel):
    window, cell = panel.window(), place_of(panel, "blk.0")
    assert panel.model.layers.found == {} and cell.data() == "32.00"
    panel.colourings.choose(panel.colourings.findData("largest"))
    qtbot.waitUntil(lambda: window.tasks.idle and len(panel.model.layers.found) == len(panel.model.layers.numbers))
    qtbot.waitUntil(lambda: cell.data() == "15")
    assert panel.legend.accessibleName() == "Colours from 3 to 31"


def test_another_model_takes_the_grid_with_it(qtbot, panel, other_file):
    window = panel.window()
    window.open_paths([str(other_file)])
    qtbot.waitUntil(lambda: panel.model.layers is None)
    qtbot.wait(600)
    qtbot.waitUntil(lambda: window.tasks.idle)
    assert panel.isHidden() and not window.tasks.running(SLOT)  # that one has no layers


def test_what_is_found_while_layers_are_laid_out_does_not_keep_the_grid_away(panel):
    window, layers = panel.window(), panel.model.layers
    before = window.contents
    panel.show_layers(None)
    window.contents = before._replace(findings=(*before.findings,))
    window.findChild(LayersKeeper).show(before, layers)
    assert panel.model.layers is layers and not panel.isHidden()


def test_values_are_read_no_further_once_another_model_is_open(qtbot, panel, other_file, monkeypatch):
    window, begun, ended = panel.window(), threading.Event(), threading.Event()

    def endless(weights, found, progress):
        begun.set()
        until = time.monotonic() + 10
        while progress(0, 1) is not False and time.monotonic() < until:
            time.sleep(0.002)
        ended.set()

    monkeypatch.setattr(window_layers, "read", endless)
    panel.colourings.choose(panel.colourings.findData("largest"))
    assert begun.wait(5) and window.tasks.running(SLOT)
    window.open_paths([str(other_file)])
    qtbot.waitUntil(lambda: panel.model.layers is None and not window.tasks.running(SLOT))
    assert ended.wait(5)


def test_long_roles_of_few_layers_are_told_apart(qtbot, opened, tmp_path):
    roles = ("mlp.experts_of_all.up_proj", "mlp.experts_of_all.gate_proj")
    tensors = [(f"model.layers.0.{role}.weight", "F32", (4, 4), bytes(64)) for role in roles]
    path = tmp_path / "few.safetensors"
    path.write_bytes(safetensors(tensors))
    window = opened(path)
    qtbot.waitUntil(lambda: window.findChild(LayersKeeper) is not None and window.tasks.idle, timeout=20_000)
    across = window.findChild(LayersKeeper).panel.view.across
    metrics = across.fontMetrics()
    assert all(metrics.horizontalAdvance(role) < across.sectionSize(0) for role in roles)  # in full, as there is room
    window.findChild(LayersKeeper).panel.view.setFixedWidth(240)
    shown = {metrics.elidedText(role, Qt.TextElideMode.ElideMiddle, across.sizeHint().height() - 6) for role in roles}
    assert len(shown) == 2 and across.sizeHint().height() >= 6 * metrics.height()
