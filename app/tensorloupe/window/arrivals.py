"""What a window does when an opening begins, succeeds, fails, or turns out to be a choice."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

import weightmap
from tensorloupe.files import places
from tensorloupe.opening.contents import Contents
from tensorloupe.window.compare_commands import attach_wanted, refresh_references

_MANY = 2_000  # tensors from which on a garbage collection would be felt
_REST = 400  # milliseconds after an opening: the window has been painted by then
_PAINT = 60  # milliseconds that the layers have to be painted in, before the rest is loaded

if TYPE_CHECKING:
    from tensorloupe.items.layers import Layers
    from tensorloupe.window.window import Window


class Arrivals(QObject):
    """Listens to the window's opener. Whatever comes, the window stays usable and what was open stays open."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        opener = window.opener
        opener.started.connect(window.show_coming)
        opener.opened.connect(self.opened)
        opener.already.connect(self.already)
        opener.found_elsewhere.connect(lambda _: self._back())
        opener.choices.connect(self.choices)
        opener.failed.connect(self.failed)
        opener.stopped.connect(self.stopped)
        opener.stale.connect(self.stale)

    def opened(self, contents: Contents, keep: bool) -> None:
        """Show an opened model; `keep` says that it is the same file, read anew."""
        window = self._window
        window.contents = contents
        window.strip.hide()
        window.summary_line.show_summary(contents.summary)
        window.explorer.show_contents(contents, keep)
        window.scanning.take(contents)
        window.judging.take(contents, keep)
        window.stack.setCurrentWidget(window.explorer)
        window.show_title()
        if not keep:
            window.explorer.tree.view.setFocus()
        if window.to_select is not None:
            window.select_named(window.to_select)
            window.to_select = None
        attach_wanted(window)
        window.refresh_actions()
        if len(contents.outline.tensors) > _MANY:
            gc.freeze()  # no collection looks through all that again; what is closed goes without one
        QTimer.singleShot(_REST, self, self._warm_up)

    def _warm_up(self) -> None:
        """Show the layers, then load the rest: threads that import keep a window waiting that is being added to."""
        window, contents = self._window, self._window.contents
        refresh_references(window)
        if contents is None:
            self._load_rest()
        else:
            window.tasks.start(
                "layers", "", lambda _: laid_out(contents), self._show_layers, lambda _: self._load_rest(), quiet=True
            )

    def _show_layers(self, found: tuple[Contents, Layers | None]) -> None:
        """Add the grid of layers to the page of the whole file."""
        from tensorloupe.window.layers import LayersKeeper

        keeper = self._window.findChild(LayersKeeper)
        (keeper if isinstance(keeper, LayersKeeper) else LayersKeeper(self._window)).show(*found)
        QTimer.singleShot(_PAINT, self, self._load_rest)

    def _load_rest(self) -> None:
        """Load what the views need in the background, then make them, so that the first click does not wait for it."""
        ready = self._window.explorer.area.maker.prepare
        self._window.tasks.start("warm up", "", lambda _: load_rest(), lambda _: ready(), lambda _: None, quiet=True)

    def already(self, path: str) -> None:
        """Say that this file is the one that is shown."""
        window = self._window
        window.stack.setCurrentWidget(window.explorer)
        attach_wanted(window)
        window.status.say(f"{weightmap.printable(places.name(path))} is open already.", "info")

    def choices(self, path: str, choices: Sequence[str]) -> None:
        """Show the list of the models in a folder; add them to the list where that is in front."""
        sheets = self._window.sheets
        if sheets.in_front:
            sheets.add([path])
        else:
            sheets.check([path])

    def failed(self, path: str, reason: BaseException) -> None:
        """Say in place why nothing was opened."""
        from tensorloupe.opening.reasons import explain

        window = self._window
        window.document.wanted_reference = None  # it belonged to that file
        self._back()
        sentence, advice = explain(path, reason)
        buttons = []
        if any(entry.path == places.kept(path) for entry in window.settings.recent()):
            buttons.append(("Remove from the list", lambda: window.forget_path(places.kept(path))))
        window.strip.say("error", sentence, advice, tuple(buttons))

    def stopped(self, path: str) -> None:
        """Say that the user's own cancel was heard."""
        window = self._window
        window.document.wanted_reference = None
        self._back()
        window.status.say(f"Cancelled opening {weightmap.printable(places.name(path))}.", None)

    def stale(self, finding: weightmap.Finding, changed_at: float | None) -> None:
        """Offer to read the file anew, as it changed on disk."""
        window = self._window
        if not window.watch.is_news(finding):
            return
        sentence, more = weightmap.printable(finding.message), ""
        if changed_at is not None:
            sentence, more = f"The file changed on disk {moment(changed_at, datetime.now())}.", sentence
        window.strip.say("warning", sentence, more, (("Reload", window.opener.reload),))

    def _back(self) -> None:
        """To what was shown before an opening that came to nothing."""
        window = self._window
        if not window.sheets.in_front:
            window.stack.setCurrentWidget(window.explorer if window.document.model is not None else window.welcome)


def moment(seconds: float, now: datetime) -> str:
    """A time in a sentence: "at 14:02", "on 23 November at 14:02"; "meanwhile" where it is none."""
    try:
        then = datetime.fromtimestamp(seconds)
    except (OverflowError, OSError, ValueError):
        return "meanwhile"
    year = "" if then.year == now.year else f" {then.year}"
    day = "" if then.date() == now.date() else f"on {then.day} {then:%B}{year} "
    return f"{day}at {then:%H:%M}"


def laid_out(contents: Contents) -> tuple[Contents, Layers | None]:
    """The model by layers, and what it takes to show it."""
    from tensorloupe.items.layers import layers_of

    importlib.import_module("tensorloupe.window.layers")
    return contents, layers_of(contents.outline)


def load_rest() -> None:
    """Import the modules of all views, what shows a comparison, and what actions do; let freed memory go back."""
    from tensorloupe import memory
    from tensorloupe.views.loading import load_views

    memory.prepare()
    load_views()
    for name in ("attaching", "commands"):
        importlib.import_module(f"tensorloupe.window.{name}")
