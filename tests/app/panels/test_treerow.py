"""Rows of the tensor tree are painted once, and from what is kept after that, until what they show is another."""

from __future__ import annotations

import pytest

from tensorloupe.panels.treerow import RowPainter


@pytest.fixture
def painted(monkeypatch):
    """What rows are painted, by the text of their first cell."""
    seen = []
    real = RowPainter._painted
    monkeypatch.setattr(RowPainter, "_painted", lambda self, row: seen.append(row.looks[0].text) or real(self, row))
    return seen


def test_rows_are_painted_once_and_anew_where_they_show_something_else(opened, model_file, painted, settled):
    window = opened(model_file)
    settled()
    tree, view = window.explorer.tree, window.explorer.tree.view
    assert "Whole file" in painted
    names = [tensor.name for tensor in window.contents.outline.tensors if tensor.name.startswith("blk.0.")][:2]
    window.select_named(names[0])
    settled()
    before = view.grab().toImage()
    view.viewport().repaint()
    painted.clear()
    view.viewport().repaint()
    assert painted == []
    window.select_named(names[1])
    settled()
    assert names[1].removeprefix("blk.0.") in painted
    assert view.grab().toImage() != before
    painted.clear()
    view.setColumnHidden(2, True)
    view.viewport().repaint()
    assert "Whole file" in painted
    painted.clear()
    window.theme.set_mode("dark")
    settled()
    view.viewport().repaint()
    assert "Whole file" in painted and tree.model.depth(view.currentIndex()) == 1


def test_images_of_rows_are_bounded(opened, model_file, settled, monkeypatch):
    monkeypatch.setattr("tensorloupe.panels.treerow.KEPT", 300_000)
    window = opened(model_file)
    settled()
    view = window.explorer.tree.view
    view.expandAll()
    settled()
    for row in range(0, view.verticalScrollBar().maximum(), 5):
        view.verticalScrollBar().setValue(row)
        view.viewport().repaint()
    images = view._painter._images
    assert images and sum(image.width() * image.height() * 4 for image in images.values()) <= 300_000
