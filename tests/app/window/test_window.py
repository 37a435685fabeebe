"""The window as it is used: drop, select, filter, cancel, broken and vanished files."""

import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QWidget

import weightmap
from tensorloupe.files import ours
from tensorloupe.items.arrangement import STATE
from tensorloupe.panels.dock import FILES, FINDINGS, METADATA, TOKENS
from tensorloupe.views.numbers import Numbers
from tensorloupe.window import commands


def drop(target: QWidget, *paths: Path | str) -> QDropEvent:
    """Drag files over a widget and let go, as a file manager does that would rather move them."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return drop_mime(target, mime)


def drop_mime(target: QWidget, mime: QMimeData) -> QDropEvent:
    where = target.rect().center()
    actions = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    enter = QDragEnterEvent(where, actions, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(target, enter)
    event = QDropEvent(QPointF(where), actions, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    event.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(target, event)
    return event


def take(window, word: str) -> None:
    """Take the offer of the strip that says this."""
    next(b for b in window.strip.findChildren(QPushButton) if b.text() == word and not b.isHidden()).click()


def press(window, keys: str) -> None:
    """Trigger the action of that key, whether or not a window manager made the window active."""
    wanted = QKeySequence(keys)
    next(action for action in window.actions_.by_name.values() if wanted in action.shortcuts()).trigger()


def shown(window) -> list[str]:
    """The first level of the tree."""
    model = window.explorer.tree.model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def wait_opened(qtbot, window, path) -> None:
    qtbot.waitUntil(
        lambda: window.contents is not None and window.contents.path == str(path) and window.tasks.idle, timeout=20_000
    )


def test_a_dropped_file_opens_and_is_copied_not_moved(qtbot, window, model_file):
    event = drop(window, model_file)
    assert event.isAccepted() and event.dropAction() == Qt.DropAction.CopyAction
    wait_opened(qtbot, window, model_file)
    assert shown(window)[:4] == ["Whole file", "token_embd.weight", "blk.0", "blk.1"]
    assert window.stack.currentWidget() is window.explorer
    assert window.summary_line.name.text() == "small.gguf"
    assert window.windowTitle() == "small.gguf – Tensorloupe"
    assert model_file.exists()


def test_a_drop_counts_on_fields_tables_and_readers_too(qtbot, opened, model_file, other_file):
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
    wait_opened(qtbot, window, other_file)
    assert window.explorer.tree.filter.field.text() == ""


def test_what_is_neither_file_nor_address_is_refused_while_it_hovers(window):
    mime = QMimeData()
    mime.setUrls([QUrl("mailto:someone@example.org")])
    enter = QDragEnterEvent(
        QPoint(10, 10), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


def test_a_path_that_is_no_text_can_be_dropped(qtbot, window, model_file):
    path = os.fsdecode(os.fsencode(model_file.parent) + b"/n\xc3\xa4me \xff.gguf")
    os.rename(model_file, path)
    mime = QMimeData()
    encoded = "".join(f"%{byte:02X}" for byte in os.fsencode(path))
    mime.setData("text/uri-list", f"file://{encoded}\r\n".encode().replace(b"%2F", b"/"))
    drop_mime(window, mime)
    wait_opened(qtbot, window, path)
    assert window.summary_line.name.text() == "näme \\xff.gguf"


def test_selecting_a_tensor_shows_its_numbers(qtbot, opened, model_file):
    window = opened(model_file)
    tree = window.explorer.tree
    index = tree.model.index_of(next(n for n, name in enumerate(tree.model.outline.names) if "blk.2.ffn_up" in name))
    tree.view.setCurrentIndex(index)
    qtbot.waitUntil(lambda: window.document.selected is not None)
    assert window.document.selected.name == "blk.2.ffn_up.weight"
    assert window.explorer.area.subject.name.text() == "blk.2.ffn_up.weight"
    assert window.explorer.area.subject.shape.text() == "4 × 4"
    qtbot.waitUntil(lambda: "16 values" in window.status.said.whole, timeout=20_000)
    said = "\n".join(numbers.text() for numbers in window.explorer.area.findChildren(Numbers))
    assert "7.5" in said and "15" in said  # mean and maximum of 0 ... 15
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_the_view_follows_after_the_cursor_rests(qtbot, opened, model_file):
    window = opened(model_file)
    view = window.explorer.tree.view
    view.setFocus()
    for _ in range(4):  # past token_embd and blk.0 into it
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert window.document.selected is None
    qtbot.waitUntil(lambda: window.document.selected is not None)
    assert window.document.selected.name == "blk.0.ffn_up.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_broken_file_is_said_in_place_and_what_was_open_stays(qtbot, opened, model_file, tmp_path):
    window = opened(model_file)
    broken = tmp_path / "page.gguf"
    broken.write_text("<!DOCTYPE html><html><body>404</body></html>")
    drop(window, broken)
    take(window, "Open")
    qtbot.waitUntil(lambda: window.strip.isVisible() and window.strip.mark.status == "error")
    assert window.strip.sentence.text().startswith("page.gguf: ") and "web page" in window.strip.sentence.text()
    assert "Download" in window.strip.consequence.text()
    assert window.contents.path == str(model_file) and window.stack.currentWidget() is window.explorer
    window.explorer.tree.select(window.document.model.tensors["token_embd.weight"])
    assert window.document.selected.name == "token_embd.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_broken_file_in_an_empty_window_leaves_the_welcome_page(qtbot, window, tmp_path):
    broken = tmp_path / "zero.safetensors"
    broken.write_bytes(b"")
    drop(window, broken)
    qtbot.waitUntil(lambda: window.strip.isVisible())
    assert window.stack.currentWidget() is window.welcome
    assert window.strip.sentence.text().startswith("zero.safetensors: ")


def test_a_cut_file_opens_with_what_is_there(qtbot, opened, cut_file):
    window = opened(cut_file)
    assert window.strip.isHidden()
    page = window.explorer.area.file_page
    assert page.strip.sentence.text() == "The file ends 384 B early."
    assert window.summary_line.mark.status == "error"
    assert window.explorer.dock.tabs.currentIndex() == FINDINGS
    assert window.explorer.dock.findings.reader.said[0][0] == "What"
    lost = window.explorer.tree.model.index(0, STATE)
    assert lost.data(Qt.ItemDataRole.AccessibleTextRole) == "error"
    press(window, "F8")
    assert window.explorer.dock.findings.current() is not None


def test_a_file_that_vanished_from_the_recent_list_can_be_removed_there(qtbot, opened, model_file, other_file):
    window = opened(model_file)
    opened(other_file)
    model_file.unlink()
    commands.run(window, "close")
    qtbot.waitUntil(lambda: window.tasks.idle)
    rows = window.welcome.list.paths.rows
    assert [Path(row.path).name for row in rows] == ["other.safetensors", "small.gguf"]
    window.welcome.list.opened.emit(rows[1].path)
    qtbot.waitUntil(lambda: window.strip.isVisible())
    assert len(window.settings.recent()) == 2
    window.strip._buttons[0].click()
    assert [Path(entry.path).name for entry in window.settings.recent()] == ["other.safetensors"]
    assert window.strip.isHidden()


def test_opening_another_file_drops_the_one_that_is_loading(qtbot, window, model_file, other_file, monkeypatch):
    import tensorloupe.opening.contents as opening

    gate, begun, original, closed = threading.Event(), threading.Event(), opening.read, []

    def slow(path, progress):
        contents = original(path, lambda done, total: True)
        if path == str(model_file):
            begun.set()
            gate.wait(10)
            close = contents.model.close
            monkeypatch.setattr(type(contents.model), "close", lambda self: (closed.append(self), close())[1])
        return contents

    monkeypatch.setattr(opening, "read", slow)
    window.open_paths([str(model_file)])
    assert begun.wait(10)
    window.open_paths([str(other_file)])
    wait_opened(qtbot, window, other_file)
    gate.set()
    qtbot.waitUntil(lambda: bool(closed), timeout=10_000)
    qtbot.wait(50)
    assert window.contents.path == str(other_file)
    assert shown(window) == ["Whole file", "a.weight", "b"]


def test_cancel_is_offered_while_a_file_loads_and_heard_at_once(qtbot, window, model_file, monkeypatch):
    import tensorloupe.opening.contents as opening

    gate = threading.Event()

    def slow(path, progress):
        while progress(1, 4) is not False and not gate.wait(0.005):
            pass
        raise weightmap.Cancelled

    monkeypatch.setattr(opening, "read", slow)
    window.open_paths([str(model_file)])
    assert not window.status.busy
    qtbot.waitUntil(lambda: window.status.busy, timeout=5_000)
    assert window.status.doing.whole.startswith("Opening small.gguf")
    assert window.loading.said.text() == "Opening small.gguf"
    press(window, "Esc")
    assert not window.status.busy and window.tasks.idle
    assert window.stack.currentWidget() is window.welcome
    assert window.status.said.whole == "Cancelled opening small.gguf."
    gate.set()


def test_the_filter_leaves_what_fits_and_says_how_much(qtbot, opened, model_file):
    window = opened(model_file)
    press(window, "Ctrl+F")
    bar = window.explorer.tree.filter
    assert window.focusWidget() is bar.field
    qtbot.keyClicks(bar.field, "attn")
    qtbot.waitUntil(lambda: window.explorer.tree.model.shown == 12)
    assert bar._count.text() == "12 of 27 shown"
    qtbot.keyClicks(bar.field, " type:f32 ")
    assert bar.field.text().strip() == "attn" or bar.field.text() == "attn type:f32 "
    press(window, "Esc")
    assert window.explorer.tree.model.shown == 27
    assert bar._count.text() == "27 shown"
    assert window.contents is not None


def test_a_size_is_typed_as_it_is_written(qtbot, opened, model_file):
    window = opened(model_file)
    bar = window.explorer.tree.filter
    bar.field.setFocus()
    QTest.keyClicks(bar.field, "> 0,1 kB ")
    assert [term.text for term in bar.terms] == ["size > 0,1 kB"] and bar.field.text() == ""
    assert window.explorer.tree.model.shown == 1
    QTest.keyClick(bar.field, Qt.Key.Key_Backspace)
    QTest.keyClicks(bar.field, "< 20 attn ")
    assert [(term.text, term.nbytes) for term in bar.terms] == [("size < 20 B", 20.0), ("attn", 0.0)]


def test_esc_clears_the_search_that_has_the_focus_before_the_filter(qtbot, opened, model_file):
    window = opened(model_file)
    field, search = window.explorer.tree.filter.field, window.explorer.dock.search
    field.setText("attn")
    search.setFocus()
    QTest.keyClicks(search, "toy")
    qtbot.waitUntil(lambda: len(window.explorer.dock.metadata.model.rows) == 2 and window.tasks.idle)
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert (search.text(), field.text()) == ("", "attn")
    qtbot.waitUntil(lambda: len(window.explorer.dock.metadata.model.rows) == 6)
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert field.text() == ""


def test_a_finished_term_becomes_a_chip_that_can_be_taken_away(qtbot, opened, model_file):
    window = opened(model_file)
    bar = window.explorer.tree.filter
    qtbot.keyClicks(bar.field, "size>100")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.field.text() == "" and bar._chips[0].text() == "size > 100 B"
    assert window.explorer.tree.model.shown == 1
    bar._chips[0].click()
    assert window.explorer.tree.model.shown == 27 and bar.terms == ()


def test_reload_keeps_selection_filter_and_open_groups(qtbot, opened, model_file):
    window = opened(model_file)
    tree = window.explorer.tree
    tree.view.setExpanded(tree.model.index(7, 0), True)
    name = tree.model.index(7, 0).data()
    tree.filter.field.setText("ffn")
    tree.select(window.document.model.tensors["blk.3.ffn_up.weight"])
    first = window.contents
    press(window, "F5")
    qtbot.waitUntil(lambda: window.contents is not first and window.tasks.idle, timeout=20_000)
    assert window.document.selected.name == "blk.3.ffn_up.weight"
    assert window.document.selected is window.contents.model.tensors["blk.3.ffn_up.weight"]
    assert tree.filter.field.text() == "ffn" and tree.model.shown == 12
    assert name in tree.unfolding.opened()
    assert first.model.closed


def test_a_file_that_changes_on_disk_is_noticed_and_can_be_reloaded(qtbot, opened, model_file):
    window = opened(model_file)
    with model_file.open("ab") as out:
        out.write(bytes(64))
    window.opener.check_stale()
    qtbot.waitUntil(lambda: window.strip.isVisible())
    assert window.strip.mark.status == "warning"
    before = window.contents
    window.strip._buttons[0].click()
    qtbot.waitUntil(lambda: window.contents is not before and window.tasks.idle, timeout=20_000)
    assert window.strip.isHidden()


def test_the_same_file_does_not_open_twice(qtbot, opened, model_file, tmp_path):
    window = opened(model_file)
    first = window.contents
    link = tmp_path / "link.gguf"
    link.symlink_to(model_file)
    window.open_paths([str(link)])
    qtbot.waitUntil(lambda: "open already" in window.status.said.whole)
    assert window.contents is first and not first.model.closed


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


def test_the_dock_shows_metadata_tokens_findings_and_files(qtbot, opened, model_file):
    window = opened(model_file)
    dock = window.explorer.dock
    assert [dock.tabs.tabText(tab) for tab in (METADATA, TOKENS, FILES)] == ["Metadata  6", "Tokens  3,000", "Files  1"]
    dock.open_tab(TOKENS)
    dock.tokens.table.scrollToBottom()
    model = dock.tokens.model
    qtbot.waitUntil(lambda: model.index(2999, 1).data() == "token 2999", timeout=10_000)
    assert model.index(2999, 2).data() == "1499.5"
    dock.search.setText("token 299")
    qtbot.waitUntil(lambda: model.rowCount() == 11, timeout=10_000)
    dock.open_tab(FILES)
    assert dock.files_model.index(0, 0).data() == "small.gguf"


def test_a_long_text_is_read_as_plain_text_beside_its_key(qtbot, opened, model_file):
    window = opened(model_file)
    panel = window.explorer.dock.metadata
    row = next(n for n, entry in enumerate(panel.model.rows) if entry.key == "tokenizer.chat_template")
    panel.table.setCurrentIndex(panel.model.index(row, 2))
    assert panel.reader.isVisible()
    assert panel.reader.text.toPlainText() == "{{ bos }}\n" + "x" * 5000
    panel.table.setFocus()
    press(window, "Ctrl+C")
    assert QGuiApplication.clipboard().text() == "{{ bos }}\n" + "x" * 5000
    panel.table.setCurrentIndex(panel.model.index(0, 2))
    assert not panel.reader.isVisible()


def test_names_from_files_are_no_markup(qtbot, opened, model_file):
    window = opened(model_file)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in window.findChildren(QLabel) if label.text())


def test_a_click_on_the_map_selects_the_tensor(qtbot, opened, model_file):
    window = opened(model_file)
    map_ = window.explorer.area.file_page.map
    qtbot.mouseClick(map_, Qt.MouseButton.LeftButton, pos=QPoint(map_.width() - 2, 10))
    assert window.document.selected.name == window.contents.outline.names[map_.tensor_at(map_.width() - 2)]
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_go_to_a_tensor_by_some_of_its_name(qtbot, opened, model_file):
    window = opened(model_file)
    commands.run(window, "goto_tensor")
    from tensorloupe.panels.goto import GoTo

    dialog = next(child for child in window.findChildren(GoTo))
    qtbot.keyClicks(dialog.field, "7 attn")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.document.selected.name == "blk.7.attn_q.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_going_to_a_tensor_goes_on_in_the_model_that_opened_meanwhile(qtbot, opened, model_file, other_file):
    window = opened(model_file)
    commands.run(window, "goto_tensor")
    dialog = next(child for child in window.findChildren(QDialog) if child.windowTitle() == "Go to tensor")
    qtbot.keyClicks(dialog.field, "weight")
    opened(other_file)
    assert dialog.isVisible() and dialog.list.model().stringList() == ["a.weight"]
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.document.selected is window.document.model.tensors["a.weight"]
    commands.run(window, "goto_tensor")
    commands.run(window, "close")
    assert not dialog.isVisible() and window.document.selected is None
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_copying_takes_the_name_or_the_row(qtbot, opened, model_file):
    window = opened(model_file)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_q.weight"])
    window.explorer.tree.view.setFocus()
    commands.run(window, "copy")
    assert QGuiApplication.clipboard().text() == "blk.1.attn_q.weight"
    commands.run(window, "copy_row")
    assert QGuiApplication.clipboard().text() == "blk.1.attn_q.weight\tF32\t4 × 4\t64 B"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_switching_the_theme_keeps_the_selection(qtbot, opened, model_file):
    window = opened(model_file)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_q.weight"])
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    commands.run(window, "theme dark")
    assert window.theme.dark and window.settings.get("theme", "") == "dark"
    qtbot.waitUntil(lambda: window.updatesEnabled(), timeout=5_000)
    assert window.palette().window().color().name() == "#1e2126"
    assert window.document.selected.name == "blk.1.attn_q.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


@pytest.mark.parametrize("size", [(960, 620), (1366, 768), (3840, 2160)])
def test_no_region_is_squeezed_out(qtbot, opened, model_file, size):
    window = opened(model_file)
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    area, dock, tree = window.explorer.area, window.explorer.dock, window.explorer.tree
    assert tree.width() >= 220 and area.width() >= 460
    assert dock.folded == (size[1] < 700)
    assert area.geometry().bottom() < dock.geometry().top() + 2
    assert window.minimumWidth() <= 960 and window.minimumHeight() <= 620


def test_closing_while_a_file_loads_ends_soon_and_silently(qtbot, window, model_file, capfd):
    import time

    window.open_paths([str(model_file)])
    started = time.monotonic()
    window.close()
    assert time.monotonic() - started < 2
    assert capfd.readouterr().err.replace("This plugin does not support propagateSizeHints()", "").strip() == ""


def test_every_action_has_a_command(window):
    for name in window.actions_.by_name:
        kind = name.partition(" ")[0]
        assert kind in ("view", "theme") or name in commands.COMMANDS


def test_an_unexpected_error_is_shown_and_the_window_goes_on(qtbot, window, capsys):
    from tensorloupe.errors import ErrorHook

    hook = ErrorHook()
    try:
        raise RuntimeError("no <b>such</b> thing")
    except RuntimeError as reason:
        hook(type(reason), reason, reason.__traceback__)
        hook(type(reason), reason, reason.__traceback__)
    assert hook._dialog.isVisible()
    assert hook._dialog.text.toPlainText().count("RuntimeError: no <b>such</b> thing") == 2
    hook._dialog.close()
    assert "RuntimeError" in capsys.readouterr().err
    assert window.isVisible()


def test_five_thousand_selections_lose_nothing(qtbot, opened, model_file):
    window = opened(model_file)
    heard = []
    tensors = window.contents.outline.tensors
    window.document.blockSignals(False)
    window.explorer.area.blockSignals(True)
    window.document.selected_changed.disconnect(window.explorer.area.show_current)
    window.document.selected_changed.connect(heard.append)
    for n in range(5_000):
        window.document.select(tensors[n % len(tensors)])
    assert len(heard) == 5_000 and heard[-1] is tensors[4_999 % len(tensors)]
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_value_of_the_heatmap_leads_to_its_block_and_back(qtbot, opened):
    window = opened(ours.SAMPLE)
    tensor = window.document.model.tensors["blk.0.ffn_down.weight"]
    window.explorer.tree.select(tensor)
    press(window, "Ctrl+2")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    heatmap = window.explorer.area.view
    heatmap.go_to_element((5, 40))
    qtbot.keyClick(heatmap.picture, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    blocks = window.explorer.area.view
    assert blocks is not heatmap and blocks.at.index == (5, 40)
    assert blocks.page.block.index == tensor.locate((5, 40))[0]
    blocks.page.grid.setFocus()
    qtbot.keyClick(blocks.page.grid, Qt.Key.Key_Right)
    qtbot.keyClick(blocks.page.grid, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert window.explorer.area.view is heatmap and heatmap.picture.frame.pointer == (5, 41)


def test_a_finding_of_broken_scales_leads_to_the_block(qtbot, opened, tmp_path):
    import numpy as np
    from support.build import gguf

    blocks = np.zeros((64, 34), np.uint8)
    blocks[:, :2] = np.float16(0.01).reshape(1).view(np.uint8)
    blocks[41, :2] = np.float16(np.nan).reshape(1).view(np.uint8)
    path = tmp_path / "broken.gguf"
    path.write_bytes(
        gguf(tensors=[("blk.0.w", (16, 128), 8, blocks.tobytes()), ("other", (1, 32), 8, blocks[0].tobytes())])
    )
    window = opened(path)
    window.explorer.tree.select(window.document.model.tensors["other"])
    press(window, "Ctrl+3")
    press(window, "F7")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    finding = next(found for found in window.document.model.findings if found.code == "non_finite")
    window.explorer.dock.finding_chosen.emit(finding)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert window.document.selected.name == "blk.0.w"
    assert window.explorer.area.view.page.block.index == 41


def test_the_worst_finding_stands_first(opened, tmp_path):
    path = tmp_path / "m.safetensors"
    header = (
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F7","shape":[1],"data_offsets":[4,8]}}'
    )
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(9))
    findings = opened(tmp_path).explorer.dock.findings
    severities = [str(row.severity) for row in findings.model.rows]
    assert severities[0] == "error" and len(set(severities)) > 1
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert findings.current() is findings.model.rows[0]


def test_the_dialog_lists_every_spelling_of_the_endings_and_all_files(qtbot, window, model_file, monkeypatch):
    asked = []
    odd = model_file.rename(model_file.with_name("model.GgUf.part.bak"))  # what is in it decides
    monkeypatch.setattr(
        commands.QFileDialog, "getOpenFileName", lambda *given: (asked.append(given[3]), (str(odd), ""))[1]
    )
    window.do("open")
    wait_opened(qtbot, window, odd)
    assert asked[0].endswith(";;All files (*)")
    for ending in ("gguf", "GGUF", "safetensors", "SAFETENSORS", "safetensors.index.json"):
        assert f"*.{ending} " in asked[0].replace(")", " ")


def test_the_recent_list_asks_no_disk(window, monkeypatch):
    for n in range(3):
        window.settings.add_recent(f"/gone/{n}.gguf", 1, "ok")

    def ask(path, *_, **__):
        raise AssertionError(f"the disk was asked about {path}")

    with monkeypatch.context() as slow:
        for name in ("exists", "isfile", "getsize", "realpath"):
            slow.setattr(os.path, name, ask)
        slow.setattr(os, "stat", ask)
        window.refresh_recent()
    assert len([a for a in window.actions_.recent.actions() if "gone" in a.text()]) == 3
