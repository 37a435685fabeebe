"""The running program: its windows, what they share, and the end of it."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QApplication

from tensorloupe.errors import ErrorHook
from tensorloupe.files.settings import Settings
from tensorloupe.memory import Memory
from tensorloupe.opening.begin import Begun, begin
from tensorloupe.opening.contents import Contents
from tensorloupe.style import accessible
from tensorloupe.style.theme import Theme
from tensorloupe.views import VIEWS
from tensorloupe.weights import weight_called
from tensorloupe.window import assembly, geometry, session
from tensorloupe.window.window import Window


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
        self._last = session.kept(settings)
        self._gone: list[session.WindowState] = []  # of windows that are being closed together
        sys.excepthook = ErrorHook()
        accessible.install()

    def new_window(self, begun: Begun | None = None) -> Window:
        """Another window, not shown yet."""
        tasks, document, opener = begun or begin()
        Memory(tasks)
        window = assembly.made(self.theme, self.settings, tasks, document, opener)
        self.theme.dress(window)
        geometry.place(window, settings=self.settings, size=self._size)
        window.closed.connect(self._forget)
        window.window_wanted.connect(self._show_another)
        opener.opened.connect(self._keep_session)
        opener.elsewhere = lambda path: self._showing(path, window)
        opener.found_elsewhere.connect(lambda other: self._bring_forward(other, window))
        self.windows.append(window)
        return window

    def restore(self, first: Window | None) -> None:
        """Open again what was open last time, in `first` (None: all of it behind the windows that are there) and in others."""
        shown = self.windows[-1] if self.windows else None
        paths = {path for window in self.windows if (path := window.document.path) is not None}
        for one in self._last:
            if one.path in paths:
                continue
            window, first = first or self._show_another(), None
            _open_again(window, one)
        if shown is not None:
            shown.raise_()
            shown.activateWindow()

    def _show_another(self, path: str | None = None) -> Window:
        window = self.new_window()
        window.wait_for_opening(None, None)
        if len(self.windows) > 1:
            window.move(self.windows[-2].x() + 24, self.windows[-2].y() + 24)
        window.show()
        if path is not None:
            window.open_paths([path])
        return window

    def _showing(self, path: str, asking: Window) -> Window | None:
        """Another window that shows this file, whatever path led to it. Asks the disk, on a thread of the opener."""
        from tensorloupe.opening.contents import same_file

        for window in list(self.windows):
            if window is not asking and same_file(path, window.document.path):
                return window
        return None

    def _bring_forward(self, other: Window, asking: Window) -> None:
        if other not in self.windows:
            return
        if other.isMinimized():
            other.showNormal()
        other.raise_()
        other.activateWindow()
        if asking.document.model is None and not asking.sheets.exists:
            asking.close()  # there is nothing in it

    def _keep_session(self, *_: object) -> None:
        there = (session.state_of(window) for window in self.windows)
        session.keep(self.settings, [*self._gone, *(one for one in there if one is not None)])

    def _forget(self, window: Window) -> None:
        self.all_home &= window.tasks.home
        if window in self.windows:
            self.windows.remove(window)
            if (last := session.state_of(window)) is not None:
                self._gone.append(last)
            # windows that are closed in one go belong to one session; one that is closed by itself is done with
            self._keep_session()
            if self.windows:
                QTimer.singleShot(0, self._settle_session)

    def _settle_session(self) -> None:
        if self.windows:
            self._gone.clear()
            self._keep_session()


def _open_again(window: Window, one: session.WindowState) -> None:
    """Open what was left; the tensor is selected, and the view shown, if the file still has that tensor."""

    def show(contents: Contents, _: bool) -> None:
        tensor = weight_called(contents.model, one.tensor)
        if tensor is not None:
            window.explorer.tree.select(tensor)
        keys = [kind.key for kind in VIEWS]
        if one.view in keys:
            window.explorer.area.tabs.setCurrentIndex(keys.index(one.view))

    window.opener.opened.connect(show, Qt.ConnectionType.SingleShotConnection)
    session.take_up(window, one)
    window.open_paths([one.path])
