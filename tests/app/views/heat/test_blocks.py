"""Blocks in the heatmap: named, bordered, taken apart where the pointer is, and left for their own view."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot
from support.build import gguf
from support.sections import read, rows_of

import weightmap
from tensorloupe.views.heatmap import HeatmapView

Q8_0 = 8  # the type's number in a GGUF


@pytest.fixture
def near(make, settle, tensor: weightmap.Tensor) -> HeatmapView:  # type: ignore[no-untyped-def]
    """A heatmap near enough that every value is a square."""
    made = make("heatmap", 1300, 700)
    made.show_tensor(tensor)
    settle(made)
    made.go_to_element((20, 250))
    settle(made)
    return made


def test_sub_blocks_have_dashed_borders_in_the_heatmap(near: HeatmapView) -> None:
    frame, image = near.picture.frame, near.picture.grab().toImage()
    assert (frame.block, frame.sub) == (256, 32)
    area = near.picture.image_rect()
    ink = QColor(near.context.theme.colors.text)
    rows = range(round(area.top()) + 2, round(area.bottom()) - 2)
    dark = {
        column: sum(
            image.pixelColor(round(area.left() + frame.viewport.columns.at(column)), y).lightness()
            < ink.lightness() + 30
            for y in rows
        )
        / len(rows)
        for column in (224, 256, 240)
    }
    assert dark[256] > 0.95 and 0.3 < dark[224] < 0.75 and dark[240] < 0.2


def test_enter_and_double_click_in_the_heatmap_ask_for_the_block(qtbot: QtBot, near: HeatmapView) -> None:
    with qtbot.waitSignal(near.go_wanted) as wanted:
        qtbot.keyClick(near.picture, Qt.Key.Key_Return)
    assert wanted.args == ["blocks", (20, 250)]
    place = near.picture.image_rect().center().toPoint()
    with qtbot.waitSignal(near.go_wanted) as wanted:
        qtbot.mouseDClick(near.picture, Qt.MouseButton.LeftButton, pos=place)
    assert wanted.args == ["blocks", near.picture.value_at(place)]


def test_the_heatmap_says_how_the_value_under_the_pointer_is_made(
    qtbot: QtBot, near: HeatmapView, tensor: weightmap.Tensor
) -> None:
    block = tensor.block(80)
    qtbot.waitUntil(lambda: read(near.side.where).get("code") == str(block.codes[250]), timeout=10_000)
    made = read(near.side.where)
    assert made["value"] == block.formula and made["sub-block, element"] == "7, 26"
    assert made["code at byte"] == f"{block.offset + block.bytes_of(250)[0]:,}"
    near.picture.point_at(20, 251)
    assert read(near.side.where)["code"] == "…"  # nothing of another value is shown as its own
    qtbot.waitUntil(lambda: read(near.side.where)["code"] == str(block.codes[251]), timeout=10_000)
    near.cancel()
    assert "code" not in read(near.side.where)


def test_blocks_are_named_and_bordered(make, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    blocks = np.zeros((64 * 8, 34), np.uint8)
    blocks[:, :2] = np.array([0.01], np.float16).view(np.uint8)
    blocks[:, 2:] = rng.integers(0, 256, (512, 32))
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=[("q", (64, 256), Q8_0, blocks.tobytes())]))
    tensor = weightmap.open(str(tmp_path / "q.gguf")).tensors["q"]
    view = make("heatmap")
    view.show_tensor(tensor)
    view.go_to(9, 70)
    settle(view)
    shown = read(view.side.where)
    block, offset = tensor.locate((9, 70))
    assert shown["block"] == str(block) and shown["value in the block"] == "6"
    assert shown["block at byte"] == f"{offset:,}"
    assert np.float32(view.side.head._reading.exact) == tensor.array()[9, 70]
    image, frame = view.picture.grab().toImage(), view.picture.frame
    y = round(view.picture.image_rect().top() + 5)
    x = round(view.picture.image_rect().left() + frame.viewport.columns.at(64))
    assert image.pixelColor(x, y) == QColor(frame.colors.text)
    view.controls.borders.setChecked(False)
    assert view.picture.grab().toImage().pixelColor(x, y) != QColor(frame.colors.text)
    assert rows_of(view.side.view)["decoded"].after == "of 512"
