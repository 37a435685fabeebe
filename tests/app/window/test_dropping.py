"""Things dropped on the window: what is taken, what is refused, and that nothing is moved."""

import os

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtWidgets import QLineEdit
from support.gestures import drop, drop_mime, hover, take


def test_a_dropped_file_opens_and_is_copied_not_moved(window, model_file, arrived, first_level):
    event = drop(window, model_file)
    assert event.isAccepted() and event.dropAction() == Qt.DropAction.CopyAction
    arrived(model_file)
    assert first_level()[:4] == ["Whole file", "token_embd.weight", "blk.0", "blk.1"]
    assert window.stack.currentWidget() is window.explorer
    assert window.summary_line.name.text() == "small.gguf"
    assert window.windowTitle() == "small.gguf – Tensorloupe"
    assert model_file.exists()


def test_a_drop_counts_on_fields_tables_and_readers_too(opened, model_file, other_file, arrived):
    window = opened(model_file)
    dock = window.explorer.dock
    for target in (
        window.explorer.tree.filter.field,
        dock.metadata.table.viewport(),
        dock.metadata.reader.text,
        dock.metadata.reader.text.viewport(),
    ):
        assert not target.acceptDrops()
    assert not any(child.acceptDrops() for child in window.findChildren(QLineEdit))
    drop(window, other_file)
    take(window, "Open")
    arrived(other_file)
    assert window.explorer.tree.filter.field.text() == ""


def test_what_is_neither_file_nor_address_is_refused_while_it_hovers(window):
    mime = QMimeData()
    mime.setUrls([QUrl("mailto:someone@example.org")])
    assert not hover(window, mime).isAccepted()


def test_a_path_that_is_no_text_can_be_dropped(window, model_file, arrived):
    path = os.fsdecode(os.fsencode(model_file.parent) + b"/n\xc3\xa4me \xff.gguf")
    os.rename(model_file, path)
    mime = QMimeData()
    encoded = "".join(f"%{byte:02X}" for byte in os.fsencode(path))
    mime.setData("text/uri-list", f"file://{encoded}\r\n".encode().replace(b"%2F", b"/"))
    drop_mime(window, mime)
    arrived(path)
    assert window.summary_line.name.text() == "näme \\xff.gguf"


def test_the_open_file_dropped_again_is_said_to_be_open(qtbot, opened, model_file):
    window = opened(model_file)
    drop(window, model_file)
    qtbot.waitUntil(lambda: window.status.said.whole == "small.gguf is open already.", timeout=20_000)
    assert not window.strip.isVisible()
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_two_dropped_files_are_a_choice_that_can_be_left(qtbot, opened, model_file, other_file, cut_file):
    window = opened(model_file)
    drop(window, other_file, cut_file)
    assert window.stack.currentWidget() is window.welcome
    assert [row.path for row in window.welcome.list.paths.rows] == [str(other_file), str(cut_file)]
    assert window.welcome.back.isVisible() and window.welcome.check.isVisible()
    window.welcome.back.click()
    assert window.stack.currentWidget() is window.explorer
    assert window.contents.path == str(model_file)
