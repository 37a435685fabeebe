"""How one value of a weight is made of several tensors, step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from support.fp8 import DOWN, squares

import weightmap
from tensorloupe.views.made.view import MadeView
from tensorloupe.window.window import Window


def test_the_block_view_shows_how_a_value_is_made(
    qtbot: QtBot, opened: Callable[..., Window], fp8_file: Path, settled: Callable[[], None]
) -> None:
    window = opened(fp8_file)
    weight, area = window.document.model.composed[DOWN], window.explorer.area
    window.explorer.tree.select(weight)
    area.open_tab(area.all_views().index("blocks"))
    settled()
    view = area.view
    assert isinstance(view, MadeView)
    view.position.setText("5, 200")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    settled()
    assert view.steps.rows == weight.explain((5, 200))
    assert np.float32(view.steps.rows[-1][1]) == weight[5, 200]
    assert [row.name for row in view.sources.rows] == [DOWN, f"{DOWN}_scale_inv"]
    view.setFocus()
    for key, at in ((Qt.Key.Key_Right, (5, 201)), (Qt.Key.Key_Down, (6, 201)), (Qt.Key.Key_PageUp, (6, 169))):
        qtbot.keyClick(view, key)
        settled()
        assert view.at == at and view.steps.rows == weight.explain(at)
    view.position.setText("500, 0")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    assert view.position.property("wrong") is True
    view.copy_values()
    assert QGuiApplication.clipboard().text().splitlines()[-1] == f"value\t{view.steps.rows[-1][1]}"
    qtbot.keyClick(view, Qt.Key.Key_Return)
    settled()
    heatmap = area.view
    assert heatmap.picture.frame.pointer == (6, 169)
    qtbot.keyClick(heatmap.picture, Qt.Key.Key_Return)
    settled()
    assert area.view is view and view.at == (6, 169)
    area.open_tab(area.all_views().index("whatif"))
    settled()
    assert "as fp8_block: the loss of quantizing again" in area.view.against.text()
    assert {row.type: row.found for row in area.view.rows}["Q8_0"] == weightmap.whatif(weight, "Q8_0")[0]


def test_a_value_of_an_expert_is_typed_with_its_axis(
    qtbot: QtBot, opened: Callable[..., Window], tmp_path: Path, settled: Callable[[], None]
) -> None:
    window = opened(squares(tmp_path / "experts" / "model.safetensors", decided=True))
    weight, area = window.document.model.composed["a.weight"], window.explorer.area
    window.explorer.tree.select(weight)
    area.open_tab(area.all_views().index("blocks"))
    settled()
    view = area.view
    assert view.position.text() == "0, 0, 0" and view.page.place.text() == "slice 0, row 0, column 0"
    for typed, at in (("1, 3, 5", (1, 3, 5)), ("2, 4", (1, 2, 4)), ("0; 7; 7", (0, 7, 7))):
        view.position.setText(typed)
        qtbot.keyClick(view.position, Qt.Key.Key_Return)
        settled()
        assert view.at == at and view.steps.rows == weight.explain(at)
        assert [spin.value() for spin in view.slices.spins] == [at[0]]
        assert view.position.text() == ", ".join(map(str, at))
    view.position.setText("2, 0, 0")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    assert view.position.property("wrong") is True and view.at == (0, 7, 7)
    for table in (view.page.steps, view.page.sources):
        assert table.verticalScrollBar().maximum() == 0  # all of it is in sight
