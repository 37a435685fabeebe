"""Large models: many tensors, one enormous tensor, and thousands of selections that leave nothing behind."""

from __future__ import annotations

import gc
import os
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from support.build import gguf

from tensorloupe.items.arrangement import NAME
from tensorloupe.panels import unfolding
from tensorloupe.task import Task
from tensorloupe.views import VIEWS
from tensorloupe.views.layers.grid import GridView

LAYERS, ROLES = 500, 10


@pytest.fixture
def wide_file(tmp_path: Path) -> Path:
    """A GGUF of 500 layers of ten tensors."""
    values = np.linspace(-1, 1, 32, dtype="<f4").tobytes()
    tensors = [(f"blk.{n // ROLES}.role_{n % ROLES}.weight", (4, 8), 0, values) for n in range(LAYERS * ROLES)]
    path = tmp_path / "wide.gguf"
    path.write_bytes(gguf([("general.architecture", "str", "llama")], tensors))
    return path


def test_many_groups_are_opened_in_steps_and_stay_open(qtbot, opened, wide_file):
    window = opened(wide_file)
    tree = window.explorer.tree
    tree.view.expandAll()
    assert len(tree.unfolding.opened()) == LAYERS  # those that are about to be are counted
    first, last = tree.model.index(1, NAME), tree.model.index(LAYERS, NAME)
    assert tree.view.isExpanded(first) and not tree.view.isExpanded(last)
    qtbot.waitUntil(lambda: tree.view.isExpanded(tree.model.index(LAYERS, NAME)))
    tree.filter.field.setText("role_3")
    qtbot.waitUntil(lambda: tree.model.shown == LAYERS)
    tree.filter.field.clear()
    qtbot.waitUntil(lambda: tree.model.shown == LAYERS * ROLES)
    assert len(tree.unfolding.opened()) == LAYERS
    tree.view.collapseAll()
    QApplication.processEvents()
    assert tree.unfolding.opened() == set()


def test_another_file_is_shown_without_laying_out_all_its_rows_at_once(opened, wide_file):
    window = opened(wide_file)
    tree = window.explorer.tree
    asked = []
    has_children = tree.model.hasChildren
    tree.model.hasChildren = lambda index: bool(asked.append(index.row())) or has_children(index)
    tree.view.hide()  # as before the first file is there
    tree.show_outline(window.contents.outline, "ok")
    assert tree.view.currentIndex().row() == 0
    assert len(asked) < 20
    del tree.model.hasChildren


def test_a_star_opens_one_group_and_looks_at_no_other(qtbot, opened, wide_file):
    window = opened(wide_file)
    tree = window.explorer.tree
    tree.view.expandAll()
    qtbot.waitUntil(lambda: not tree.unfolding._left)
    group = tree.model.index(LAYERS // 2, NAME)
    tree.view.collapse(group)
    tree.view.setCurrentIndex(group)
    qtbot.wait(0)
    looked = []
    tree.model.hasChildren = lambda index: bool(looked.append(index.row())) or index.internalId() == 0
    qtbot.keyClick(tree.view, Qt.Key.Key_Asterisk)
    assert tree.view.isExpanded(group)
    assert len(looked) < 3 * ROLES
    del tree.model.hasChildren
    qtbot.keyClick(tree.view, Qt.Key.Key_Asterisk)
    assert tree.view.isExpanded(group)


def test_few_groups_are_opened_before_the_tree_is_laid_out_anew(qtbot, opened, wide_file):
    window = opened(wide_file)
    tree = window.explorer.tree
    tree.view.expandAll()
    qtbot.waitUntil(lambda: not tree.unfolding._left)
    tree._rearrange(lambda: tree.model.rearrange(None))
    tree.unfolding.open_all()  # costs nothing here: all of it would come at once, with the layout
    assert LAYERS - 60 < len(tree.unfolding._left) < LAYERS


def test_groups_that_take_long_are_opened_one_in_a_turn(qtbot, opened, wide_file, monkeypatch):
    window = opened(wide_file)
    tree = window.explorer.tree
    tree.view.collapseAll()
    ticks = count()
    monkeypatch.setattr(unfolding.time, "perf_counter", lambda: next(ticks) * unfolding._AT_ONCE * 0.6)
    tree.unfolding.open_all()
    monkeypatch.undo()
    assert len(tree.unfolding._left) == LAYERS - 1
    tree.unfolding.stop()


def test_what_is_seen_stays_while_groups_above_are_opened(qtbot, opened, wide_file):
    window = opened(wide_file)
    tree = window.explorer.tree
    tree.view.collapseAll()
    tree.view.verticalScrollBar().setValue(300)
    seen = tree.view.indexAt(tree.view.rect().topLeft()).data()
    tree.view.expandAll()
    qtbot.waitUntil(lambda: not tree.unfolding._left)
    assert tree.view.indexAt(tree.view.rect().topLeft()).data() == seen


def test_typing_jumps_in_a_large_tree(qtbot, opened, wide_file):
    window = opened(wide_file)
    tree = window.explorer.tree
    tree.view.setFocus()
    qtbot.keyClicks(tree.view, "blk.49")
    assert tree.view.currentIndex().data() == "blk.49"
    tree.view._typed_at = 0.0
    qtbot.keyClicks(tree.view, "nothing")
    assert tree.view.currentIndex().data() == "blk.49"


def test_an_enormous_tensor_is_shown_by_every_view(qtbot, opened, tmp_path):
    rows, columns = 1_200_000, 500
    path = tmp_path / "huge.safetensors"
    said = b'{"huge":{"dtype":"F16","shape":[%d,%d],"data_offsets":[0,%d]}}' % (rows, columns, rows * columns * 2)
    path.write_bytes(len(said).to_bytes(8, "little") + said)
    os.truncate(path, 8 + len(said) + rows * columns * 2)  # 600 million zeros that take no room
    window = opened(path)
    tensor = window.document.model.tensors["huge"]
    assert tensor.count == 600_000_000
    window.do("check_values")  # the scan in the background is another matter
    window.explorer.tree.select(tensor)
    for key in ("values", "heatmap"):
        window.do(f"view {key}")
        view = window.explorer.area.view
        qtbot.waitUntil(lambda view=view: view.stage.state == "picture", timeout=60_000)
    window.do("view values")
    window.do("goto_position")
    view = window.explorer.area.view
    view.position.setText("1199999, 499")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.model.first_row + view.cells.currentIndex().row() == rows - 1)
    assert view.cells.currentIndex().column() == columns - 1
    window.tasks.cancel_all()
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=60_000)


def test_selections_in_a_row_leave_nothing_behind(qtbot, opened, model_file):
    window = opened(model_file)
    tensors = window.contents.outline.tensors
    area = window.explorer.area

    def settle() -> None:
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        QApplication.processEvents()

    def select(times: int) -> None:
        for n in range(times):
            if n % 7 == 0:
                area.open_tab(n // 7 % len(VIEWS))
            window.explorer.tree.select(tensors[n % len(tensors)])
            QApplication.processEvents()
        area.open_tab(0)
        settle()

    window.explorer.tree.select(tensors[0])
    area.maker._pause.setInterval(1)

    def all_inside() -> bool:  # so that none comes in between the counts
        return len(tuple(area.maker)) == len(VIEWS) and all(view.window() is window for view in area.maker)

    qtbot.waitUntil(all_inside, timeout=20_000)
    select(100)
    gc.collect()
    widgets, objects = len(window.findChildren(QWidget)), len(gc.get_objects())
    select(300)
    gc.collect()
    assert len(window.findChildren(QWidget)) == widgets
    assert len(gc.get_objects()) - objects < 1_000
    assert sum(isinstance(thing, Task) for thing in gc.get_objects()) <= 6  # what each thread did last


def test_the_head_of_the_grid_asks_for_no_names_to_know_its_width(qtbot, opened, wide_file):
    window = opened(wide_file)
    qtbot.waitUntil(lambda: window.findChild(GridView) is not None, timeout=10_000)
    grid = window.findChild(GridView)
    qtbot.waitUntil(lambda: grid.grid_model.rowCount() == LAYERS)
    asked = []
    grid.grid_model.headerData = lambda section, *of: asked.append((section, *of))
    grid.down.headerDataChanged(Qt.Orientation.Vertical, 0, LAYERS - 1)  # no size that it knew holds any more
    assert grid.down.sizeHint().width() == grid.down.width()
    assert asked == []
    del grid.grid_model.headerData
