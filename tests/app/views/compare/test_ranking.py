"""The ranked table and the grid of layers and roles: order, filter, selection, keys, colours, cells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QAbstractItemModelTester
from support.quantized import original

import weightmap
from tensorloupe.items.errors import VERDICTS
from tensorloupe.items.errortable import KEYS, NAME, RATIO, RELATIVE, STATE
from tensorloupe.items.measures import MEASURES
from tensorloupe.style.colormaps import size_map


def names(view):
    model = view.ranking.model
    return [model.index(row, NAME).data() for row in range(model.rowCount())]


def test_the_worst_comes_first_and_every_measure_sorts(compared, bad, reference):
    view = compared(bad, reference)
    model, errors = view.ranking.model, view.ranking.errors
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    QAbstractItemModelTester(view.ranking.grid.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert names(view)[:2] == ["blk.1.attn_k.weight", "blk.2.ffn_down.weight"]
    assert [errors.verdict(model.row_at(at)) for at in range(2)] == ["wrong", "worse"]
    for measure in MEASURES:
        column = KEYS.index(measure.key)
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            view.ranking.table.horizontalHeader().setSortIndicator(column, order)
            shown = [errors.values[measure.key][model.row_at(at)] for at in range(model.rowCount())]
            known = [value for value in shown if not np.isnan(value)]
            assert known == sorted(known, reverse=order == Qt.SortOrder.DescendingOrder)
            assert all(np.isnan(value) for value in shown[len(known) :])
    view.ranking.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert names(view) == list(original())


def test_a_swapped_scaled_or_noised_tensor_is_the_first_row(compared, tmp_path, reference):
    from support.quantized import write

    changes = {
        "swapped": lambda name, v: original()["blk.0.attn_q.weight"] if name == "blk.2.attn_k.weight" else v,
        "scaled": lambda name, v: v * np.float32(1.5) if name == "blk.2.attn_k.weight" else v,
        "noised": lambda name, v: v + np.float32(0.01) * np.sign(v) if name == "blk.2.attn_k.weight" else v,
    }
    for name, change in changes.items():
        view = compared(write(tmp_path / f"{name}.gguf", original(), "Q8_0", change), reference)
        assert names(view)[0] == "blk.2.attn_k.weight"
        view.window().do("detach")


def test_chips_count_and_filter(qtbot, compared, bad, reference):
    view = compared(bad, reference)
    head, counts = view.ranking.head, view.ranking.errors.counts()
    assert head.chips["wrong"].text() == " 1 wrong" and head.chips["worse"].text() == " 1 worse than expected"
    assert head.chips["identical"].text() == f" {counts['identical']} identical" and head.chips["waiting"].isHidden()
    qtbot.mouseClick(head.chips["wrong"], Qt.MouseButton.LeftButton)
    assert names(view) == ["blk.1.attn_k.weight"]
    qtbot.mouseClick(head.chips["wrong"], Qt.MouseButton.LeftButton)
    assert len(names(view)) == len(original())


def test_rows_and_cells_select_the_tensor_and_follow_it(qtbot, compared, bad, reference):
    view = compared(bad, reference)
    table, document = view.ranking.table, view.context.document
    qtbot.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(view.ranking.model.index(1, NAME)).center()
    )
    assert document.selected.name == "blk.2.ffn_down.weight"
    assert "times the error Q4_0 usually leaves" in view.strip.sentence.text() and view.strip.mark.status == "warning"
    qtbot.keyClick(table, Qt.Key.Key_Up)
    assert document.selected.name == "blk.1.attn_k.weight" and view.strip.mark.status == "error"
    assert "another order" in view.strip.consequence.text()
    grid = view.ranking.grid
    place = grid.model.grid.place(view.ranking.errors.row_of["blk.0.ffn_down.weight"])
    cell = grid.view.visualRect(grid.model.index(*place))
    qtbot.mouseClick(grid.view.viewport(), Qt.MouseButton.LeftButton, pos=cell.center())
    assert document.selected.name == "blk.0.ffn_down.weight"
    assert table.selected_rows() == [view.ranking.errors.row_of["blk.0.ffn_down.weight"]]
    qtbot.keyClick(grid.view, Qt.Key.Key_Down)
    assert document.selected.name == "blk.1.ffn_down.weight"
    view.window().explorer.tree.select(document.model.tensors["token_embd.weight"])
    assert grid.view.cells.current == view.ranking.errors.row_of["token_embd.weight"]


def test_the_selection_stays_on_its_pair_through_sorting(compared, bad, reference):
    view = compared(bad, reference)
    row = view.ranking.errors.row_of["blk.2.ffn_down.weight"]
    view.window().explorer.tree.select(view.context.document.model.tensors["blk.2.ffn_down.weight"])
    for column in (NAME, RATIO, STATE):
        view.ranking.table.horizontalHeader().setSortIndicator(column, Qt.SortOrder.AscendingOrder)
        assert view.ranking.table.selected_rows() == [row]
        indexes = view.ranking.table.selectionModel().selectedIndexes()
        assert {index.row() for index in indexes} == {view.ranking.model.position_of(row)}


def test_bars_stand_for_the_error_and_their_tick_for_the_usual_one(compared, bad, reference):
    view = compared(bad, reference)
    model, errors = view.ranking.model, view.ranking.errors
    bars = {model.row_at(at): model.bar(model.index(at, RELATIVE)) for at in range(model.rowCount())}
    normal = errors.row_of["blk.0.attn_q.weight"]
    error = errors.errors[normal]
    assert bars[normal].length / bars[normal].tick == pytest.approx(error.relative_rmse / error.usual)
    assert bars[errors.row_of["blk.1.attn_k.weight"]].length > 1
    assert bars[errors.row_of["blk.1.attn_norm.weight"]] is None


def test_the_grid_has_a_row_per_layer_and_a_cell_per_tensor(compared, bad, reference):
    view = compared(bad, reference)
    grid, errors = view.ranking.grid, view.ranking.errors
    assert grid.model.grid.rows == ("blk.0", "blk.1", "blk.2", "token_embd")
    assert grid.model.grid.columns == ("attn_q", "attn_k", "ffn_down", "attn_norm")
    cells = grid.model.grid.cells
    assert sorted(cells[cells >= 0].tolist()) == list(range(len(errors.pairs)))
    image = grid.view.viewport().grab().toImage()
    for name, depth in (("blk.1.attn_k.weight", 255), ("blk.0.attn_q.weight", 0)):
        row = errors.row_of[name]
        rect = grid.view.visualRect(grid.model.index(*grid.model.grid.place(row)))
        assert image.pixelColor(rect.left() + 3, rect.bottom() - 3) == QColor(*size_map(False)[depth].tolist())
    grid.measures.choose([m.key for m in MEASURES].index("sqnr"))
    assert grid.model.depth[errors.row_of["blk.1.attn_k.weight"]] == 1
    assert grid.model.depth[errors.row_of["blk.1.attn_norm.weight"]] == 0


def test_a_model_against_itself_is_identical_everywhere(compared, bad):
    view = compared(bad, bad)
    assert view.ranking.errors.counts() == {"identical": len(original())}
    assert view.window().summary_line.compared.text() == "identical"
    assert set(view.ranking.errors.values["relative"]) == {0.0}


def test_copied_rows_are_exact(compared, bad, reference):
    view = compared(bad, reference)
    row = view.ranking.errors.row_of["blk.1.attn_k.weight"]
    view.window().explorer.tree.select(view.context.document.model.tensors["blk.1.attn_k.weight"])
    assert view.ranking.table.selected_text(False) == "blk.1.attn_k.weight"
    cells = dict(zip(KEYS, view.ranking.table.selected_text(True).split("\t"), strict=True))
    expected = next(pair for pair in weightmap.compare(bad, reference).pairs if pair.tensor == "blk.1.attn_k.weight")
    assert float(cells["relative"]) == expected.relative_rmse and float(cells["bias"]) == expected.bias
    assert cells["verdict"] == VERDICTS[int(view.ranking.errors.rank[row])] == "wrong"
