"""The window as a whole: its regions, its theme, its commands."""

import pytest
from PySide6.QtWidgets import QApplication

from tensorloupe.window import commands


def test_every_action_has_a_command(window):
    for name in window.actions_.by_name:
        kind = name.partition(" ")[0]
        assert kind in ("view", "theme") or name in commands.COMMANDS


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
