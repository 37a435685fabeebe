"""No part of the window is a window of its own for a moment: that would flash on the screen, and take the keyboard away."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QWidget
from support.build import safetensors

from tensorloupe.files.ours import SAMPLE
from tensorloupe.panels.dock import FILES, FINDINGS
from tensorloupe.views import VIEWS
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.window import Window


class Flashes(QObject):
    """Keeps the names of widgets that are shown as windows and are neither that, nor dialogs, nor menus."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def eventFilter(self, watched, event):
        shown = event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow()
        if shown and not isinstance(watched, Window | QDialog | QMenu):
            self.seen.append(f"{type(watched).__name__} {watched.accessibleName()}")
        return False


@pytest.fixture
def flashes(qapp):
    made = Flashes()
    qapp.installEventFilter(made)
    yield made.seen
    qapp.removeEventFilter(made)


def test_a_list_of_files_leaves_the_keyboard_in_the_window(
    qtbot, window, flashes, model_file, other_file, cut_file, settled
):
    window.open_paths([str(path) for path in (model_file, other_file, cut_file)])
    qtbot.waitUntil(lambda: window.sheets.in_front, timeout=20_000)
    settled()
    assert flashes == [] and QApplication.activeWindow() is window
    QTest.keySequence(QApplication.focusWidget(), "Ctrl+F")
    QTest.keyClicks(QApplication.focusWidget(), "cut")
    qtbot.waitUntil(lambda: window.sheets.page.model.rowCount() == 1)


def test_the_list_is_exported_by_key_from_its_filter_too(
    qtbot, window, tmp_path, monkeypatch, model_file, other_file, settled
):
    window.sheets.check([str(model_file), str(other_file)])
    qtbot.waitUntil(lambda: window.sheets.in_front, timeout=20_000)
    settled()
    assert QApplication.activeWindow() is window
    out = tmp_path / "list.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(out), ""))
    QTest.keySequence(QApplication.focusWidget(), "Ctrl+F")
    field = QApplication.focusWidget()
    QTest.keyClicks(field, "other")
    qtbot.waitUntil(lambda: window.sheets.page.model.rowCount() == 1)
    QTest.keyClick(field, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(out.exists, timeout=20_000)
    settled()
    assert out.read_text().count("other.safetensors") == 1 and "small.gguf" not in out.read_text()


def test_no_view_and_no_panel_flashes(qtbot, opened, flashes, tmp_path, cut_file, model_file, settled):
    window = opened(SAMPLE)
    names = {tensor.type.name: tensor.name for tensor in window.document.model.tensors.values()}
    for name in names.values():
        window.explorer.tree.select(window.document.model.tensors[name])
        for kind in VIEWS:
            window.do(f"view {kind.key}")
            settled()
    attach(window, str(SAMPLE))
    settled()
    for tab in (FINDINGS, FILES):
        window.explorer.dock.open_tab(tab)
    window.do("detach")
    odd = tmp_path / "odd.safetensors"
    values = {
        "scalar": np.float32(1),
        "slices": np.ones((2, 3, 4, 4), np.float32),
        "empty": np.zeros((0, 3), np.float32),
    }
    odd.write_bytes(safetensors([(n, "F32", v.shape, v.tobytes()) for n, v in values.items()]))
    for path in (odd, cut_file, model_file):
        window.open_paths([str(path)])
        qtbot.waitUntil(lambda path=path: window.contents.path == str(path), timeout=20_000)
        for tensor in [*window.document.model.tensors.values()][-3:]:
            window.explorer.tree.select(tensor)
            for kind in VIEWS:
                window.do(f"view {kind.key}")
                settled()
    window.do("close")
    settled()
    assert flashes == []
