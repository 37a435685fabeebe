"""Names and paths are shown letter by letter: no markup, no mnemonics, no placeholders, nothing that turns text around."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QHelpEvent, QMouseEvent, Qt, QTextDocumentFragment
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QToolTip, QWidget
from support.build import gguf

from tensorloupe.items.arrangement import NAME
from tensorloupe.style import tips

HOSTILE = (
    "<b>bold</b>&amp; [*] $x_1$ \\frac",
    "&File [*]",
    "a\u202eb\u2066c",
    "line\nbreak\ttab",
    "<img src='file:///etc/passwd'>" + "y" * 200,
    "$\\undefined{$",
)
TURNING = "\u202e\u2066"


@pytest.fixture
def hostile_file(tmp_path: Path) -> Path:
    folder = tmp_path / "<b>dir<b> & [*] $x$ \u202eq"
    folder.mkdir()
    path = folder / "m <i>x<i> & [*] $y$\u202e.gguf"
    values = np.linspace(-1, 1, 64 * 32, dtype="<f4").tobytes()
    metadata = [
        ("general.architecture", "str", "llama"),
        ("general.name", "str", "<b>N</b> & [*] $x$ \u202e"),
        ("<b>key</b>", "str", "<u>value</u>&amp;"),
        ("list", "arr", ("str", list(HOSTILE))),
    ]
    path.write_bytes(gguf(metadata, [(name, (32, 64), 0, values) for name in HOSTILE]))
    return path


def said(text: str) -> str:
    """What Qt shows of a tooltip."""
    return QTextDocumentFragment.fromHtml(text).toPlainText() if Qt.mightBeRichText(text) else text


@pytest.mark.parametrize("text", [*HOSTILE, "<b>x</b>\nsecond  line\n<i>", "plain", ""])
def test_tooltips_say_what_they_were_given(qapp, text):
    assert said(tips.plain(text)).replace("\u00a0", " ") == text
    assert tips.plain(None) is None


def everywhere(window: QWidget) -> list[str]:
    """All text that any widget of the window shows or speaks, tooltips of cells as they are read."""
    found = [window.windowTitle()]
    for widget in window.findChildren(QWidget):
        found += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        assert said(widget.toolTip()) == widget.toolTip() or "<p" in widget.toolTip()
        if isinstance(widget, QLabel):
            assert widget.textFormat() == Qt.TextFormat.PlainText or not Qt.mightBeRichText(widget.text())
            found.append(widget.text())
        if isinstance(widget, QAbstractButton):
            found.append(widget.text())
        if isinstance(widget, QAbstractItemView) and widget.model() is not None and widget.isVisible():
            model = widget.model()
            roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
            cells = ((row, column) for row in range(min(model.rowCount(), 30)) for column in range(model.columnCount()))
            for row, column in cells:
                found += [str(model.index(row, column).data(role) or "") for role in roles]
    return found


def test_no_view_and_no_panel_takes_a_name_for_more_than_letters(qtbot, opened, hostile_file):
    window = opened(hostile_file)
    assert window.windowTitle().replace("[*][*]", "[*]") == "m <i>x<i> & [*] $y$\\u202e.gguf – Tensorloupe"
    for tab in range(window.explorer.dock.tabs.count()):
        window.explorer.dock.tabs.setCurrentIndex(tab)
        assert not any(sign in text for text in everywhere(window) for sign in TURNING)
    for name in (HOSTILE[0], HOSTILE[2], HOSTILE[5]):
        window.explorer.tree.select(window.document.model.tensors[name])
        for position, _ in enumerate(window.explorer.area.all_views()):
            window.explorer.area.open_tab(position)
            qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
            assert not any(sign in text for text in everywhere(window) for sign in TURNING)


def test_the_tooltip_of_a_tensor_is_its_name(qtbot, opened, hostile_file):
    window = opened(hostile_file)
    view = window.explorer.tree.view
    row = next(n for n in range(view.model().rowCount()) if view.model().index(n, NAME).data() == HOSTILE[0])
    where = view.visualRect(view.model().index(row, NAME)).center()
    event = QHelpEvent(QEvent.Type.ToolTip, where, view.viewport().mapToGlobal(where))
    QApplication.sendEvent(view.viewport(), event)
    assert said(QToolTip.text()).splitlines()[0] == HOSTILE[0]
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_the_map_of_bytes_names_tensors_letter_by_letter(qtbot, opened, hostile_file):
    window = opened(hostile_file)
    map_ = window.explorer.area.file_page.map
    tips_seen = set()
    for x in range(0, map_.width(), 4):
        where = QPointF(x, 5)
        none, over = Qt.MouseButton.NoButton, QPointF(map_.mapToGlobal(QPoint(x, 5)))
        event = QMouseEvent(QEvent.Type.MouseMove, where, over, none, none, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(map_, event)
        tips_seen.add(said(map_.toolTip()).splitlines()[0])
    assert HOSTILE[0] in tips_seen and "a\\u202eb\\u2066c" in tips_seen


def test_plots_show_dollars_and_save_them(qtbot, opened, hostile_file, tmp_path):
    window = opened(hostile_file)
    window.explorer.tree.select(window.document.model.tensors[HOSTILE[5]])
    for key in ("overview", "heatmap"):
        window.do(f"view {key}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        view = window.explorer.area.view
        assert view.has_picture
        with qtbot.waitSignal(view.written, timeout=20_000) as saved:
            view.save_picture(str(tmp_path / f"{key}.svg"))
        assert saved.args[1] is None
        assert "</svg>" in (tmp_path / f"{key}.svg").read_text(encoding="utf-8")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_such_paths_open_from_the_recent_list_and_the_command_line(qtbot, opened, window, hostile_file):
    path = os.fsdecode(os.fsencode(hostile_file.parent) + b"/\xff\xfe <b>.gguf")
    os.rename(hostile_file, path)
    opened(path)
    window.do("close")
    entry = window.settings.recent()[0]
    assert entry.path == path
    action = window.actions_.recent.actions()[0]
    assert "\\xff\\xfe <b>.gguf" in action.text()
    action.trigger()
    qtbot.waitUntil(lambda: window.contents is not None and window.tasks.idle, timeout=20_000)
    assert window.document.path == path
    assert window.summary_line.name.text() == "\\xff\\xfe <b>.gguf"


def test_names_from_files_are_no_markup(qtbot, opened, model_file):
    window = opened(model_file)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in window.findChildren(QLabel) if label.text())
