"""Copy by key from every table of the window: whole values, exact, at once or a moment later, and never with a pause."""

import csv
import io
import time

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from support.build import gguf, safetensors

from tensorloupe.panels import copying
from tensorloupe.panels.dock import METADATA, TOKENS
from tensorloupe.views.compare.table import ErrorList
from tensorloupe.window import commands
from tensorloupe.window.compare_commands import attach

TEMPLATE = '{{ bos }}\n\t"' + "x" * 5000


@pytest.fixture
def file(tmp_path):
    """A vocabulary that its table reads in many pages, with odd tokens at its end; a template of several lines."""
    tokens = [f"token {n}" for n in range(9_000)] + ["a\tb", '"', "y" * 3000, "line\nline"]
    metadata = [
        ("general.architecture", "str", "toy"),
        ("tokenizer.chat_template", "str", TEMPLATE),
        ("tokenizer.ggml.tokens", "arr", ("str", tokens)),
        ("tokenizer.ggml.scores", "arr", ("f32", [n / 8 for n in range(len(tokens))])),
    ]
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(metadata, [("a", (4,), 0, bytes(16))]))
    return path, tokens


def copied(qtbot, window, table, keys="Ctrl+C"):
    """What stands on the clipboard after that key in that table."""
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    table.setFocus()
    QTest.keySequence(table, keys)
    qtbot.waitUntil(lambda: bool(clipboard.text()), timeout=20_000)
    return clipboard.text()


def go_to(table, row, column):
    """Put the cursor on a cell, as a click does: Qt takes keys that a test has let go of for pressed."""
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table.selectionModel().setCurrentIndex(table.model().index(row, column), flags)


def rows_of(text):
    """What a spreadsheet makes of it."""
    return list(csv.reader(io.StringIO(text, newline=""), dialect="excel-tab"))


def test_the_whole_vocabulary_is_copied_whole(qtbot, opened, file):
    path, tokens = file
    window = opened(path)
    window.explorer.dock.open_tab(TOKENS)
    table = window.explorer.dock.tokens.table
    table.setFocus()
    QTest.keySequence(table, "Ctrl+A")
    rows = rows_of(copied(qtbot, window, table))
    assert [row[1] for row in rows] == tokens
    assert rows[8_999] == ["8999", "token 8999", "1124.875"]
    go_to(table, len(tokens) - 2, 1)
    assert copied(qtbot, window, table) == "y" * 3000


def test_rows_of_the_metadata_hold_their_values_whole(qtbot, opened, file):
    path, tokens = file
    window = opened(path)
    dock = window.explorer.dock
    dock.open_tab(METADATA)
    table = dock.metadata.table
    go_to(table, 1, 0)
    assert rows_of(copied(qtbot, window, table, "Ctrl+Shift+C")) == [["tokenizer.chat_template", "str", TEMPLATE]]
    QTest.keySequence(table, "Ctrl+A")
    rows = rows_of(copied(qtbot, window, table))
    assert [row[0] for row in rows] == [
        "general.architecture",
        "tokenizer.chat_template",
        "tokenizer.ggml.tokens",
        "tokenizer.ggml.scores",
    ]
    assert rows[1][2] == TEMPLATE and rows[2][2] == "\n".join(tokens)
    go_to(table, 3, 2)
    assert copied(qtbot, window, table) == "\n".join(str(n / 8) for n in range(len(tokens)))
    items = dock.metadata.reader.array.table
    go_to(items, 8_999, 1)
    assert copied(qtbot, window, items) == "1124.875"


def test_too_many_items_are_said(qtbot, opened, file, monkeypatch):
    window = opened(file[0])
    monkeypatch.setattr(copying, "MOST", 1000)
    window.explorer.dock.open_tab(TOKENS)
    table = window.explorer.dock.tokens.table
    QGuiApplication.clipboard().setText("as before")
    table.setFocus()
    QTest.keySequence(table, "Ctrl+A")
    QTest.keySequence(table, "Ctrl+C")
    assert window.status.said.whole == "18,008 items are too many for the clipboard: select no more than 1,000"
    assert window.tasks.idle  # nothing is being read for it
    assert QGuiApplication.clipboard().text() == "as before"


def test_selecting_all_values_asks_the_model_about_none_of_them(qtbot, opened, tmp_path):
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors([("a", "F32", (200_000, 64), np.zeros(12_800_000, np.float32).tobytes())]))
    window = opened(path, tensor="a")
    window.do("view values")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    cells = window.explorer.area.view.cells
    cells.setFocus()
    asked = []
    model = cells.model()
    whole = type(model).rowCount
    cells.horizontalHeader().viewport().update()
    try:
        type(model).rowCount = lambda self, *args: asked.append(1) or whole(self, *args)
        began = time.thread_time()
        QTest.keySequence(cells, "Ctrl+A")
        qtbot.wait(50)
        QTest.keyClick(cells, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        qtbot.wait(50)
        took = time.thread_time() - began
    finally:
        type(model).rowCount = whole
    assert len(asked) < 20_000 and took < 1
    assert "too many for the clipboard" in window.status.said.whole


def test_a_row_is_a_row_whatever_names_hold(qtbot, opened, tmp_path):
    odd = ["a\tb", 'c\n"d"']
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(tensors=[(name, (4,), 0, bytes(16)) for name in odd]))
    window = opened(path)
    tree = window.explorer.tree
    for name in odd:
        tree.select(window.document.model.tensors[name])
        assert copied(qtbot, window, tree.view) == name
        assert rows_of(copied(qtbot, window, tree.view, "Ctrl+Shift+C")) == [[name, "F32", "4", "16 B"]]
    attach(window, str(path))
    qtbot.waitUntil(lambda: window.document.comparing.stage == "done", timeout=20_000)
    table = window.explorer.area.view.findChild(ErrorList)
    qtbot.waitUntil(lambda: table.model().rowCount() == 2 and window.tasks.idle, timeout=20_000)
    table.setFocus()
    QTest.keySequence(table, "Ctrl+A")
    assert sorted(row[1] for row in rows_of(copied(qtbot, window, table))) == sorted(odd)


def test_copying_takes_the_name_or_the_row(qtbot, opened, model_file):
    window = opened(model_file)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_q.weight"])
    window.explorer.tree.view.setFocus()
    commands.run(window, "copy")
    assert QGuiApplication.clipboard().text() == "blk.1.attn_q.weight"
    commands.run(window, "copy_row")
    assert QGuiApplication.clipboard().text() == "blk.1.attn_q.weight\tF32\t4 × 4\t64 B"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_right_click_on_a_table_offers_what_its_keys_copy(qtbot, opened, file):
    window = opened(file[0])

    def right_click(table):
        place = table.visualRect(table.currentIndex()).center()
        where = table.viewport().mapToGlobal(place)
        QApplication.sendEvent(table.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, where))
        menu = QApplication.activePopupWidget()
        offered = [] if menu is None else menu.actions()
        if menu is not None:
            menu.close()
        return offered

    metadata = window.explorer.dock.metadata.table
    metadata.setFocus()
    go_to(metadata, 0, 2)
    row = right_click(metadata)[1]
    row.trigger()
    assert QGuiApplication.clipboard().text() == "general.architecture\tstr\ttoy"
    assert row.shortcut().toString() == "Ctrl+Shift+C"
    types = window.explorer.area.file_page.types_view
    types.setFocus()
    types.setCurrentIndex(types.model().index(0, 0))
    assert not right_click(types)  # nothing is copied from there
