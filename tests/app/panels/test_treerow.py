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


def test_rows_are_painted_anew_in_another_font_inset_or_scale(opened, model_file, painted, settled, monkeypatch):
    window = opened(model_file)
    settled()
    view = window.explorer.tree.view
    font = view.font()
    font.setPointSizeF(font.pointSizeF() + 1)
    for change in (
        lambda: view.setFont(font),
        lambda: view.setIndentation(view.indentation() + 1),
        lambda: monkeypatch.setattr(view, "devicePixelRatioF", lambda: 2.0),
    ):
        view.viewport().repaint()
        painted.clear()
        change()
        view.viewport().repaint()
        assert "Whole file" in painted
    image = next(iter(view._painter._images.values()))
    assert image.devicePixelRatio() == 2 and image.width() == 2 * view.header().width()


def test_a_group_has_the_mark_of_its_state_and_what_is_inside_is_inset(opened, model_file, settled, monkeypatch):
    rows = set()
    real = RowPainter._painted

    def painted(self, row):
        rows.add((row.looks[0].text, row.branch, row.depth))
        return real(self, row)

    monkeypatch.setattr(RowPainter, "_painted", painted)
    window = opened(model_file)
    settled()
    view, model = window.explorer.tree.view, window.explorer.tree.model
    group = next(model.index(at, 0) for at in range(1, model.rowCount()) if model.hasChildren(model.index(at, 0)))
    view.collapse(group)
    view.scrollTo(group, view.ScrollHint.PositionAtTop)
    view.viewport().repaint()
    assert rows >= {("Whole file", "file", 0), (group.data(), "right", 0)}
    view.expand(group)
    view.viewport().repaint()
    assert rows >= {(group.data(), "down", 0), (model.index(0, 0, group).data(), "", 1)}
