"""Web addresses in the window: contacted only after the user agreed, read in the background, wrong in one place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fsspec.asyn
import numpy as np
import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.build import safetensors
from support.gestures import drop_mime, take
from support.web import Web, serving

from tensorloupe.window.addresses import AddressDialog
from tensorloupe.window.window import Window

NAMES = ("one", "two", "three")


@pytest.fixture(scope="module", autouse=True)
def _loop() -> None:
    """Start fsspec's event loop and that one's helpers: threads that live as long as the process."""
    loop = fsspec.asyn.get_loop()
    together = threading.Barrier(33)
    executor = ThreadPoolExecutor(32, "asyncio")
    loop.call_soon_threadsafe(loop.set_default_executor, executor)
    for _ in range(32):
        executor.submit(together.wait)
    together.wait()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    folder = tmp_path / "served"
    folder.mkdir()
    values = {name: np.full((300, 300), number, "<f4") for number, name in enumerate(NAMES)}
    tensors = [(name, "F32", (300, 300), array.tobytes()) for name, array in values.items()]
    (folder / "model.safetensors").write_bytes(safetensors(tensors))
    with serving(folder) as running:
        yield running


@pytest.fixture
def dialog(window: Window, qtbot: QtBot) -> Callable[[], AddressDialog]:
    """Opens the dialog as its menu entry does."""

    def open_() -> AddressDialog:
        window.do("open_address")
        found = window.findChild(AddressDialog)
        assert found is not None
        qtbot.waitUntil(found.isVisible)
        return found

    return open_


def dropped(window: Window, address: str, plain: bool = False) -> bool:
    """Drop an address on the window; whether it was taken."""
    mime = QMimeData()
    if plain:
        mime.setText(address)
    else:
        mime.setUrls([QUrl(address)])
    return drop_mime(window, mime).isAccepted()


def wait_for(qtbot: QtBot, window: Window) -> None:
    qtbot.waitUntil(lambda: window.contents is not None and window.tasks.idle, timeout=20_000)


def test_the_dialog_opens_an_address_once_the_user_agrees(
    window: Window, web: Web, qtbot: QtBot, dialog: Callable[[], AddressDialog]
) -> None:
    QGuiApplication.clipboard().setText("no address")
    asked = dialog()
    assert asked.field.text() == ""
    assert not asked.agree.isEnabled()
    asked.field.setText("model.safetensors")
    assert not asked.agree.isEnabled()
    assert "no address" in asked.said.text()
    asked.field.setText(" " + web.url("model.safetensors"))
    assert asked.said.text().startswith(f"Open contacts {web.root.removeprefix('http://')}. ")
    assert web.asked == []
    QTest.keyClick(asked.field, Qt.Key.Key_Return)
    wait_for(qtbot, window)
    assert window.document.path == web.url("model.safetensors")
    assert window.windowTitle() == "model.safetensors – Tensorloupe"
    assert [entry.path for entry in window.settings.recent()] == [web.url("model.safetensors")]


def test_an_address_on_the_clipboard_stands_in_the_field(window: Window, dialog: Callable[[], AddressDialog]) -> None:
    QGuiApplication.clipboard().setText("https://host/model.gguf")
    asked = dialog()
    assert (asked.field.text(), asked.field.selectedText()) == ("https://host/model.gguf", "https://host/model.gguf")
    asked.reject()


@pytest.mark.parametrize("plain", [False, True])
def test_a_dropped_address_is_contacted_only_after_agreement(
    window: Window, web: Web, qtbot: QtBot, plain: bool
) -> None:
    assert dropped(window, web.url("model.safetensors"), plain)
    assert window.strip.isVisible()
    assert "Open model.safetensors from 127.0.0.1:" in window.strip.accessibleName()
    take(window, "Do not open")
    assert not window.strip.isVisible()
    qtbot.wait(50)
    assert (web.asked, window.tasks.idle, window.contents) == ([], True, None)
    assert dropped(window, web.url("model.safetensors"), plain)
    take(window, "Open")
    wait_for(qtbot, window)
    assert [tensor.name for tensor in window.document.model.records] == list(NAMES)
    assert not window.strip.isVisible()


def test_a_dropped_address_can_be_the_reference(window: Window, web: Web, qtbot: QtBot) -> None:
    window.open_paths([str(web.folder / "model.safetensors")])
    wait_for(qtbot, window)
    assert dropped(window, web.url("model.safetensors"))
    take(window, "Compare")
    comparing = window.document.comparing
    qtbot.waitUntil(lambda: comparing.stage == "done" and window.tasks.idle, timeout=20_000)
    assert window.document.path == str(web.folder / "model.safetensors")
    assert comparing.path == web.url("model.safetensors")
    assert [error.identical for error in comparing.errors.errors] == [True, True, True]


def test_what_is_no_address_is_refused(window: Window) -> None:
    assert not dropped(window, "mailto:someone@host")
    assert not dropped(window, "just words", plain=True)
    assert not window.strip.isVisible()


def test_values_are_read_when_they_are_looked_at_and_not_before(window: Window, web: Web, qtbot: QtBot) -> None:
    window.open_paths([web.url("model.safetensors")])
    wait_for(qtbot, window)
    qtbot.wait(600)  # a scan of values would have begun
    assert window.scanning.scan.state == "off"
    assert web.sent == 1 << 16
    window.explorer.tree.select(window.document.model.tensors["three"])
    for view in ("overview", "heatmap", "values"):
        window.do(f"view {view}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert "900" not in window.strip.accessibleName()
    assert web.sent < 300 * 300 * 4 * 2 + (3 << 16)
    statistics = window.document.selected.statistics()
    assert (statistics.min, statistics.max, statistics.count) == (2.0, 2.0, 90_000)
    before = len(web.asked)
    window.watch.set_active(True)
    qtbot.wait(50)
    assert len(web.asked) == before
    window.do("scan")
    qtbot.waitUntil(lambda: window.scanning.scan.state == "done", timeout=20_000)
    assert all(tensor.values_checked for tensor in window.document.model.records)


def test_the_models_of_a_repository_are_listed(
    window: Window, web: Web, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web.root)
    tree = web.folder / "api/models/owner/name/tree/main"
    tree.parent.mkdir(parents=True)
    tree.write_text('[{"type": "file", "path": "a.safetensors"}, {"type": "file", "path": "b/c.gguf"}]')
    web.moved["owner/name/resolve/main/a.safetensors"] = web.url("model.safetensors")
    window.open_paths(["hf://owner/name"])
    qtbot.waitUntil(lambda: window.sheets.in_front, timeout=10_000)
    page = window.sheets.page
    qtbot.waitUntil(lambda: not page.sweep.running and window.tasks.idle, timeout=20_000)
    assert {row.name: (row.state, row.folder) for row in page.model.rows} == {
        "a.safetensors": ("ok", "hf://owner/name"),
        "c.gguf": ("error", "hf://owner/name/b"),
    }


def test_errors_stand_in_the_strip(window: Window, web: Web, qtbot: QtBot) -> None:
    window.open_paths([web.url("nothing.gguf?token=1")])
    qtbot.waitUntil(window.strip.isVisible, timeout=10_000)
    assert "nothing.gguf: There is no file at this address." in window.strip.accessibleName()
    assert window.stack.currentWidget() is window.welcome


def test_opening_is_cancelled_while_the_server_is_silent(window: Window, web: Web, qtbot: QtBot) -> None:
    web.ways["model.safetensors"] = "silent"
    window.open_paths([web.url("model.safetensors")])
    qtbot.waitUntil(lambda: len(web.asked) == 1, timeout=10_000)
    assert window.stack.currentWidget() is window.loading
    window.do("cancel")
    assert window.stack.currentWidget() is window.welcome
    web.ways.clear()
    window.open_paths([web.url("model.safetensors")])
    wait_for(qtbot, window)
    assert not web.released.is_set()


def test_a_read_that_hangs_holds_up_nothing(window: Window, web: Web, qtbot: QtBot) -> None:
    window.open_paths([web.url("model.safetensors")])
    wait_for(qtbot, window)
    web.ways["model.safetensors"] = "silent"
    before = len(web.asked)
    window.explorer.tree.select(window.document.model.tensors["two"])
    qtbot.waitUntil(lambda: len(web.asked) > before, timeout=10_000)
    assert not window.tasks.idle
    web.ways.clear()
    window.explorer.tree.select(window.document.model.tensors["three"])
    assert window.document.selected.name == "three"
    window.do("close")
    assert window.document.model is None
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=10_000)
    assert not web.released.is_set()


def test_a_password_is_not_remembered(window: Window, web: Web, qtbot: QtBot) -> None:
    window.open_paths([web.url("model.safetensors").replace("//", "//me:secret@")])
    wait_for(qtbot, window)
    assert "secret" not in window.settings.file.read_text()
    assert [entry.path for entry in window.settings.recent()] == [web.url("model.safetensors").replace("//", "//me@")]
