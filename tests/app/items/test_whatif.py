"""The table of types: what a cell says, what is copied and exported, what beats what."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from support.tensors import stored

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.trials import front, tabbed, trials, write
from tensorloupe.items.whatif import RELATIVE, SHARE, SQNR, TYPE, TrialTable


@pytest.fixture
def tensor(tmp_path: Path) -> weightmap.Tensor:
    return stored(tmp_path, np.random.default_rng(3).normal(size=(16, 512)).astype(np.float32))


def rows_of(tensor: weightmap.Tensor, names: list[str], known: list[str]):
    kinds = [kind for kind in weightmap.whatif_types() if kind.name in names]
    return trials(tensor, kinds, {row.type: row for row in weightmap.whatif(tensor, known)})


def test_the_front_holds_what_no_other_beats() -> None:
    points = {"a": (4.0, 0.1), "b": (4.5, 0.2), "c": (4.5, 0.05), "d": (8.0, 0.05), "e": (8.5, 0.0), "f": (2.0, None)}
    assert front(points) == {"a", "c", "e"}
    assert front({}) == frozenset()


def test_cells_say_what_was_found(qapp: QApplication, tensor: weightmap.Tensor) -> None:
    table = TrialTable()
    QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal)
    table.show_rows(rows_of(tensor, ["F32", "Q8_0", "Q4_K", "Q2_0"], ["F32", "Q8_0", "Q2_0"]))
    found = weightmap.whatif(tensor, "Q8_0")[0]
    texts = {row.type: [table.cell(row, c) for c in range(9)] for row in table.rows}
    assert texts["F32"][TYPE] == "F32 · now" and texts["F32"][SQNR] == "no loss" and texts["F32"][RELATIVE] == "0"
    assert texts["Q8_0"][SHARE] == "0.27 ×" and texts["Q8_0"][SQNR] == f"{found.sqnr_db:.2f}"
    assert texts["Q4_K"][RELATIVE:] == [""] * 5
    assert texts["Q2_0"][RELATIVE] == "There is no quantizer for Q2_0 here."
    at = table.position_of("Q8_0")
    assert table.index(at, RELATIVE).data(roles.RAW) == repr(found.relative_rmse)
    assert table.look(table.index(table.position_of("Q2_0"), RELATIVE)).tone == "secondary"
    assert table.look(table.index(at, TYPE)).bold


def test_what_has_no_number_is_sorted_last(qapp: QApplication, tensor: weightmap.Tensor) -> None:
    table = TrialTable()
    table.show_rows(rows_of(tensor, ["F16", "Q8_0", "Q4_0", "Q2_0"], ["F16", "Q8_0", "Q4_0", "Q2_0"]))
    table.sort(RELATIVE, Qt.SortOrder.AscendingOrder)
    assert [row.type for row in table.rows] == ["F16", "Q8_0", "Q4_0", "Q2_0"]
    table.sort(RELATIVE, Qt.SortOrder.DescendingOrder)
    assert [row.type for row in table.rows] == ["Q4_0", "Q8_0", "F16", "Q2_0"]
    table.sort(TYPE, Qt.SortOrder.AscendingOrder)
    assert [row.type for row in table.rows] == ["F16", "Q2_0", "Q4_0", "Q8_0"]


def test_only_rows_of_which_something_new_is_known_are_told_of(qapp: QApplication, tensor: weightmap.Tensor) -> None:
    table, told = TrialTable(), []
    names = ["F32", "Q8_0", "Q4_K"]
    table.show_rows(rows_of(tensor, names, ["F32"]))
    table.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))
    table.show_rows(rows_of(tensor, names, ["F32", "Q4_K"]))
    assert told == [(2, 2)]


def test_exports_hold_every_digit(tensor: weightmap.Tensor, tmp_path: Path) -> None:
    rows = rows_of(tensor, ["Q8_0", "Q2_0"], ["Q8_0", "Q2_0"])
    found = weightmap.whatif(tensor, ["Q8_0", "Q2_0"])
    for name in ("x.json", "x.csv"):
        write(rows, str(tmp_path / name))
    assert json.loads((tmp_path / "x.json").read_bytes()) == [row.to_json() for row in found]
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[0].split(",")[:4] == ["type", "bits_per_weight", "bytes", "relative_rmse"]
    assert lines[1].split(",")[:4] == ["Q8_0", "8.5", "8704", repr(found[0].relative_rmse)]
    assert lines[2].endswith("There is no quantizer for Q2_0 here.")
    assert tabbed(rows).splitlines()[1].split("\t")[3] == repr(found[0].relative_rmse)
