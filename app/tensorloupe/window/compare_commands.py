"""What the actions of the Compare menu do. Loads nothing before a reference is attached for the first time."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from tensorloupe.files import places

if TYPE_CHECKING:
    from tensorloupe.compared import Compared
    from tensorloupe.window.attaching import Attaching
    from tensorloupe.window.window import Window


def attaching(window: Window) -> Attaching:
    """The window's keeper of references, made when it is first needed."""
    from tensorloupe.window.attaching import Attaching

    found = window.findChild(Attaching)
    return found if isinstance(found, Attaching) else Attaching(window)


def attach(window: Window, path: str, show: bool = True) -> None:
    """Compare the open model with the one at a path."""
    if window.document.model is not None:
        attaching(window).attach(path, show)
        refresh_references(window)


def attach_wanted(window: Window) -> None:
    """Attach what was asked for before the model was open, or is to be kept over a reload."""
    path, window.document.wanted_reference = window.document.wanted_reference, None
    if path is None:
        return
    model = window.document.model

    def loaded(_: object) -> None:
        if window.document.model is model:
            attach(window, path, show=False)

    # what it takes is loaded in the background: the window has just opened, and is being painted
    window.tasks.start("attach", "", lambda _: import_module("tensorloupe.window.attaching"), loaded, quiet=True)


def refresh_references(window: Window) -> None:
    """Show the references attached before in the menu."""
    listed = window.settings.get("references", [])
    paths = [path for path in listed if isinstance(path, str) and path and "\0" not in path]
    window.actions_.show_references(paths, lambda path: attach(window, path))


def _ask(window: Window) -> None:
    folder = str(window.settings.get("reference_folder", "") or window.settings.get("folder", ""))
    path, _ = QFileDialog.getOpenFileName(window, "Attach a reference", folder, places.KINDS)
    _take(window, path)


def _ask_folder(window: Window) -> None:
    folder = str(window.settings.get("reference_folder", "") or window.settings.get("folder", ""))
    _take(window, QFileDialog.getExistingDirectory(window, "Attach the model in a folder as reference", folder))


def _take(window: Window, path: str) -> None:
    if path:
        window.settings.set("reference_folder", os.path.dirname(path))
        attach(window, path)


def _with(act: Callable[[Window, Compared], object]) -> Callable[[Window], None]:
    def do(window: Window) -> None:
        if window.document.comparing is not None:
            act(window, window.document.comparing)

    return do


def _again(_: Window, comparing: Compared) -> None:
    if comparing.stage in ("cancelled", "failed"):
        comparing.resume()
    elif comparing.path is not None:
        comparing.attach(comparing.path)


def _accept(_: Window, comparing: Compared) -> None:
    if comparing.errors is not None:
        comparing.accept(list(range(len(comparing.errors.pairs))))


def _export(window: Window, comparing: Compared) -> None:
    from tensorloupe.window.compare_export import ask_export

    ask_export(window, comparing)


COMPARING: dict[str, Callable[[Window], object]] = {
    "attach": _ask,
    "attach_folder": _ask_folder,
    "detach": _with(lambda _, comparing: comparing.detach()),
    "compare_again": _with(_again),
    "accept_guesses": _with(_accept),
    "export_errors": _with(_export),
}
