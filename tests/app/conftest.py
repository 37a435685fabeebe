"""Fixtures for the app: a window with settings of its own, and checks that nothing of it outlives its test."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication
from support import fp8, toys
from support.events import Bot, flush, rest
from support.gestures import drop
from support.incoming import build
from support.quantized import damaged, original, write

from tensorloupe.files.settings import VARIABLE, Settings
from tensorloupe.opening.begin import begin
from tensorloupe.panels.sheet.page import SheetPage
from tensorloupe.screenshot import put_off
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.views.error import ErrorView
from tensorloupe.window import assembly
from tensorloupe.window import window as window_module
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.window import Window


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the settings of who runs it."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture(autouse=True)
def no_collections() -> Iterator[None]:
    """As in the program, Python collects nothing by itself, on whichever thread and in whatever event it happens to be.

    A view that only a circle holds would be taken apart by a worker, or while it is being painted.
    """
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest, no_collections: None) -> Iterator[None]:
    """Widgets and threads must not outlive their test; without fonts, pictures of text would mean nothing."""
    if "qapp" not in request.fixturenames and "qtbot" not in request.fixturenames:
        yield
        return
    app = request.getfixturevalue("qapp")
    assert QFontDatabase.families(), "Qt finds no fonts: text would be drawn as boxes"
    before, threads = set(app.topLevelWidgets()), set(threading.enumerate())
    yield
    flush()
    assert not [widget for widget in app.topLevelWidgets() if widget not in before and widget.isVisible()]
    assert not [thread for thread in threading.enumerate() if thread not in threads and "Dummy" not in thread.name]


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The bot of pytest-qt, which looks more often whether what is waited for is there."""
    return Bot(request)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The light theme, in force."""
    theme = Theme("light")
    qapp.setStyle("fusion")
    theme.apply(qapp)
    return theme


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """A window with nothing open, shown at 1366 x 768."""
    monkeypatch.setattr(window_module, "_PATIENCE", 20_000)  # threads come home, on however busy a machine
    made = assembly.made(theme, Settings(), *begin())
    theme.dress(made)
    made.resize(QSize(1366, 768))
    made.wait_for_opening(None, None)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()  # without a window manager no window is active by itself, and keys go nowhere
    qtbot.waitUntil(made.isActiveWindow)
    homes: list[bool] = []
    made.closed.connect(lambda closed: homes.append(closed.tasks.home))
    yield made
    if shiboken6.isValid(made):
        made.close()
    assert homes == [True]
    flush()


@pytest.fixture
def opened(qtbot: QtBot, window: Window) -> Callable[..., Window]:
    """Opens a path in the window and waits until it is shown."""

    def open_(path: Path | str, **options: str) -> Window:
        before = window.contents
        window.open_paths([str(path)], **options)
        qtbot.waitUntil(lambda: window.contents is not before and window.tasks.idle, timeout=20_000)
        return window

    return open_


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """A small GGUF: twelve layers in an order that only natural sorting mends, a vocabulary, a long template."""
    return toys.layered(tmp_path / "small.gguf")


@pytest.fixture
def other_file(tmp_path: Path) -> Path:
    """A small safetensors file of two tensors."""
    return toys.pair(tmp_path / "other.safetensors")


@pytest.fixture
def cut_file(tmp_path: Path, model_file: Path) -> Path:
    """The small GGUF, cut off inside a tensor."""
    path = tmp_path / "cut.gguf"
    path.write_bytes(model_file.read_bytes()[:-400])
    return path


@pytest.fixture
def fp8_file(tmp_path: Path) -> Path:
    """Two weights of F8_E4M3 codes with block scales, one of them broken, and plain tensors around them."""
    return fp8.checkpoint(tmp_path / "fp8")


@pytest.fixture
def settled(qtbot: QtBot, window: Window) -> Callable[[], None]:
    """Waits until nothing runs any more."""
    return lambda: rest(qtbot, window, lambda: window.tasks.idle and not put_off(window.theme))


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    """Seven models: three sound, one with a NaN, one cut, a web page, and a Git LFS pointer in a sub-folder."""
    return build(tmp_path / "incoming")


@pytest.fixture
def listed(qtbot: QtBot, window: Window) -> Callable[[], SheetPage]:
    """Waits until the list is in front and every model in it judged."""

    def page() -> SheetPage:
        qtbot.waitUntil(lambda: window.sheets.in_front)
        found = window.sheets.page
        assert found is not None
        qtbot.waitUntil(lambda: not found.sweep.running and window.tasks.idle, timeout=20_000)
        return found

    return page


@pytest.fixture
def sheet(window: Window, incoming: Path, listed: Callable[[], SheetPage]) -> SheetPage:
    """The list of that folder, judged."""
    drop(window, incoming)
    return listed()


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """A small model in F32."""
    return write(tmp_path / "original.gguf", original())


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """What a quantizer made of it."""
    return write(tmp_path / "good.gguf", original(), "Q8_0")


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """What another one made of it, with two weights damaged."""
    return write(tmp_path / "bad.gguf", original(), "Q4_0", damaged)


@pytest.fixture
def compared(opened: Callable[..., Window], settled: Callable[[], None]) -> Callable[[Path, Path], ErrorView]:
    """Opens a file, attaches a reference, and waits for the errors."""

    def compare(path: Path, reference: Path) -> ErrorView:
        window = opened(path)
        attach(window, str(reference))
        settled()
        view = window.explorer.area.view
        assert isinstance(view, ErrorView)
        return view

    return compare


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    """A task runner of its own, which has nothing left to do at the end."""
    runner = TaskRunner()
    yield runner
    assert runner.shutdown(5_000)
