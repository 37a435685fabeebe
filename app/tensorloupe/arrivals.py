"""What a window does when an opening begins, succeeds, fails, or turns out to be a choice."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

import weightmap
from tensorloupe import commands
from tensorloupe.opening import Contents
from tensorloupe.views import VIEWS

_REST = 400  # milliseconds after an opening: the window has been painted by then

if TYPE_CHECKING:
    from tensorloupe.window import Window


class Arrivals(QObject):
    """Listens to the window's opener. Whatever comes, the window stays usable and what was open stays open."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        opener = window.opener
        opener.started.connect(self.started)
        opener.opened.connect(self.opened)
        opener.already.connect(self.already)
        opener.choices.connect(self.choices)
        opener.failed.connect(self.failed)
        opener.stopped.connect(self.stopped)
        opener.stale.connect(self.stale)

    def started(self, path: str) -> None:
        """Show that something is coming, where nothing else is shown."""
        window = self._window
        if window.document.model is None and window.stack.currentWidget() is not window.loading:
            window.loading.show_path(path)
            window.stack.setCurrentWidget(window.loading)

    def opened(self, contents: Contents, keep: bool) -> None:
        """Show an opened model; `keep` says that it is the same file, read anew."""
        window = self._window
        window.contents = contents
        window.strip.hide()
        window.summary_line.show_summary(contents.summary)
        window.explorer.show_contents(contents, keep)
        window.stack.setCurrentWidget(window.explorer)
        window.show_title()
        commands.remember(window, contents)
        if not keep:
            window.explorer.tree.view.setFocus()
        if window.to_select is not None:
            commands.select_named(window, window.to_select)
            window.to_select = None
        window.refresh_actions()
        QTimer.singleShot(_REST, self, self._warm_up)

    def _warm_up(self) -> None:
        """Load what the views need in the background, so that the first click does not wait for it."""
        self._window.tasks.start("warm up", "", lambda _: load_views(), lambda _: None, lambda _: None, quiet=True)

    def already(self, path: str) -> None:
        """Say that this file is the one that is shown."""
        window = self._window
        window.stack.setCurrentWidget(window.explorer)
        window.status.say(f"{weightmap.printable(os.path.basename(path))} is open already.", "info")

    def choices(self, path: str, choices: Sequence[str]) -> None:
        """Let the user choose among the models of a folder."""
        window = self._window
        name = weightmap.printable(os.path.basename(os.path.normpath(path)) or path)
        self._back()
        window.choose(f"{name} holds {len(choices):,} models. Choose the one to open.", choices)

    def failed(self, path: str, reason: BaseException) -> None:
        """Say in place why nothing was opened."""
        window = self._window
        self._back()
        sentence, advice = explain(path, reason)
        buttons = []
        if any(entry.path == os.path.abspath(path) for entry in window.settings.recent()):
            buttons.append(("Remove from the list", lambda: window.forget_path(os.path.abspath(path))))
        window.strip.say("error", sentence, advice, tuple(buttons))

    def stopped(self, path: str) -> None:
        """Say that the user's own cancel was heard."""
        window = self._window
        self._back()
        window.status.say(f"Cancelled opening {weightmap.printable(os.path.basename(path))}.", None)

    def stale(self, finding: weightmap.Finding) -> None:
        """Offer to read the file anew, as it changed on disk."""
        window = self._window
        window.strip.say("warning", weightmap.printable(finding.message), "", (("Reload", window.opener.reload),))

    def _back(self) -> None:
        """To what was shown before an opening that came to nothing."""
        window = self._window
        window.stack.setCurrentWidget(window.explorer if window.document.model is not None else window.welcome)


def load_views() -> None:
    """Import the modules of all views; none of them loads matplotlib before it draws."""
    for kind in VIEWS:
        with contextlib.suppress(ImportError):  # the view itself will say so when it is opened
            importlib.import_module(f"tensorloupe.views.{kind.key}")


def explain(path: str, reason: BaseException) -> tuple[str, str]:
    """(what is wrong, what to do) about a path that could not be opened; escaped."""
    name = os.path.basename(os.path.normpath(path)) or path
    if isinstance(reason, weightmap.WeightFileError):
        finding = reason.finding
        said, advice = finding.message, finding.advice or ""
    else:
        said, advice = f"{type(reason).__name__}: {reason}", "This is a mistake in the program, not in the file."
    return weightmap.printable(f"{name}: {said}"), weightmap.printable(advice)
