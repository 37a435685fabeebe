"""What the user set stays: limits through slices and until Reset; selection, groups, filter, sort, zoom, limits on Reload."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from support.build import safetensors

from tensorloupe.items.arrangement import SIZE


@pytest.fixture
def experts_file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    tensors = [
        (f"blk.{n}.exps", "F32", (4, 40, 50), rng.normal(size=(4, 40, 50)).astype("<f4").tobytes()) for n in range(3)
    ]
    path = tmp_path / "experts.safetensors"
    path.write_bytes(safetensors(tensors))
    return path


def test_limits_stay_through_slices_until_reset(qtbot, opened, experts_file):
    window = opened(experts_file)
    window.explorer.tree.select(window.document.model.tensors["blk.1.exps"])
    window.do("view heatmap")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    view = window.explorer.area.view
    usual = view.loading.limit
    view.controls.limit.setText("1,5")
    view.controls.limit.returnPressed.emit()
    qtbot.waitUntil(lambda: view.loading.limit == 1.5)
    view.slices.spins[0].setValue(2)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert view.loading.limit == 1.5
    view.controls.reset_button.click()
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert view.loading.limit == pytest.approx(usual, rel=0.2) and view.loading.limit != 1.5


def test_reload_keeps_what_was_set(qtbot, opened, experts_file):
    window = opened(experts_file)
    tree = window.explorer.tree
    tree.view.header().setSortIndicator(SIZE, Qt.SortOrder.DescendingOrder)
    tree.filter.field.setText("exps")
    qtbot.waitUntil(lambda: window.tasks.idle)
    tree.view.expandAll()
    groups = tree.unfolding.opened()
    window.explorer.tree.select(window.document.model.tensors["blk.2.exps"])
    window.do("view heatmap")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    view = window.explorer.area.view
    view.picture.setFocus()
    for _ in range(4):
        qtbot.keyClick(view.picture, Qt.Key.Key_Plus)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    zoom, before = view.picture.frame.viewport.zoom, window.document.model
    window.do("reload")
    qtbot.waitUntil(lambda: window.document.model is not before and window.tasks.idle, timeout=20_000)
    assert window.document.selected.name == "blk.2.exps"
    assert tree.unfolding.opened() == groups and tree.filter.field.text() == "exps"
    assert tree.view.header().sortIndicatorSection() == SIZE
    assert tree.model.order == (SIZE, True)
    assert view.picture.frame.viewport.zoom == zoom
