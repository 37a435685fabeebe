"""The window: the shell with its keepers, what it opens and shows, and what it says of that. Wishes go out as signals."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QWidget

from tensorloupe.checking.watch import Watch
from tensorloupe.document import Document
from tensorloupe.files import places
from tensorloupe.files.ours import SAMPLE
from tensorloupe.files.settings import Settings
from tensorloupe.opening import drops
from tensorloupe.opening.contents import Contents
from tensorloupe.opening.opener import Opener
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.weights import nearest_name, not_called, weight_called
from tensorloupe.window import front, geometry, session
from tensorloupe.window.actions import Actions
from tensorloupe.window.judging import Judging
from tensorloupe.window.scanning import Scanning
from tensorloupe.window.sheets import Sheets
from tensorloupe.window.shell import Shell

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QContextMenuEvent

_PATIENCE = 800  # milliseconds that a window which is gone from the screen waits for its threads


class Window(Shell):
    """One model at a time. What its actions do is not known here: `assembly.made` brings a window and them together.

    wished         the name of an action that is to be done
    window_wanted  the path to open in another window, or None
    closed         this window
    """

    wished = Signal(str)
    window_wanted = Signal(object)
    closed = Signal(object)

    def __init__(self, theme: Theme, settings: Settings, tasks: TaskRunner, document: Document, opener: Opener) -> None:
        super().__init__(theme, settings, tasks, document, opener)
        self.to_select: str | None = None
        self.asked_tensor: str | None = None
        self.actions_ = Actions(self, self.menus, self.do)
        self.actions_.set_mode(theme.mode)
        self.scanning = Scanning(self)
        self.judging = Judging(self, self.scanning)
        self.sheets = Sheets(self)
        self.watch = Watch(opener, tasks, document, self)
        self.actions_.by_name["check_values"].setChecked(self.scanning.automatic)
        self.actions_.by_name["restore_session"].setChecked(settings.get(session.WANTED, False))
        self.refresh_recent()
        self.refresh_actions()
        self.show_title()
        drops.leave_to_window(self)

    def open_paths(self, paths: Sequence[str], tensor: str | None = None) -> None:
        """Open a path; of two, let the user choose; more are listed and judged. `tensor` is selected once it is open."""
        self.to_select = tensor
        paths = drops.one_per_set(paths)
        if len(paths) == 1:
            self.strip.hide()
            self.opener.open(paths[0])
        elif self.sheets.in_front and paths:
            self.sheets.add(paths)
        elif len(paths) == 2:
            self.choose("Two files: open one, or choose what to do with both.", paths)
        elif paths:
            self.sheets.check(paths)

    def open_row(self, path: str) -> None:
        """Open a model of the list, which stays in front until the model can be shown."""
        self.to_select = None
        self.opener.open(path)

    def leave(self) -> None:
        """Turn to what else there is, after a file or the list was closed."""
        if self.document.model is None and self.sheets.exists:
            self.sheets.show()
            return
        self.stack.setCurrentWidget(self.explorer if self.document.model is not None else self.welcome)
        self.show_title()
        self.status.say("Ready", None)
        self.show_file_status()
        self.refresh_actions()

    def do(self, name: str) -> None:
        """Have done what the action of that name says."""
        self.wished.emit(name)

    def wait_for_opening(self, path: str | None, tensor: str | None) -> None:
        """Take over an opening that began before there was a window."""
        self.asked_tensor = self.to_select = tensor
        if path is not None:
            self.show_coming(path)
        else:
            self.stack.setCurrentWidget(self.welcome)

    def show_coming(self, path: str) -> None:
        """Show that something is coming, where nothing else is shown."""
        shows = self.stack.currentWidget()
        if self.document.model is None and shows is not self.loading and not self.sheets.in_front:
            self.loading.show_path(path)
            self.stack.setCurrentWidget(self.loading)

    def choose(self, title: str, paths: Sequence[str]) -> None:
        """Show a list of files of which one is to be opened."""
        self.welcome.show_choices(title, paths, self.document.model is not None)
        self.stack.setCurrentWidget(self.welcome)

    def select_named(self, name: str) -> None:
        """Select a tensor by its name, or say that there is none of that name."""
        model = self.document.model
        tensor = weight_called(model, name) if model is not None else None
        if tensor is not None:
            self.explorer.tree.select(tensor)
        elif model is not None:
            what, meant = not_called(name, near := nearest_name(model, name))
            buttons = () if near is None else (("Select it", lambda: self._select_instead(near)),)
            self.strip.say("error", what, meant or "Pick one in the tree.", buttons)

    def _select_instead(self, name: str) -> None:
        self.strip.hide()
        self.select_named(name)

    def remember_path(self, contents: Contents) -> None:
        """Put an opened file at the head of the recent list, with what is known of it by now."""
        path = contents.model.path if places.is_address(contents.path) else contents.path  # without a password in it
        if os.path.abspath(path) != os.path.abspath(SAMPLE):
            status = contents.summary.status
            self.settings.add_recent(path, contents.summary.size, "unchecked" if status == "running" else status)
            self.refresh_recent()

    def forget_path(self, path: str) -> None:
        """Take a file from the recent list."""
        self.settings.remove_recent(path)
        self.strip.hide()
        self.refresh_recent()

    def refresh_recent(self) -> None:
        """Show the recent files that the settings know of now."""
        recent = self.settings.recent()
        if self._welcome is not None:
            self._welcome.show_recent(recent)
        self.actions_.show_recent(recent, lambda path: self.open_paths([path]))

    def refresh_actions(self) -> None:
        """Let the actions be used that have something to work on."""
        front.refresh_actions(self, self.sheets, self.actions_)

    def show_file_status(self) -> None:
        """Say in the status bar how the whole file stands, where that is what is shown."""
        front.show_file_status(self, self.sheets)

    def show_title(self) -> None:
        """Name the open file in the title, letter by letter."""
        front.show_title(self, self.sheets)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange:
            self.watch.set_active(self.isActiveWindow())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What a table does not answer itself comes up to the window: there is something to copy from it."""
        front.offer_copy(self, self.sheets, self.actions_, event.globalPos())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.explorer.remember()
        geometry.remember(self, self.settings)
        model = self.document.model
        for view in self.explorer.area.findChildren(QWidget):
            view.blockSignals(True)
        self.hide()
        if self.tasks.shutdown(_PATIENCE) and model is not None:
            model.close()  # waits for reads under way: a thread that is not home ends with the program
        self.closed.emit(self)
        event.accept()
