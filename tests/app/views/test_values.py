from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot
from support.tensors import stored

from tensorloupe.views import tiles
from tensorloupe.views.exact import shown
from tensorloupe.views.tiles import Matrix
from tensorloupe.views.values import ValuesView


@pytest.fixture
def values() -> np.ndarray:
    made = np.random.default_rng(5).normal(size=(300, 200)).astype(np.float32)
    made[250, 150] = np.nan
    return made


@pytest.fixture
def view(make, settle, tmp_path: Path, values: np.ndarray) -> ValuesView:  # type: ignore[no-untyped-def]
    made = make("values")
    made.show_tensor(stored(tmp_path, values))
    settle(made)
    return made


def cell(view: ValuesView, row: int, column: int) -> str | None:
    model = view.model
    return model.data(model.index(row - model.first_row, column - model.first_column))


def test_cells_are_the_stored_values(settle, view: ValuesView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    assert (view.model.rowCount(), view.model.columnCount()) == (300, 200)
    assert cell(view, 3, 4) == shown(values[3, 4])
    assert cell(view, 250, 150) is None
    view.go_to(250, 150)
    settle(view)
    assert cell(view, 250, 150) == "NaN"
    index = view.model.index(250, 150)
    assert view.model.data(index, Qt.ItemDataRole.ForegroundRole) == QColor(view.context.theme.colors.error)
    assert cell(view, 251, 150) == shown(values[251, 150])


def test_only_what_is_in_view_is_decoded(view: ValuesView) -> None:
    assert 0 < len(view.model._tiles) <= 4


def test_the_model_is_a_good_one(qtbot: QtBot, settle, view: ValuesView, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal, view)
    view.go_to(299, 199)
    settle(view)
    view.show_tensor(stored(tmp_path, np.arange(10, dtype=np.int64)))
    settle(view)
    view.show_tensor(None)
    settle(view)
    assert view.model.rowCount() == 0


def test_a_vector_stands_upright_and_a_scalar_is_a_cell(settle, view: ValuesView, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    view.show_tensor(stored(tmp_path, np.array([2**63 - 1, -5], np.int64)))
    settle(view)
    assert (view.model.rowCount(), view.model.columnCount()) == (2, 1)
    assert cell(view, 0, 0) == "9,223,372,036,854,775,807" and cell(view, 1, 0) == "−5"
    view.show_tensor(stored(tmp_path, np.array(3.25, np.float32)))
    settle(view)
    assert cell(view, 0, 0) == "3.25"


def test_selected_values_are_copied_in_full(qtbot: QtBot, settle, view: ValuesView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    model = view.model
    chosen = QItemSelection(model.index(60, 10), model.index(130, 14))
    view.cells.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    qtbot.keyClick(view.cells, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    settle(view)
    lines = QGuiApplication.clipboard().text().splitlines()
    found = np.array([line.split("\t") for line in lines], np.float32)
    assert np.array_equal(found, values[60:131, 10:15])


def test_too_much_for_the_clipboard_is_said(qtbot: QtBot, settle, view: ValuesView, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    view.show_tensor(stored(tmp_path, np.zeros((2000, 1000), np.float16)))
    settle(view)
    view.cells.selectAll()
    with qtbot.waitSignal(view.status_text) as said:
        view.copy_values()
    assert said.args[0].startswith("2,000,000 values are too many for the clipboard")


def test_rows_beyond_what_a_table_can_hold_are_shown_in_windows(  # type: ignore[no-untyped-def]
    settle, view: ValuesView, tmp_path: Path, values: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tensorloupe.views import values as module

    for place in (tiles, module):
        monkeypatch.setattr(place, "MOST_ROWS", 100)
        monkeypatch.setattr(place, "MOST_COLUMNS", 64)
    view.show_tensor(stored(tmp_path, values, "long"))
    settle(view)
    assert view.model.rowCount() == 100 and not view.bar.isHidden() and view.bar.maximum() == 2
    assert view.go_to(205, 70)
    settle(view)
    assert (view.model.first_row, view.model.first_column, view.bar.value()) == (200, 64, 2)
    assert cell(view, 205, 70) == shown(values[205, 70])
    assert view.model.headerData(5, Qt.Orientation.Vertical) == "205"
    view.bar.setValue(1)
    settle(view)
    assert view.model.first_row == 100 and cell(view, 100, 64) == shown(values[100, 64])
    assert not view.go_to(300, 0)


def test_typing_a_place_goes_there(qtbot: QtBot, settle, view: ValuesView) -> None:  # type: ignore[no-untyped-def]
    view.ask_position()
    qtbot.keyClicks(view.position, "212, 163")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    settle(view)
    current = view.cells.currentIndex()
    assert (current.row(), current.column()) == (212, 163)
    view.position.setText("9999")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    assert view.position.property("wrong") is True


def test_slices(settle, view: ValuesView, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    made = np.arange(2 * 5 * 6, dtype=np.float32).reshape(2, 5, 6)
    view.show_tensor(stored(tmp_path, made))
    view.slices.spins[0].setValue(1)
    settle(view)
    assert cell(view, 4, 5) == "59"


def test_a_matrix_reads_parts(tmp_path: Path) -> None:
    made = np.arange(70 * 80, dtype=np.int32).reshape(70, 80)
    matrix = Matrix(stored(tmp_path, made), ())
    assert matrix.tile((1, 1)) == tuple(tuple(f"{n:,}" for n in row) for row in made[64:70, 64:80])
    assert matrix.tabbed((0, 2), (3, 5), lambda done, total: True) == "3\t4\n83\t84"


@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_nothing_to_show(settle, view: ValuesView, tmp_path: Path, shape: tuple[int, ...]) -> None:  # type: ignore[no-untyped-def]
    view.show_tensor(stored(tmp_path, np.zeros(shape, np.float32)))
    settle(view)
    assert view.stage.notice.what.text().startswith("This tensor has no values")


def test_an_element_is_found_in_its_slice(make, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    view = make("values")
    view.show_tensor(stored(tmp_path, np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)))
    settle(view)
    view.go_to_element((1, 2, 3))
    settle(view)
    current = view.cells.currentIndex()
    assert view.model.matrix.index == (1,) and (current.row(), current.column()) == (2, 3)
    assert view.model.text_at(2, 3) == "23"
