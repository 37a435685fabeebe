"""The scales of the whole tensor beside its block: their picture, their health, one row for each expert."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from support.sections import read
from support.tensors import in_blocks

import weightmap
from tensorloupe.items.subblocks import SCALE
from tensorloupe.style.colormaps import NAN, size_map
from tensorloupe.views.blocks.scaling import survey
from tensorloupe.views.blocks.view import BlocksView


def test_the_scales_of_the_whole_tensor_are_a_picture(shown: BlocksView, tensor: weightmap.Tensor) -> None:
    picture = shown.side.scales.picture
    scales = np.stack([tensor.block(n).scales for n in range(160)]).reshape(40, 32)
    assert np.array_equal(picture.cells, scales)
    assert picture.largest == float(np.abs(scales).max())
    image = picture.image(False)
    row, sub = np.unravel_index(np.abs(scales).argmax(), scales.shape)
    assert image.pixelColor(int(sub), int(row)) == QColor(*size_map(False)[255].tolist())
    shown.side.which.choose(1)


def test_health_counts_what_is_broken_and_leads_there(qtbot: QtBot, view: BlocksView, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tensor = in_blocks(tmp_path, "Q8_0", (16, 256), {17: np.nan, 90: np.inf, 40: 0.0, 77: 60000.0})
    view.show_tensor(tensor)
    settle(view)
    rows = read(view.side.numbers)
    assert (
        rows["blocks"] == "128" and rows["blocks with a NaN scale"] == "1" and rows["blocks with an Inf scale"] == "1"
    )
    assert view.side.numbers.sections[0].mark == "broken"
    named = [action.text() for action in view.controls.menu.actions() if action.text().startswith("Block ")]
    assert named == ["Block 17: 2, from column 32", "Block 90: 11, from column 64"]
    view.page.grid.setFocus()
    for key, modifier, expected in (
        (Qt.Key.Key_N, Qt.KeyboardModifier.NoModifier, 17),
        (Qt.Key.Key_N, Qt.KeyboardModifier.NoModifier, 90),
        (Qt.Key.Key_N, Qt.KeyboardModifier.NoModifier, 17),
        (Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier, 90),
    ):
        qtbot.keyClick(view.page.grid, key, modifier)
        settle(view)
        assert view.page.block.index == expected
    assert "NaN" in view.page.sub_head.words.whole
    table = view.page.table.table
    assert table.look(table.index(0, SCALE)).tone == "error"
    assert view.side.scales.picture.image(False).pixelColor(1, 2) == QColor(*NAN)
    view.jump("largest")
    settle(view)
    assert view.page.block.index == 77
    view.jump("smallest")
    settle(view)
    assert view.page.block.scales[0] == 0


def test_a_survey_finds_minima_that_are_no_numbers_in_slices(tmp_path: Path) -> None:
    tensor = in_blocks(tmp_path, "Q4_1", (3, 4, 64))
    path = Path(tensor.path)
    data = bytearray(path.read_bytes())
    data[tensor.offset + 13 * 20 + 2 : tensor.offset + 13 * 20 + 4] = np.float16(np.nan).tobytes()
    path.write_bytes(bytes(data))
    found = survey(weightmap.open(path).tensors["w"], lambda done, total: True)
    scales = np.abs([weightmap.open(path).tensors["w"].block(n).scales[0] for n in range(24)])
    assert found.broken == (13,)
    assert found.largest == int(scales.argmax()) and scales[found.smallest] == scales.min()
    with pytest.raises(weightmap.Cancelled):
        survey(tensor, lambda done, total: False)


def test_experts_have_rows_of_their_own(qtbot: QtBot, view: BlocksView, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tensor = in_blocks(tmp_path, "Q8_0", (4, 8, 64), {2 * 16 + 5: np.nan})
    view.show_tensor(tensor)
    settle(view)
    table = view.side.experts.table
    assert [row.expert for row in table.rows] == [0, 1, 2, 3]
    assert [table.cell(row, 1) for row in table.rows] == ["0", "0", "1", "0"]
    view.side.experts.selectRow(2)
    settle(view)
    assert view.page.block.position[:1] == (2,) and view.side.scales.picture.index == (2,)
    assert [spin.value() for spin in view.slices.spins] == [2]
    view.slices.spins[0].setValue(3)
    settle(view)
    assert view.page.block.position[:1] == (3,) and view.side.scales.picture.index == (3,)


def test_cancelled_looks_can_be_taken_up_again(qtbot: QtBot, view: BlocksView, settle, tensor, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from tensorloupe.views.blocks import knowing

    def slow(tensor, index, which, progress):  # type: ignore[no-untyped-def]
        while progress(0, 1):
            pass
        raise weightmap.Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(knowing, "scale_picture", slow)
        view.show_tensor(tensor)
        qtbot.waitUntil(lambda: view.page.block is not None, timeout=10_000)
        view.context.tasks.cancel_all()
        assert view.side.state.text() == "Cancelled." and not view.side.resume.isHidden()
    qtbot.mouseClick(view.side.resume, Qt.MouseButton.LeftButton)
    settle(view)
    assert view.side.resume.isHidden() and view.side.numbers.sections
