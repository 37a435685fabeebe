"""A look at all values, waited for, and how it marks the rows of the tree."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tensorloupe.items.arrangement import STATE
from tensorloupe.window.window import Window


def marks(window: Window) -> dict[str, str]:
    """The mark of every top row of the tree, by its name."""
    model = window.explorer.tree.model
    return {model.index(row, 0).data(): model.look(model.index(row, STATE)).status for row in range(model.rowCount())}


def finished(qtbot: QtBot, window: Window) -> None:
    """Waits until all values were looked at."""
    qtbot.waitUntil(lambda: window.scanning.scan.state == "done" and window.tasks.idle, timeout=10_000)


def open_path(qtbot: QtBot, window: Window, path: Path) -> None:
    """Opens a file, whose values are then looked at while the test goes on."""
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: window.contents is not None and window.contents.path == str(path), timeout=10_000)
