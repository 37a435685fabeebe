"""Many models in the window: dropped, listed, left for one of them and come back to, exported."""

import csv
import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from support.gestures import drop, press
from support.incoming import STATES, states

from tensorloupe.items.sheet import FILE, FIRST, FOLDER, STATE
from tensorloupe.window import commands


def test_a_dropped_folder_becomes_a_list_with_a_row_for_each_model(window, sheet, incoming):
    assert states(sheet) == STATES
    assert window.windowTitle() == "Validation – Tensorloupe" and window.summary_line.isHidden()
    assert sheet.head.place.whole == str(incoming)
    assert window.status.said.whole == "7 models checked"
    shown = {sheet.model.index(n, FILE).data(): n for n in range(7)}
    pointer = shown["pointer.gguf"]
    assert "4,661,211,424" in sheet.model.index(pointer, FIRST).data()
    assert sheet.model.index(pointer, FOLDER).data() == "deeper" and not sheet.view.isColumnHidden(FOLDER)
    assert sheet.model.index(0, STATE).data(Qt.ItemDataRole.AccessibleTextRole) == "error"
    assert [chip.text().strip() for key, chip in sheet.chips.by_key.items() if not chip.isHidden()] == [
        "3 errors",
        "4 without problems",
    ]


def test_three_files_are_listed_and_two_are_a_choice(window, incoming, listed):
    three = [incoming / name for name in ("sound1.safetensors", "cut.gguf", "page.gguf")]
    drop(window, *three[:2])
    assert window.stack.currentWidget() is window.welcome and window.welcome.check.isVisible()
    window.welcome.check.click()
    assert states(listed()) == {"sound1.safetensors": "ok", "cut.gguf": "error"}
    commands.run(window, "close")
    assert window.stack.currentWidget() is window.welcome and not window.sheets.exists
    drop(window, *three)
    assert len(states(listed())) == 3


def test_further_files_dropped_on_the_list_are_added(window, sheet, tmp_path, model_file, other_file, listed):
    drop(sheet.view.viewport() if sheet.view.viewport().acceptDrops() else window, model_file, other_file)
    page = listed()
    assert len(states(page)) == 9 and states(page)["small.gguf"] == "info"


def test_enter_opens_a_model_and_a_crumb_leads_back(qtbot, window, sheet):
    row = next(row for row in sheet.model.rows if row.name == "nan.safetensors")
    sheet.view.go_to(row)
    qtbot.keyClick(sheet.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.explorer and window.tasks.idle, timeout=10_000)
    assert window.contents.path == row.path and window.summary_line.isVisible()
    assert window.crumb.isVisible() and window.crumb.said.whole.endswith("7 models checked")
    press(window, "Alt+Left")
    assert window.sheets.in_front and sheet.view.current() is row and window.crumb.isHidden()
    index = sheet.model.index(sheet.model.position_of(row), FILE)
    where = sheet.view.visualRect(index).center()
    qtbot.mouseClick(sheet.view.viewport(), Qt.MouseButton.LeftButton, pos=where)
    qtbot.mouseDClick(sheet.view.viewport(), Qt.MouseButton.LeftButton, pos=where)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.explorer, timeout=10_000)
    window.crumb.back.click()
    assert window.sheets.in_front
    commands.run(window, "close")
    assert window.stack.currentWidget() is window.explorer and window.crumb.isHidden()
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=10_000)


def test_the_export_holds_the_entries_of_the_command(qtbot, window, sheet, incoming, tmp_path, monkeypatch, capsys):
    from weightmap.cli import main

    out = tmp_path / "list.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(out), "JSON (*.json)"))
    press(window, "Ctrl+E")
    qtbot.waitUntil(out.exists, timeout=5_000)
    main(["validate", str(incoming), "--json"])
    assert json.loads(out.read_text()) == json.loads(capsys.readouterr().out)
    qtbot.waitUntil(lambda: window.status.said.whole == "Wrote 7 models to list.json")
    sheet.chips.by_key["error"].click()
    table = tmp_path / "list.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "list"), "Table (*.csv)"))
    commands.run(window, "export_list")
    qtbot.waitUntil(table.exists, timeout=5_000)
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [Path(row["path"]).name for row in rows] == ["cut.gguf", "page.gguf", "pointer.gguf"]
    assert rows[0]["code"] == "truncated" and rows[0]["tensors"] == "1" and rows[1]["format"] == ""
    qtbot.waitUntil(lambda: window.tasks.idle)


def test_an_export_that_cannot_be_written_is_said_in_place(qtbot, window, sheet, tmp_path, monkeypatch):
    out = str(tmp_path / "nowhere" / "list.json")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (out, ""))
    commands.run(window, "export_list")
    qtbot.waitUntil(window.strip.isVisible, timeout=5_000)
    assert window.strip.sentence.whole == "list.json was not written."


def test_the_list_ends_silently_with_its_window(qtbot, window, incoming, capfd):
    window.sheets.check([str(incoming)])
    window.close()
    assert "Traceback" not in capfd.readouterr().err
