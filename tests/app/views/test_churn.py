"""Many selections in a row leave nothing behind: no widgets, no tasks, no picture of another tensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QObject
from support.tensors import stored

from tensorloupe.views import ViewContext


@pytest.mark.parametrize("key", ["overview", "heatmap", "values"])
def test_selections_leave_nothing_behind(make, settle, tmp_path: Path, context: ViewContext, key: str) -> None:  # type: ignore[no-untyped-def]
    flat = [stored(tmp_path, np.random.default_rng(n).normal(size=(60, 70)).astype(np.float32)) for n in range(4)]
    deep = stored(tmp_path, np.ones((3, 2, 8, 9), np.float32))
    view = make(key)
    for tensor in (*flat, deep, flat[0]):
        view.show_tensor(tensor)
        settle(view)
    before = len(view.findChildren(QObject))
    for turn in range(150):
        view.show_tensor((*flat, deep, None)[turn % 6])
        QCoreApplication.processEvents()
    view.show_tensor(flat[0])
    settle(view)
    assert len(view.findChildren(QObject)) == before
    assert view.tensor is flat[0] and view.stage.state == "picture"
    assert not context.tasks.running()


def test_coming_back_to_a_view_shows_it_without_reading_again(make, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tensor = stored(tmp_path, np.random.default_rng(0).normal(size=(60, 70)).astype(np.float32))
    overview, heatmap = make("overview"), make("heatmap")
    for view in (overview, heatmap):
        view.show_tensor(tensor)
        settle(view)
    counted, current = overview.counted, heatmap.loading.current
    for view in (overview, heatmap):
        view.cancel()
        view.show_tensor(tensor)
        settle(view)
        assert view.stage.state == "picture"
    assert overview.counted is counted and heatmap.loading.current is current
