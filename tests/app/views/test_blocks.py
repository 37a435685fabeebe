"""The view of blocks: every number that it shows is what the block holds, and every way of going about leads there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from pytestqt.qtbot import QtBot
from support.blocks import finite_blocks
from support.build import gguf
from support.tensors import stored

import weightmap
from tensorloupe.items.subblocks import MIN_CODE, MINIMUM, SCALE, SCALE_CODE
from tensorloupe.style.colormaps import NAN, size_map
from tensorloupe.views import VIEWS, ViewContext, exact
from tensorloupe.views.blocks.places import Place
from tensorloupe.views.blocks.scaling import survey
from tensorloupe.views.blocks.view import BlocksView
from tensorloupe.views.blocks.words import code_texts, formula, place, significant

KINDS = {kind.name: kind for kind in weightmap.whatif_types()}


def quantized(folder: Path, name: str, shape: tuple[int, ...], spoil: dict[int, float] | None = None):
    """A tensor of random blocks; `spoil` puts scales into blocks by number."""
    kind = KINDS[name]
    blocks = finite_blocks(kind, int(np.prod(shape)) // kind.elements, seed=3)
    for number, scale in (spoil or {}).items():
        blocks[number, :2] = np.float16(scale).reshape(1).view(np.uint8)
    path = folder / f"{len(list(folder.iterdir()))}.gguf"
    path.write_bytes(gguf(tensors=[("w", shape, kind.id, blocks.tobytes())]))
    return weightmap.open(path).tensors["w"]


@pytest.fixture
def view(make) -> BlocksView:  # type: ignore[no-untyped-def]
    return make("blocks", 1300, 900)


@pytest.fixture
def tensor(tmp_path: Path) -> weightmap.Tensor:
    return quantized(tmp_path, "Q4_K", (40, 1024))


@pytest.fixture
def shown(view: BlocksView, settle, tensor: weightmap.Tensor) -> BlocksView:  # type: ignore[no-untyped-def]
    view.show_tensor(tensor)
    settle(view)
    return view


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
    tensor = quantized(tmp_path, name, (8, 512))
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
    tensor = quantized(tmp_path, "Q8_0", (16, 256), {17: np.nan, 90: np.inf, 40: 0.0, 77: 60000.0})
    view.show_tensor(tensor)
    settle(view)
    rows = {row.label: row.value for section in view.side.numbers.sections for row in section.rows}
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
    tensor = quantized(tmp_path, "Q4_1", (3, 4, 64))
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
    tensor = quantized(tmp_path, "Q8_0", (4, 8, 64), {2 * 16 + 5: np.nan})
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


def test_only_the_last_tensor_is_shown_and_a_place_is_kept(view: BlocksView, settle, tmp_path: Path, tensor) -> None:  # type: ignore[no-untyped-def]
    others = [quantized(tmp_path, name, (8, 256)) for name in ("Q6_K", "Q5_0", "Q8_0")]
    for other in others:
        view.show_tensor(other)
    settle(view)
    assert view.page.block.type.name == "Q8_0" and view.side.scales.picture.tensor is others[-1]
    view.go(view.at.at(9, 4))
    settle(view)
    view.show_tensor(others[-1])
    settle(view)
    assert (view.at.number, view.page.block.index) == (9, 9)
    view.show_tensor(None)
    assert view.stage.notice.what.text().startswith("No tensor selected.") and not view.has_picture


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


def test_values_can_be_shown_copied_and_saved(qtbot: QtBot, shown: BlocksView, tensor, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown.step(1)
    qtbot.waitUntil(lambda: shown.page.block.index == 1)
    shown.page.switch.second.setChecked(True)
    assert shown.page.grid._texts[5] == significant(float(tensor.block(1).values[5]), 3)
    assert shown.page.grid.per_row < 32 and shown.page.grid_head.title.text() == "Values"
    shown.copy_values()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 257 and np.float32(lines[6].split("\t")[3]) == tensor.block(1).values[5]
    for ending in ("png", "svg"):
        path = tmp_path / f"block.{ending}"
        with qtbot.waitSignal(shown.picture_saved, timeout=20_000) as saved:
            shown.save_picture(str(path))
        assert saved.args == [str(path), None]
    assert QImage(str(tmp_path / "block.png")).width() == shown.halves.width()
    with qtbot.waitSignal(shown.picture_saved, timeout=20_000) as saved:
        shown.save_picture(str(tmp_path / "none" / "x.png"))
    assert isinstance(saved.args[1], OSError)


def test_enter_shows_the_element_in_the_heatmap(qtbot: QtBot, shown: BlocksView, settle) -> None:  # type: ignore[no-untyped-def]
    shown.go_to_element((7, 300))
    settle(shown)
    shown.page.grid.setFocus()
    with qtbot.waitSignal(shown.go_wanted) as wanted:
        qtbot.keyClick(shown.page.grid, Qt.Key.Key_Return)
    assert wanted.args == ["heatmap", (7, 300)]


def test_types_without_blocks_say_so(context: ViewContext, tmp_path: Path) -> None:
    kind = next(kind for kind in VIEWS if kind.key == "blocks")
    plain = stored(tmp_path, np.zeros(4, np.float32))
    assert not kind.supports(plain)
    assert kind.why_not(plain) == ("F32 has no blocks: every value is stored by itself. Values shows them one by one.")


def test_sub_blocks_have_dashed_borders_in_the_heatmap(make, settle, tensor: weightmap.Tensor) -> None:  # type: ignore[no-untyped-def]
    view = make("heatmap", 1300, 700)
    view.show_tensor(tensor)
    settle(view)
    view.go_to_element((20, 250))
    settle(view)
    frame, image = view.picture.frame, view.picture.grab().toImage()
    assert (frame.block, frame.sub) == (256, 32)
    area = view.picture.image_rect()
    ink = QColor(view.context.theme.colors.text)
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


def test_enter_and_double_click_in_the_heatmap_ask_for_the_block(qtbot, make, settle, tensor) -> None:  # type: ignore[no-untyped-def]
    view = make("heatmap", 1300, 700)
    view.show_tensor(tensor)
    settle(view)
    view.go_to_element((20, 250))
    settle(view)
    with qtbot.waitSignal(view.go_wanted) as wanted:
        qtbot.keyClick(view.picture, Qt.Key.Key_Return)
    assert wanted.args == ["blocks", (20, 250)]
    place = view.picture.image_rect().center().toPoint()
    with qtbot.waitSignal(view.go_wanted) as wanted:
        qtbot.mouseDClick(view.picture, Qt.MouseButton.LeftButton, pos=place)
    assert wanted.args == ["blocks", view.picture.value_at(place)]


def test_the_heatmap_says_how_the_value_under_the_pointer_is_made(qtbot, make, settle, tensor) -> None:  # type: ignore[no-untyped-def]
    view = make("heatmap", 1300, 700)
    view.show_tensor(tensor)
    settle(view)
    view.go_to_element((20, 250))
    settle(view)

    def made() -> dict[str, str]:
        return {row.label: row.value for section in view.side.where.sections for row in section.rows}

    block = tensor.block(80)
    qtbot.waitUntil(lambda: made().get("code") == str(block.codes[250]), timeout=10_000)
    assert made()["value"] == block.formula and made()["sub-block, element"] == "7, 26"
    assert made()["code at byte"] == f"{block.offset + block.bytes_of(250)[0]:,}"
    view.picture.point_at(20, 251)
    assert made()["code"] == "…"  # nothing of another value is shown as its own
    qtbot.waitUntil(lambda: made()["code"] == str(block.codes[251]), timeout=10_000)
    view.cancel()
    assert "code" not in made()


@pytest.mark.parametrize("shape", [(256,), (1, 64), (2, 3, 4, 64), (5, 32)])
def test_tensors_of_any_rank_are_walked_to_the_end(view: BlocksView, settle, tmp_path: Path, shape) -> None:  # type: ignore[no-untyped-def]
    tensor = quantized(tmp_path, "Q8_0", shape)
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


def test_a_tensor_without_values_or_bytes_says_so(view: BlocksView, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kind = KINDS["Q8_0"]
    path = tmp_path / "cut.gguf"
    path.write_bytes(gguf(tensors=[("w", (64, 64), kind.id, bytes(64 * 2 * 34))])[:-2000])
    with weightmap.open(path) as model:
        view.show_tensor(model.tensors["w"])
        settle(view)
        assert view.stage.state == "failed" and not view.has_picture
    path.write_bytes(gguf(tensors=[("w", (0, 64), kind.id, b"")]))
    with weightmap.open(path) as model:
        view.show_tensor(model.tensors["w"])
        settle(view)
        assert view.stage.notice.what.text() == "This tensor has no values: its shape is 0 × 64."
