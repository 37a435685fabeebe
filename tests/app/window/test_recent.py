"""The files opened lately: remembered without a look at the disk, and taken off once they are gone."""

import os
from pathlib import Path

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
