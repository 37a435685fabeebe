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

from PySide6.QtCore import QCoreApplication, QEvent, QSize
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication
from support.build import gguf, safetensors

from tensorloupe.files.settings import VARIABLE, Settings
from tensorloupe.opening.begin import begin
from tensorloupe.style.theme import Theme
from tensorloupe.window import assembly
from tensorloupe.window import window as window_module
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


def flush() -> None:
    """Let everything that was put off be done, deletions too."""
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()


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
    made.show()
    qtbot.waitExposed(made)
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


def floats(count: int) -> bytes:
    """`count` float32 values: 0, 1, 2, ..."""
    import numpy as np

    return np.arange(count, dtype="<f4").tobytes()


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """A small GGUF: twelve layers in an order that only natural sorting mends, a vocabulary, a long template."""
    names = [
        f"blk.{layer}.{role}.weight" for layer in (10, 2, 0, 1, *range(3, 10), 11) for role in ("ffn_up", "attn_q")
    ]
    tensors = [("token_embd.weight", (8, 4), 0, floats(32))]
    tensors += [(name, (4, 4), 0, floats(16)) for name in names]
    tensors += [("output_norm.weight", (4,), 0, floats(4)), ("output_norm.bias", (4,), 0, floats(4))]
    metadata = [
        ("general.architecture", "str", "toy"),
        ("general.name", "str", "A <b>bold</b> & [*] name"),
        ("toy.block_count", "u32", 12),
        ("tokenizer.chat_template", "str", "{{ bos }}\n" + "x" * 5000),
        ("tokenizer.ggml.tokens", "arr", ("str", [f"token {n}" for n in range(3000)])),
        ("tokenizer.ggml.scores", "arr", ("f32", [n / 2 for n in range(3000)])),
    ]
    path = tmp_path / "small.gguf"
    path.write_bytes(gguf(metadata, tensors))
    return path


@pytest.fixture
def other_file(tmp_path: Path) -> Path:
    """A small safetensors file."""
    path = tmp_path / "other.safetensors"
    path.write_bytes(safetensors([("a.weight", "F32", (2, 8), floats(16)), ("b", "F32", (4,), floats(4))]))
    return path


@pytest.fixture
def cut_file(tmp_path: Path, model_file: Path) -> Path:
    """The small GGUF, cut off inside a tensor."""
    path = tmp_path / "cut.gguf"
    path.write_bytes(model_file.read_bytes()[:-400])
    return path
