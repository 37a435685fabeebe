"""The files opened lately: remembered without a look at the disk, and taken off once they are gone."""

import os
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from support.build import safetensors

from tensorloupe.window import commands


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


def test_a_name_that_is_no_text_opens_from_the_list_and_leaves_it(qtbot, opened, tmp_path, other_file):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/latin\xe9.safetensors")
    Path(path).write_bytes(safetensors([("a", "F32", (2,), np.ones(2, "<f4").tobytes())]))
    window = opened(path)
    commands.run(window, "close")
    qtbot.waitUntil(lambda: window.tasks.idle)
    listed = window.welcome.list
    QTest.mouseClick(
        listed.viewport(), Qt.MouseButton.LeftButton, pos=listed.visualRect(listed.paths.index(0, 0)).center()
    )
    qtbot.waitUntil(lambda: window.document.path == path)
    opened(other_file)
    Path(path).unlink()
    window.open_paths([path])
    qtbot.waitUntil(window.strip.isVisible)
    window.strip._buttons[0].click()
    assert [Path(entry.path).name for entry in window.settings.recent()] == ["other.safetensors"]


def test_the_list_is_cleared_by_key_too(qtbot, opened, model_file):
    window = opened(model_file)
    opened(model_file)
    QTest.keySequence(window, "Ctrl+Shift+Del")
    assert window.settings.recent() == () and not window.actions_.recent.isEnabled()
    window.settings.add_recent("/gone/a.gguf", 1, "ok")
    window.refresh_recent()
    assert window.actions_.by_name["clear_recent"] in window.actions_.recent.actions()
