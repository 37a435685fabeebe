"""A window that was told to open something, waited for and looked at; the sample on each of its pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tensorloupe.files import ours
from tensorloupe.views import VIEWS
from tensorloupe.window.window import Window


@pytest.fixture
def arrived(qtbot: QtBot, window: Window) -> Callable[[Path | str], None]:
    """Waits until a file that was dropped, chosen or asked for is shown, and nothing runs any more."""

    def there(path: Path | str) -> bool:
        return window.contents is not None and window.contents.path == str(path) and window.tasks.idle

    return lambda path: qtbot.waitUntil(lambda: there(path), timeout=20_000)


@pytest.fixture
def first_level(window: Window) -> Callable[[], list[str]]:
    """Says what stands in the first level of the tree."""

    def names() -> list[str]:
        model = window.explorer.tree.model
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    return names


@pytest.fixture(params=["file", *(kind.key for kind in VIEWS)])
def page(request: pytest.FixtureRequest) -> str:
    """Every page in turn: that of the file, and each view of a tensor."""
    key: str = request.param
    return key


@pytest.fixture
def sample(qtbot: QtBot, opened: Callable[..., Window]) -> Callable[[str], Window]:
    """Opens the sample and turns to one page."""

    def turned(page: str) -> Window:
        window = opened(ours.SAMPLE)
        if page != "file":
            window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
            window.do(f"view {page}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        QApplication.processEvents()
        return window

    return turned
