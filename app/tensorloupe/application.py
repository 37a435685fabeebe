"""The running program: its windows, what they share, and the end of it."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QApplication

from tensorloupe import geometry
from tensorloupe.document import Document
from tensorloupe.errors import ErrorHook
from tensorloupe.opener import Opener
from tensorloupe.settings import Settings
from tensorloupe.tasks import TaskRunner
from tensorloupe.theme import Theme
from tensorloupe.window import Window

Begun = tuple[TaskRunner, Document, Opener]


class Application(QObject):
    """Makes windows and keeps them until they are closed. The first one may take over an opening that has begun."""

    def __init__(self, app: QApplication, settings: Settings, mode: str | None, size: QSize | None) -> None:
        super().__init__(app)
        self.settings, self._size = settings, size
        app.setApplicationName("tensorloupe")
        app.setDesktopFileName("tensorloupe")
        self.theme = Theme(mode or settings.get("theme", "system"), self)
        self.theme.apply(app)
        self.windows: list[Window] = []
        self.all_home = True
        sys.excepthook = ErrorHook()

    def new_window(self, begun: Begun | None = None) -> Window:
        """Another window, not shown yet."""
        tasks, document, opener = begun or begin()
        window = Window(self.theme, self.settings, tasks, document, opener)
        self.theme.dress(window)
        geometry.place(window, settings=self.settings, size=self._size)
        window.closed.connect(self._forget)
        window.window_wanted.connect(self._show_another)
        self.windows.append(window)
        return window

    def _show_another(self) -> None:
        window = self.new_window()
        window.wait_for_opening(None, None)
        if len(self.windows) > 1:
            window.move(self.windows[-2].x() + 24, self.windows[-2].y() + 24)
        window.show()

    def _forget(self, window: Window) -> None:
        self.all_home &= window.tasks.home
        if window in self.windows:
            self.windows.remove(window)


def begin() -> Begun:
    """What a window is about, before there is one: a file can be opened while the widgets are still being loaded."""
    tasks, document = TaskRunner(), Document()
    return tasks, document, Opener(tasks, document)
