"""A window's worth of context for one view: theme, task runner, document, settings in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.events import rest
from support.tensors import in_blocks

import weightmap
from tensorloupe.document import Document
from tensorloupe.files.settings import Settings
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.views import VIEWS, View, ViewContext

PARTS = ("", ".plot", ".outside", ".summary", ".beyond", ".colour", ".whole", ".next", ".save", ".copy")
PARTS += (".scales", ".health", ".survey", ".made")


@pytest.fixture
def context(qapp: QApplication, tmp_path: Path) -> Iterator[ViewContext]:
    theme = Theme("light")
    qapp.setStyle("fusion")
    theme.apply(qapp)
    tasks = TaskRunner()
    yield ViewContext(Document(), tasks, theme, Settings(tmp_path / "settings"))
    assert tasks.shutdown()


@pytest.fixture
def make(qtbot: QtBot, context: ViewContext) -> Callable[..., View]:
    """Makes a view by its key and shows it at a size."""

    def made(key: str, width: int = 1100, height: int = 700) -> View:
        view = next(kind for kind in VIEWS if kind.key == key).make(context)
        qtbot.addWidget(view)
        view.resize(width, height)
        with qtbot.waitExposed(view):  # until then nothing is painted, and nothing read for it
            view.show()
        view.activateWindow()  # without a window manager no window is active by itself, and keys go nowhere
        return view

    return made


@pytest.fixture
def settle(qtbot: QtBot, context: ViewContext) -> Callable[[View], None]:
    """Waits until nothing runs for a view any more."""

    def settled(view: View) -> None:
        rest(qtbot, view, lambda: not any(context.tasks.running(view.slot + part) for part in PARTS))

    return settled


@pytest.fixture
def tensor(tmp_path: Path) -> weightmap.Tensor:
    """160 blocks of 256 values in sub-blocks of 32, four to a row."""
    return in_blocks(tmp_path, "Q4_K", (40, 1024))
