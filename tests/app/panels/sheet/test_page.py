"""The page of many models: what is said of the one under the cursor, filtered, sorted, copied."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from support.gestures import press

from tensorloupe.items.sheet import FILE, FOLDER, FORMAT, TYPES
from tensorloupe.window import commands


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


def test_columns_give_way_to_the_finding_in_a_larger_font(sheet, monkeypatch):
    assert not any(sheet.view.isColumnHidden(column) for column in (FOLDER, FORMAT, TYPES))
    monkeypatch.setattr(sheet.view._theme, "scaled", lambda size: 2 * size)
    sheet.view.resize(sheet.view.width() - 1, sheet.view.height())
    assert all(sheet.view.isColumnHidden(column) for column in (FOLDER, FORMAT, TYPES))
