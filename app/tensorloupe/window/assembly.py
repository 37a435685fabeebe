"""A whole window: made, and given those who do what is wished of it. The only place that knows of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorloupe.document import Document
from tensorloupe.files.settings import Settings
from tensorloupe.opening.opener import Opener
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.window.arrivals import Arrivals
from tensorloupe.window.hearing import Hearing
from tensorloupe.window.window import Window

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

    from tensorloupe.panels.welcome import Welcome


def made(theme: Theme, settings: Settings, tasks: TaskRunner, document: Document, opener: Opener) -> Window:
    """A window, not shown yet, that owns `tasks`, `document` and `opener`; what its opener says from now on, it shows."""
    window = Window(theme, settings, tasks, document, opener)
    Arrivals(window)  # belongs to the window, as Hearing does
    Hearing(window)
    window.wished.connect(lambda name: _do(window, name))
    window.dropped.connect(lambda mime: _take_drop(window, mime))
    window.welcome_made.connect(lambda page: _listen(window, page))
    return window


def _do(window: Window, name: str) -> None:
    from tensorloupe.window.commands import run  # the start does without

    run(window, name)


def _take_drop(window: Window, mime: QMimeData) -> None:
    from tensorloupe.window.addresses import take_drop

    take_drop(window, mime)


def _listen(window: Window, page: Welcome) -> None:
    from tensorloupe.window.welcoming import listen

    listen(window, page)
