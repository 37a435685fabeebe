"""The tree as it is painted: once for each size, and in the font that is in force."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.build import safetensors

import weightmap
from tensorloupe.document import Document
from tensorloupe.files import ours
from tensorloupe.files.settings import Settings
from tensorloupe.items.arrangement import TYPE
from tensorloupe.items.outline import build_outline
from tensorloupe.panels.tree import TreePanel
from tensorloupe.panels.treeview import TreeView
from tensorloupe.style.theme import Theme

painted: list[int] = []


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TreePanel:
    """The tree of the sample, whose paintings are counted."""
    paint = TreeView.paintEvent

    def counted(self: TreeView, event: QPaintEvent) -> None:
        painted.append(event.rect().width())
        paint(self, event)

    monkeypatch.setattr(TreeView, "paintEvent", counted)
    panel = TreePanel(theme, Document(), Settings(tmp_path / "settings"))
    qtbot.addWidget(panel)
    panel.resize(460, 700)
    with weightmap.open(ours.SAMPLE) as model:
        panel.show_outline(build_outline([*model.tensors.values()], {model.path: 1}), "ok", 1)
    with qtbot.waitExposed(panel):
        panel.show()
    QApplication.processEvents()
    return panel


def test_another_width_is_painted_once_with_all_columns_in_their_place(panel: TreePanel) -> None:
    for width in (520, 480, 500):
        painted.clear()
        panel.resize(width, 700)
        for _ in range(5):
            QApplication.processEvents()
        view = panel.view
        assert painted == [view.viewport().width()]
        shown = [column for column in range(view.model().columnCount()) if not view.isColumnHidden(column)]
        assert sum(view.columnWidth(column) for column in shown) == view.viewport().width()


def test_texts_are_cut_for_the_font_in_force(panel: TreePanel, theme: Theme) -> None:
    panel.resize(300, 700)
    before = panel.view.viewport().grab().toImage()
    font = panel.view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    panel.view.setFont(font)
    assert panel.view.viewport().grab().toImage() != before
    font.setPointSizeF(font.pointSizeF() / 1.5)
    panel.view.setFont(font)
    assert panel.view.viewport().grab().toImage() == before


def test_long_names_of_types_have_room_where_the_tree_is_wide(panel: TreePanel, tmp_path: Path) -> None:
    usual = panel.view.columnWidth(TYPE)
    weights = [("w.weight", "U8", (4, 8), bytes(32))]
    (tmp_path / "m.safetensors").write_bytes(safetensors(weights))
    with weightmap.open(tmp_path / "m.safetensors") as model:
        outline = build_outline([*model.tensors.values()], {model.path: 1})
        panel.show_outline(outline._replace(types=("nvfp4-pack-quantized",)), "ok", 1)
        assert usual < panel.view.columnWidth(TYPE) <= panel.view.header().width() // 6 + 14
        panel.resize(300, 700)
        QApplication.processEvents()
        assert panel.view.columnWidth(TYPE) == usual
        panel.resize(460, 700)
        panel.show_outline(outline, "ok", 1)
        assert panel.view.columnWidth(TYPE) == usual
