"""The pictures of one pair: errors beside a fresh quantization, linked heatmaps, worst rows and blocks, saved files."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from support.gestures import wheel
from support.quantized import original, write

import weightmap
from tensorloupe.plots.shade import color_of
from tensorloupe.style.colormaps import size_map, value_map

NAME = "blk.2.ffn_down.weight"


@pytest.fixture
def both(bad, reference):
    with weightmap.open(bad) as q, weightmap.open(reference) as r:
        return q.tensors[NAME].array().copy(), r.tensors[NAME].array().copy()


@pytest.fixture
def view(compared, settled, bad, reference):
    made = compared(bad, reference)
    made.window().resize(1500, 1000)
    made.window().explorer.tree.select(made.context.document.model.tensors[NAME])
    settled()
    return made


def test_errors_are_counted_beside_those_of_a_fresh_quantization(view, both):
    found = view.pictures.spread.spread
    error = (both[0] - both[1]).reshape(-1)
    edges = found.bins.edges
    assert np.array_equal(found.counts, np.histogram(error, edges)[0]) and found.counts.sum() == error.size
    assert edges[0] == -edges[-1] and edges[-1] >= np.abs(error).max()
    pair = view.comparing.pair_of(view.tensor)
    fresh = weightmap.PairValues(pair, "fresh").array().reshape(-1)
    assert np.array_equal(found.second, np.histogram(fresh, edges)[0]) and found.second.sum() == error.size
    assert np.abs(fresh).std() < np.abs(error).std()
    assert view.pictures.spread.legend.accessibleName() == "this file, fresh Q4_0 of the reference"
    image = view.pictures.spread.picture.images.inside
    colors = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(40, image.height(), 3)}
    assert view.context.theme.colors.series in colors


def test_values_of_both_sides_share_their_bins(qtbot, settled, view, both):
    qtbot.mouseClick(view.pictures.chips["values"], Qt.MouseButton.LeftButton)
    settled()
    found = view.pictures.spread.spread
    assert np.array_equal(found.counts, np.histogram(both[0], found.bins.edges)[0])
    assert np.array_equal(found.second, np.histogram(both[1], found.bins.edges)[0])
    assert view.pictures.spread.legend.accessibleName() == "this file, reference"


def test_where_the_error_is_shows_its_size(view, both, settled):
    face = view.pictures.heats.error
    picture, error = face.loading.current, both[0] - both[1]
    expected = (
        weightmap.PairValues(view.comparing.pair_of(view.tensor)).heatmap(*picture.values.shape, reduction="rms").cells
        if not picture.elements
        else error
    )
    assert np.allclose(picture.values, expected)
    face.picture.visit(40, 100)
    settled()
    close = face.loading.current
    (r0, _), (c0, _) = close.rows, close.columns
    assert close.elements and np.array_equal(close.stored, error[slice(*close.rows), slice(*close.columns)])
    limit = close.limit
    share = min(abs(error[r0, c0]) / limit, 1)
    assert close.image.pixelColor(0, 0) == QColor(*color_of(2 * share - 1, 1.0, size_map(False)))


def test_side_by_side_moves_together_on_one_scale(qtbot, settled, view, both):
    pictures = view.pictures
    qtbot.mouseClick(pictures.beside, Qt.MouseButton.LeftButton)
    settled()
    faces = pictures.heats.faces
    assert all(face.isVisible() for face in faces.values())
    wheel(faces["reference"].picture, 14, faces["reference"].picture.image_rect().center())
    settled()
    windows = {
        key: (f.picture.frame.viewport.rows.window, f.picture.frame.viewport.columns.window) for key, f in faces.items()
    }
    assert all(f.picture.frame.viewport.elements for f in faces.values())
    (r0, _), (c0, _) = windows["reference"]
    assert all(abs(rows[0] - r0) <= 1 and abs(columns[0] - c0) <= 1 for rows, columns in windows.values())
    assert {f.loading.current.limit for f in faces.values()} == {faces["reference"].loading.limit}
    values = {"quantized": both[0], "reference": both[1], "error": both[0] - both[1]}
    for key, face in faces.items():
        close = face.loading.current
        assert np.array_equal(close.stored, values[key][slice(*close.rows), slice(*close.columns)])
        expected = color_of(float(close.stored[0, 0]), close.limit, value_map(False))
        assert close.image.pixelColor(0, 0) == QColor(*expected)
    qtbot.mouseMove(faces["error"].picture, faces["error"].picture.image_rect().center().toPoint())
    qtbot.waitUntil(lambda: faces["error"].picture.frame.pointer is not None)  # an X server tells of it in its own time
    settled()
    row, column = faces["error"].picture.frame.pointer
    assert all(f.picture.frame.pointer == (row, column) for f in faces.values())
    said = pictures.heats.readout.whole
    assert f"row {row}, column {column} · block" in said
    assert f"{both[0][row, column] - both[1][row, column]:.3g}".lstrip("-")[:5] in said.replace(",", "")
    pictures.scale.choose(1)
    settled()
    assert faces["error"].loading.limit < faces["reference"].loading.limit
    qtbot.mouseClick(pictures.beside, Qt.MouseButton.LeftButton)
    settled()
    assert faces["quantized"].isHidden() and faces["error"].loading.sizes and faces["quantized"].loading.tensor is None


def test_worst_rows_and_blocks_are_one_click_away(qtbot, settled, view, both):
    squares = (both[0].astype(float) - both[1]) ** 2
    worst = view.pictures.worst
    qtbot.mouseClick(view.pictures.chips["rows"], Qt.MouseButton.LeftButton)
    settled()
    row = int(squares.mean(axis=1).argmax())
    assert worst.model.rows[0].name == f"row {row}" and worst.model.rows[0].rmse == pytest.approx(
        squares.mean(axis=1).max() ** 0.5
    )
    qtbot.mouseClick(view.pictures.chips["blocks"], Qt.MouseButton.LeftButton)
    settled()
    blocks = squares.reshape(-1, 32).mean(axis=1)
    row, column = divmod(int(blocks.argmax()) * 32, 256)
    first = worst.model.rows[0]
    assert (first.row, first.column) == (row, column)
    assert first.name.startswith(f"block {blocks.argmax()}: row {row}, columns {column}")
    index = worst.model.index(0, 0)
    qtbot.mouseClick(worst.table.viewport(), Qt.MouseButton.LeftButton, pos=worst.table.visualRect(index).center())
    settled()
    assert view.pictures.heats.error.picture.frame.pointer == (row, column)
    assert view.pictures.heats.error.picture.frame.viewport.elements


def test_types_without_blocks_say_so(qtbot, settled, view):
    view.window().explorer.tree.select(view.context.document.model.tensors["blk.0.attn_norm.weight"])
    settled()
    qtbot.mouseClick(view.pictures.chips["blocks"], Qt.MouseButton.LeftButton)
    settled()
    assert view.pictures.worst.stage.notice.what.text() == "F32 has no blocks along the rows."


def test_only_the_last_selected_tensor_is_shown(settled, view):
    tree, tensors = view.window().explorer.tree, view.context.document.model.tensors
    for name in ("blk.0.attn_q.weight", "blk.1.attn_k.weight", "token_embd.weight", "blk.0.ffn_down.weight"):
        tree.select(tensors[name])
    settled()
    assert view.pictures.pair.tensor == "blk.0.ffn_down.weight" == view.pictures.spread.spread.pair.tensor
    assert view.pictures.heats.error.loading.current.request.tensor.name == "blk.0.ffn_down.weight"


def test_a_nan_block_is_loud_and_told(compared, settled, tmp_path, reference):
    values = original()
    path = write(tmp_path / "nan.gguf", values, "Q8_0")
    with weightmap.open(path) as model:
        at = model.tensors[NAME].offset + 34 * 77
    data = bytearray(path.read_bytes())
    data[at : at + 2] = np.array([np.nan], np.float16).tobytes()
    path.write_bytes(data)
    view = compared(path, reference)
    view.window().explorer.tree.select(view.context.document.model.tensors[NAME])
    settled()
    assert view.strip.sentence.text() == "32 values are NaN or Inf on one side, and something else on the other."
    assert view.ranking.model.index(0, 1).data() == NAME
    face = view.pictures.heats.error
    assert face.picture.frame.beyond.nan == 32
    assert view.pictures.spread.spread.counts.sum() == values[NAME].size - 32
    face.picture.setFocus()
    face.moving.go_to_nonfinite()
    settled()
    assert face.picture.frame.pointer == divmod(77 * 32, 256)


def test_pictures_are_saved_and_copied(qtbot, settled, view, tmp_path):
    for focused in (False, True):
        (view.pictures.heats.error.picture if focused else view.ranking.table).setFocus()
        for ending in ("png", "svg"):
            out = tmp_path / f"{focused}.{ending}"
            with qtbot.waitSignal(view.written, timeout=20_000) as saved:
                view.save_picture(str(out))
            assert saved.args[1] is None
        text = (tmp_path / f"{focused}.svg").read_text()
        assert NAME in text and "Q4_0 against F32" in text and ("errors" in text) is focused
        image = QImage(str(tmp_path / f"{focused}.png"))
        colors = {
            image.pixelColor(x, y).name() for x in range(0, image.width(), 5) for y in range(0, image.height(), 5)
        }
        assert "#ffffff" in colors and len(colors) > 10  # not blank
    view.copy_picture()
    assert not QGuiApplication.clipboard().image().isNull()


def test_the_theme_recolours_and_a_low_view_shows_one_picture(qtbot, settled, view):
    window = view.window()
    window.theme.set_mode("dark")
    face = view.pictures.heats.error
    qtbot.waitUntil(lambda: face.loading.current.request.dark)
    window.resize(960, 620)
    settled()
    assert view.pictures.compact and view.pictures.where.isVisible() and not face.isVisible()
    assert view.ranking.head.grid.isVisible() and not view.ranking.grid.isVisible()
    qtbot.mouseClick(view.pictures.where, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(view.ranking.head.grid, Qt.MouseButton.LeftButton)
    settled()
    assert face.isVisible() and not view.pictures.spread.isVisible()
    assert view.ranking.grid.isVisible() and not view.ranking.table.isVisible()
    window.theme.set_mode("light")
    settled()


def test_the_overviews_histogram_has_the_reference_over_it(settled, view, both):
    window = view.window()
    window.explorer.area.open_tab(0)
    settled()
    overview = window.explorer.area.view
    counted = overview.counted
    assert np.array_equal(counted.second, np.histogram(both[1], counted.bins.edges)[0])
    assert overview.histogram._legend.isVisible()
    window.do("detach")
    settled()
    assert overview.counted.second is None and overview.histogram._legend.isHidden()
