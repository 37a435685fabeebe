"""A file on its way into the window: chosen, broken, overtaken, cancelled, opened already, read again."""

import threading

from PySide6.QtCore import Qt
from support.events import flush
from support.gestures import drop, press, take

import weightmap
from tensorloupe.items.arrangement import STATE
from tensorloupe.panels.dock import FINDINGS
from tensorloupe.window import commands


def test_the_dialog_lists_every_spelling_of_the_endings_and_all_files(window, model_file, monkeypatch, arrived):
    asked = []
    odd = model_file.rename(model_file.with_name("model.GgUf.part.bak"))  # what is in it decides
    monkeypatch.setattr(
        commands.QFileDialog, "getOpenFileName", lambda *given: (asked.append(given[3]), (str(odd), ""))[1]
    )
    window.do("open")
    arrived(odd)
    assert asked[0].endswith(";;All files (*)")
    for ending in ("gguf", "GGUF", "safetensors", "SAFETENSORS", "safetensors.index.json"):
        assert f"*.{ending} " in asked[0].replace(")", " ")


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


def test_opening_another_file_drops_the_one_that_is_loading(
    qtbot, window, model_file, other_file, monkeypatch, arrived, first_level
):
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
    arrived(other_file)
    gate.set()
    qtbot.waitUntil(lambda: bool(closed), timeout=10_000)
    flush()
    assert window.contents.path == str(other_file)
    assert first_level() == ["Whole file", "a.weight", "b"]


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


def test_closing_while_a_file_loads_ends_soon_and_silently(qtbot, window, model_file, capfd):
    import time

    window.open_paths([str(model_file)])
    started = time.monotonic()
    window.close()
    assert time.monotonic() - started < 2
    assert capfd.readouterr().err.replace("This plugin does not support propagateSizeHints()", "").strip() == ""


def test_the_same_file_does_not_open_twice(qtbot, opened, model_file, tmp_path):
    window = opened(model_file)
    first = window.contents
    link = tmp_path / "link.gguf"
    link.symlink_to(model_file)
    window.open_paths([str(link)])
    qtbot.waitUntil(lambda: "open already" in window.status.said.whole)
    assert window.contents is first and not first.model.closed


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
