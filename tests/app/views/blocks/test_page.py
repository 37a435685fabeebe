"""The page of one block: every number that it shows is what the block holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot
from support.tensors import KINDS, in_blocks

import weightmap
from tensorloupe.items.subblocks import MIN_CODE, MINIMUM, SCALE_CODE
from tensorloupe.views import exact
from tensorloupe.views.blocks.places import Place
from tensorloupe.views.blocks.view import BlocksView
from tensorloupe.views.blocks.words import code_texts, formula, place, significant


def test_a_block_is_shown_as_the_loader_takes_it_apart(shown: BlocksView, settle, tensor: weightmap.Tensor) -> None:  # type: ignore[no-untyped-def]
    shown.go_to_element((21, 700))
    settle(shown)
    block = tensor.block(86)
    assert shown.at == Place((40, 1024), 256, 86, 700 - 512)
    assert shown.controls.number.text() == "86" and shown.controls.of.text() == "of 160"
    assert shown.controls.place.text() == "row 21, columns 512 – 767" == place(block)
    rows = shown.page.table.table.rows
    assert [row.scale for row in rows] == block.scales.tolist()
    assert [row.minimum_code for row in rows] == block.minimum_codes.tolist()
    assert rows[5].first == 512 + 160 and shown.page.table.current_row() == (700 - 512) // 32
    assert shown.page.bytes.accessibleDescription() == bytes(block.bytes).hex(" ")
    assert shown.page.line.words.endswith(f"= {exact.shown(block.values[188])}")
    assert shown.page.bytes_head.words.whole == f"144 at {block.offset:,}"
    assert shown.page.bytes._framed == {*block.bytes_of(188), *block.bytes_of_group(5)}


def test_the_formula_has_the_numbers_of_the_block(tensor: weightmap.Tensor) -> None:
    block = tensor.block(3)
    terms = block.terms(40)
    worked = formula(block, 40)
    assert f"× {terms['sc']} × {terms['code']} −" in worked and worked.endswith(f"× {terms['mn']}")
    value = eval(worked.replace("×", "*").replace("−", "-"), {})
    assert value == pytest.approx(float(block.values[40]), rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("name", [kind.name for kind in KINDS.values() if kind.coded and kind.id is not None])
def test_every_type_with_codes_is_drawn(name: str, view: BlocksView, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tensor = in_blocks(tmp_path, name, (8, 512))
    view.show_tensor(tensor)
    settle(view)
    view.go(view.at.at(1))
    settle(view)
    block = tensor.block(1)
    texts, notation = code_texts(block)
    assert len(texts) == tensor.type.elements // tensor.type.code_elements
    assert [
        int(t.replace("\u2212", "-"), 10 if notation[-7:] == "decimal" and "hexa" not in notation else 16)
        for t in texts
    ] == (block.codes.tolist())
    table = view.page.table
    assert table.isColumnHidden(SCALE_CODE) is (block.scale_codes is None)
    assert table.isColumnHidden(MIN_CODE) is (block.minimum_codes is None)
    assert table.isColumnHidden(MINIMUM) is (block.minima is None)
    image = view.page.grid.grab().toImage()
    seen = {image.pixelColor(view.page.grid.rect_of(e).toRect().bottomLeft() + QPoint(4, -2)).name() for e in range(32)}
    assert len(seen) > 1, "the cells are blank"
    assert view.side.codes.chart is not None and view.side.codes.chart.shares.sum() == pytest.approx(1)


def test_values_can_be_shown_copied_and_saved(qtbot: QtBot, shown: BlocksView, tensor, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown.step(1)
    qtbot.waitUntil(lambda: shown.page.block.index == 1)
    shown.page.switch.second.setChecked(True)
    shown.resize(1300, 420)
    assert shown.page.grid._texts[5] == significant(float(tensor.block(1).values[5]), 3)
    assert shown.page.grid.per_row < 32 and shown.page.grid_head.title.text() == "Values"
    shown.copy_values()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 257 and np.float32(lines[6].split("\t")[3]) == tensor.block(1).values[5]
    for ending in ("png", "svg"):
        path = tmp_path / f"block.{ending}"
        with qtbot.waitSignal(shown.written, timeout=20_000) as saved:
            shown.save_picture(str(path))
        assert saved.args == [str(path), None]
    saved_image, page = QImage(str(tmp_path / "block.png")), shown.page.widget()
    assert saved_image.width() == shown.halves.width()
    top = saved_image.height() - max(page.height(), shown.side.widget().height())
    bytes_ = shown.page.bytes  # the last of the page: saved as it is, though it may be scrolled away
    place = bytes_.mapTo(page, QPoint(0, 0)) + QPoint(shown.page.x(), top)
    there = {saved_image.pixelColor(place + QPoint(x, y)).name() for x in range(bytes_.width()) for y in range(20)}
    assert len(there) > 3
    title = {saved_image.pixelColor(x, y).name() for x in range(16, 200) for y in range(16, top)}
    assert top > 40 and len(title) > 3
    with qtbot.waitSignal(shown.written, timeout=20_000) as saved:
        shown.save_picture(str(tmp_path / "none" / "x.png"))
    assert isinstance(saved.args[1], OSError)


def test_cells_grow_with_the_font(shown: BlocksView) -> None:
    grid = shown.page.grid
    before, font = grid.rect_of(0).height(), grid.font()
    font.setPointSizeF(3 * font.pointSizeF())
    grid.setFont(font)
    assert grid.rect_of(0).height() > 1.5 * before
