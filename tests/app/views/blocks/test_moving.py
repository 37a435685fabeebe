"""From block to block by arrows, numbers and clicks, through tensors of any rank, and over to the heatmap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from support.tensors import in_blocks

from tensorloupe.views.blocks.view import BlocksView


def test_arrows_go_by_elements_and_pages_by_blocks(qtbot: QtBot, shown: BlocksView, settle) -> None:  # type: ignore[no-untyped-def]
    grid = shown.page.grid
    grid.setFocus()
    assert grid.per_row == 32
    for key, number, element in (
        (Qt.Key.Key_Right, 0, 1),
        (Qt.Key.Key_Down, 0, 33),
        (Qt.Key.Key_PageDown, 1, 33),
        (Qt.Key.Key_Home, 1, 0),
        (Qt.Key.Key_Left, 0, 255),
        (Qt.Key.Key_Right, 1, 0),
        (Qt.Key.Key_PageUp, 0, 0),
        (Qt.Key.Key_PageUp, 0, 0),
        (Qt.Key.Key_Left, 0, 0),
        (Qt.Key.Key_End, 0, 255),
        (Qt.Key.Key_Up, 0, 223),
    ):
        qtbot.keyClick(grid, key)
        settle(shown)
        assert (shown.at.number, shown.at.element) == (number, element)
        assert shown.page.block.index == number and grid.element == element
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.rect_of(70).center().toPoint())
    assert shown.at.element == 70 and shown.page.table.current_row() == 2
    shown.page.table.selectRow(4)
    assert shown.at.element == 128


def test_blocks_are_typed_stepped_and_clicked(qtbot: QtBot, shown: BlocksView, settle) -> None:  # type: ignore[no-untyped-def]
    shown.ask_position()
    shown.controls.number.setText("150")
    qtbot.keyClick(shown.controls.number, Qt.Key.Key_Return)
    settle(shown)
    assert shown.page.block.index == 150
    for wrong in ("160", "x"):
        shown.controls.number.setText(wrong)
        qtbot.keyClick(shown.controls.number, Qt.Key.Key_Return)
        assert shown.controls.number.property("wrong") is True and shown.at.number == 150
    qtbot.mouseClick(shown.controls.on, Qt.MouseButton.LeftButton)
    settle(shown)
    assert shown.page.block.index == 151 and shown.controls.number.text() == "151"
    room = shown.side.scales.room()
    at = QPoint(round(room.left() + room.width() * 0.6), round(room.top() + room.height() * (10.5 / 40)))
    qtbot.mouseClick(shown.side.scales, Qt.MouseButton.LeftButton, pos=at)
    settle(shown)
    assert shown.page.block.position == (10, 512)


@pytest.mark.parametrize("shape", [(256,), (1, 64), (2, 3, 4, 64), (5, 32)])
def test_tensors_of_any_rank_are_walked_to_the_end(view: BlocksView, settle, tmp_path: Path, shape) -> None:  # type: ignore[no-untyped-def]
    tensor = in_blocks(tmp_path, "Q8_0", shape)
    view.show_tensor(tensor)
    settle(view)
    last = int(np.prod(shape)) // 32 - 1
    view.go(view.at.at(last, 31))
    settle(view)
    assert view.at.index == tuple(n - 1 for n in shape)
    assert view.page.block.index == last and not view.controls.on.isEnabled()
    assert view.page.line.words.startswith("row" if len(shape) > 1 else "index")
    assert view.side.scales.picture.index == tuple(n - 1 for n in shape[:-2])
    view.jump("largest")
    settle(view)
    scales = [abs(float(tensor.block(n).scales[0])) for n in range(last + 1)]
    assert scales[view.page.block.index] == max(scales)


def test_enter_shows_the_element_in_the_heatmap(qtbot: QtBot, shown: BlocksView, settle) -> None:  # type: ignore[no-untyped-def]
    shown.go_to_element((7, 300))
    settle(shown)
    shown.page.grid.setFocus()
    with qtbot.waitSignal(shown.go_wanted) as wanted:
        qtbot.keyClick(shown.page.grid, Qt.Key.Key_Return)
    assert wanted.args == ["heatmap", (7, 300)]
