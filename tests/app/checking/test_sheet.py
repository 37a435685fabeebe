"""Many models at once: dropped, walked, judged, cancelled, checked again, exported, looked into and come back to."""

import csv
import json
import threading
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QFileDialog

import weightmap
from tensorloupe.checking import judge as judging
from tensorloupe.items.sheet import FILE, FIRST, FOLDER, STATE
from tensorloupe.window import commands


def drop(target, *paths):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    where, actions = target.rect().center(), Qt.DropAction.CopyAction
    keys = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(target, QDragEnterEvent(where, actions, mime, Qt.MouseButton.LeftButton, keys))
    QApplication.sendEvent(target, QDropEvent(QPointF(where), actions, mime, Qt.MouseButton.LeftButton, keys))


def press(window, keys):
    """Trigger the action of this key, which must be usable; works without a window manager, too."""
    action = next(a for a in window.actions_.by_name.values() if QKeySequence(keys) in a.shortcuts())
    assert action.isEnabled()
    action.trigger()


def done(qtbot, window):
    """The page, once every row is judged."""
    qtbot.waitUntil(lambda: window.sheets.in_front)
    page = window.sheets.page
    qtbot.waitUntil(lambda: not page.sweep.running and window.tasks.idle, timeout=20_000)
    return page


def states(page):
    return {row.name: row.state for row in page.model.rows if not row.hidden}


@pytest.fixture
def sheet(qtbot, window, incoming):
    """The page with the folder judged."""
    drop(window, incoming)
    qtbot.waitUntil(lambda: window.sheets.in_front)
    return done(qtbot, window)


ALL = {
    "sound1.safetensors": "ok",
    "sound2.safetensors": "ok",
    "sound10.safetensors": "ok",
    "nan.safetensors": "ok",
    "cut.gguf": "error",
    "page.gguf": "error",
    "pointer.gguf": "error",
}


def test_a_dropped_folder_becomes_a_list_with_a_row_for_each_model(window, sheet, incoming):
    assert states(sheet) == ALL
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
        "4 no problems",
    ]


def test_three_files_are_listed_and_two_are_a_choice(qtbot, window, incoming):
    three = [incoming / name for name in ("sound1.safetensors", "cut.gguf", "page.gguf")]
    drop(window, *three[:2])
    assert window.stack.currentWidget() is window.welcome and window.welcome.check.isVisible()
    window.welcome.check.click()
    assert states(done(qtbot, window)) == {"sound1.safetensors": "ok", "cut.gguf": "error"}
    commands.run(window, "close")
    assert window.stack.currentWidget() is window.welcome and not window.sheets.exists
    drop(window, *three)
    assert len(states(done(qtbot, window))) == 3


def test_further_files_dropped_on_the_list_are_added(qtbot, window, sheet, tmp_path, model_file, other_file):
    drop(sheet.view.viewport() if sheet.view.viewport().acceptDrops() else window, model_file, other_file)
    page = done(qtbot, window)
    assert len(states(page)) == 9 and states(page)["small.gguf"] == "info"


def test_parts_of_one_set_are_one_model(qtbot, window, incoming):
    from tensorloupe.opening.drops import one_per_set

    parts = [f"/m/x-0000{n}-of-00003.gguf" for n in (2, 1, 3)]
    assert one_per_set(parts) == parts[:1]
    shards = ["/m/model.safetensors.index.json", *(f"/m/model-0000{n}-of-00002.safetensors" for n in (1, 2))]
    assert one_per_set(shards) == shards[:1]
    assert one_per_set(["/a/x-00001-of-00002.gguf", "/b/x-00002-of-00002.gguf"]) == [
        "/a/x-00001-of-00002.gguf",
        "/b/x-00002-of-00002.gguf",
    ]


def test_the_cursor_shows_all_that_is_said_about_a_model(qtbot, window, sheet):
    assert sheet.view.current().state == "error"
    row = next(row for row in sheet.model.rows if row.name == "cut.gguf")
    sheet.view.go_to(row)
    assert sheet.detail.name.whole == "cut.gguf"
    assert dict(sheet.detail.findings.reader.said)["What to do"].startswith("Download the file again")
    sheet.detail.copy.click()
    assert "truncated" in QGuiApplication.clipboard().text()
    page = next(row for row in sheet.model.rows if row.name == "page.gguf")
    sheet.view.go_to(page)
    assert not sheet.detail.open.isEnabled()
    qtbot.keyClick(sheet.view, Qt.Key.Key_Return)
    assert window.sheets.in_front and window.strip.isHidden()
    assert "web page" in window.status.said.whole


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


def test_the_switch_looks_at_the_values_of_all(qtbot, window, sheet):
    sheet.head.values.click()
    page = done(qtbot, window)
    assert states(page) == ALL | {"nan.safetensors": "warning"}
    assert window.settings.get("sheet_values", False) is True
    assert all(row.values for row in page.model.rows if row.openable)
    row = next(row for row in page.model.rows if row.name == "nan.safetensors")
    assert [finding.code for finding in row.findings] == ["non_finite"]


def test_chips_and_words_filter(qtbot, window, sheet):
    sheet.chips.by_key["error"].click()
    assert sheet.model.rowCount() == 3
    sheet.chips.by_key["error"].click()
    assert sheet.model.rowCount() == 7
    press(window, "Ctrl+F")
    assert window.focusWidget() is sheet.chips.field
    qtbot.keyClicks(sheet.chips.field, "deeper")
    assert [sheet.model.index(n, FILE).data() for n in range(sheet.model.rowCount())] == ["pointer.gguf"]
    press(window, "Esc")
    assert sheet.model.rowCount() == 7 and sheet.chips.field.text() == ""


def test_a_head_sorts_when_it_is_clicked(qtbot, sheet):
    header = sheet.view.horizontalHeader()
    x = header.sectionViewportPosition(FILE) + 20
    qtbot.mouseClick(
        header.viewport(), Qt.MouseButton.LeftButton, pos=header.viewport().rect().topLeft() + QPointF(x, 8).toPoint()
    )
    names = [sheet.model.index(n, FILE).data() for n in range(7)]
    sounds = [f"sound{n}.safetensors" for n in (1, 2, 10)]
    assert names == ["cut.gguf", "nan.safetensors", "page.gguf", "pointer.gguf", *sounds]


def test_check_again_sees_what_changed_and_what_is_new(qtbot, window, sheet, incoming):
    (incoming / "cut.gguf").write_bytes((incoming / "sound1.safetensors").read_bytes())
    (incoming / "sound3.safetensors").write_bytes((incoming / "sound2.safetensors").read_bytes())
    (incoming / "sound2.safetensors").unlink()
    press(window, "F5")
    page = done(qtbot, window)
    now = states(page)
    assert now["cut.gguf"] == "warning" and now["sound3.safetensors"] == "ok" and now["sound2.safetensors"] == "error"


def test_only_the_selected_are_checked_again(qtbot, window, sheet, incoming):
    for name in ("sound1", "sound2", "sound10"):
        (incoming / f"{name}.safetensors").write_bytes(b"")
    sheet.view.clearSelection()
    rows = [row for row in sheet.model.rows if row.name in ("sound1.safetensors", "sound2.safetensors")]
    flags = sheet.view.selectionModel().SelectionFlag
    for row in rows:
        index = sheet.model.index(sheet.model.position_of(row), FILE)
        sheet.view.selectionModel().select(index, flags.Select | flags.Rows)
    press(window, "F5")
    now = states(done(qtbot, window))
    assert (now["sound1.safetensors"], now["sound2.safetensors"]) == ("error", "error")
    assert now["sound10.safetensors"] == "ok"


def test_rows_are_copied_whole(qtbot, window, sheet):
    sheet.view.setFocus()
    sheet.view.go_to(next(row for row in sheet.model.rows if row.name == "sound1.safetensors"))
    commands.run(window, "copy")
    assert QGuiApplication.clipboard().text().endswith("incoming/sound1.safetensors")
    commands.run(window, "copy_row")
    fields = QGuiApplication.clipboard().text().split("\t")
    assert fields[0] == "ok" and fields[2] == "safetensors" and fields[4:] == ["2", "F32", "no problems"]
    sheet.view.selectAll()
    commands.run(window, "copy")
    assert QGuiApplication.clipboard().text().count("\n") == 6


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


def test_cancel_keeps_what_is_done_and_resume_goes_on(qtbot, window, incoming, monkeypatch):
    gate, judged, original = threading.Event(), Counter(), judging.judge

    def slow(path, values, progress, opened):
        judged[Path(path).name] += 1
        if sum(judged.values()) > 3:
            while not gate.wait(0.005):
                progress(0, 1)
        return original(path, values, progress, opened)

    monkeypatch.setattr("tensorloupe.checking.sweep.judge", slow)
    window.sheets.check([str(incoming)])
    qtbot.waitUntil(lambda: window.sheets.in_front)
    page = window.sheets.page
    qtbot.waitUntil(lambda: sum(state in ("ok", "error") for state in states(page).values()) == 3, timeout=5_000)
    qtbot.waitUntil(lambda: window.status.busy and "3 of 7" in window.status.doing.whole, timeout=5_000)
    qtbot.waitUntil(lambda: window.status.said.whole == "3 of 7 models checked", timeout=5_000)
    press(window, "Esc")
    assert not page.sweep.running and page.strip.isVisible()
    assert page.strip.sentence.whole == "Cancelled at 3 of 7 models."
    assert Counter(states(page).values())["waiting"] == 4
    gate.set()
    page.strip._buttons[0].click()
    assert states(done(qtbot, window)) == ALL and page.strip.isHidden()
    finished = [name for name, times in judged.items() if times == 1]
    assert len(finished) >= 3


def test_a_new_list_drops_the_results_of_the_old_one(qtbot, window, incoming, tmp_path, monkeypatch):
    gate, original = threading.Event(), judging.judge

    def slow(path, values, progress, opened):
        if "incoming" in path:
            gate.wait(5)
        return original(path, values, progress, opened)

    monkeypatch.setattr("tensorloupe.checking.sweep.judge", slow)
    window.sheets.check([str(incoming)])
    qtbot.wait(150)
    other = tmp_path / "other"
    other.mkdir()
    for n in range(3):
        (other / f"m{n}.safetensors").write_bytes((incoming / "sound1.safetensors").read_bytes())
    window.sheets.check([str(other)])
    gate.set()
    assert states(done(qtbot, window)) == {f"m{n}.safetensors": "ok" for n in range(3)}
    qtbot.wait(100)
    assert len(window.sheets.page.model.rows) == 3


def test_a_thousand_files_come_in_batches_between_which_the_window_lives(qtbot, window, tmp_path, incoming):
    folder = tmp_path / "many"
    folder.mkdir()
    sound = (incoming / "sound1.safetensors").read_bytes()
    for n in range(1_000):
        (folder / f"m{n}.safetensors").write_bytes(sound if n % 10 else b"")
    judged, pulse = [], QTimer()
    pulse.setInterval(2)
    pulse.timeout.connect(
        lambda: judged.append(sum(state in ("ok", "error") for state in states(window.sheets.page).values()))
    )
    window.sheets.check([str(folder)])
    pulse.start()
    page = done(qtbot, window)
    pulse.stop()
    assert Counter(states(page).values()) == {"ok": 900, "error": 100}
    assert len(set(judged)) > 3, "the list came all at once"


def test_the_list_ends_silently_with_its_window(qtbot, window, incoming, capfd):
    window.sheets.check([str(incoming)])
    window.close()
    assert "Traceback" not in capfd.readouterr().err


def test_a_folder_without_models_says_so_in_place(qtbot, window, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    window.sheets.check([str(empty)])
    page = done(qtbot, window)
    assert list(states(page).values()) == ["error"] and page.model.index(0, FIRST).data().endswith(".")
    assert isinstance(page.model.rows[0].findings[0], weightmap.Finding)
