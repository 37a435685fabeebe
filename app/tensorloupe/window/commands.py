"""What the actions of a window do, by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from tensorloupe.files import places
from tensorloupe.files.ours import SAMPLE
from tensorloupe.panels.dock import FINDINGS
from tensorloupe.style.theme import MODES, Theme
from tensorloupe.views import VIEWS
from tensorloupe.window import session
from tensorloupe.window.check_commands import CHECKING, IN_LIST
from tensorloupe.window.compare_commands import COMPARING
from tensorloupe.window.taking import TAKING, with_view

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


def run(window: Window, name: str) -> None:
    """Do what the action of that name says."""
    kind, _, rest = name.partition(" ")
    if name == "view error":
        from tensorloupe.window.attaching import show_errors

        show_errors(window)
    elif kind == "view":
        window.explorer.area.open_tab([view.key for view in VIEWS].index(rest))
    elif kind == "theme" and rest in MODES:
        window.settings.set("theme", rest)
        window.theme.set_mode(rest)
    else:
        command = IN_LIST.get(name) if window.sheets.in_front else None
        (command or COMMANDS[name])(window)


def _open(window: Window) -> None:
    folder = str(window.settings.get("folder", ""))
    path, _ = QFileDialog.getOpenFileName(window, "Open a model", folder, places.KINDS)
    if path:
        window.settings.set("folder", os.path.dirname(path))
        window.open_paths([path])


def _open_folder(window: Window) -> None:
    path = QFileDialog.getExistingDirectory(
        window, "Open the model in a folder", str(window.settings.get("folder", ""))
    )
    if path:
        window.settings.set("folder", path)
        window.open_paths([path])


def _open_address(window: Window) -> None:
    from tensorloupe.window.addresses import ask_for_address

    ask_for_address(window)


def _close(window: Window) -> None:
    window.opener.close_model()
    window.contents = None
    window.scanning.take(None)
    window.explorer.forget()
    window.summary_line.show_summary(None)
    window.strip.hide()
    window.refresh_recent()
    window.leave()


def _goto_tensor(window: Window) -> None:
    from tensorloupe.panels.goto import GoTo

    if window.contents is None:
        return
    dialog = window.findChild(GoTo)
    if dialog is None:
        dialog = GoTo(window.theme, window)
        dialog.chosen.connect(window.explorer.tree.select)
        window.opener.opened.connect(lambda contents, _: dialog.follow(contents.outline))
        window.document.model_changed.connect(lambda: dialog.leave_without(window.document.model))
    dialog.ask(window.contents.outline)


def _cancel(window: Window) -> None:
    """Esc: what runs, else the search that has the focus, else the filter, else nothing. It never closes anything."""
    if not window.tasks.cancel_all() and not window.explorer.dock.clear_search():
        run(window, "clear_filter")


def _step(window: Window, by: int) -> None:
    window.explorer.dock.open_tab(FINDINGS)
    window.explorer.dock.findings.step(by)


def _filter(window: Window) -> None:
    window.explorer.tree.show()
    window.explorer.tree.focus_filter()


def _clear_recent(window: Window) -> None:
    window.settings.clear_recent()
    window.refresh_recent()


def _once(window: Window, make: Callable[[Theme, QWidget], QDialog]) -> QDialog:
    """The window's dialog of that kind, made when it is first asked for."""
    found = window.findChild(QDialog, make.__name__)
    if not isinstance(found, QDialog):
        found = make(window.theme, window)
        found.setObjectName(make.__name__)
    return found


def _keys(window: Window) -> None:
    from tensorloupe.window.dialogs import keys_dialog

    _once(window, keys_dialog).show()


def _about(window: Window) -> None:
    from tensorloupe.window.dialogs import about_dialog

    _once(window, about_dialog).show()


def _sample(window: Window) -> None:
    window.open_paths([str(SAMPLE)])


def _reload(window: Window) -> None:
    window.opener.reload()


def _new_window(window: Window) -> None:
    window.window_wanted.emit(None)


def _restore_session(window: Window) -> None:
    window.settings.set(session.WANTED, window.actions_.by_name["restore_session"].isChecked())


def _quit(window: Window) -> None:
    QApplication.closeAllWindows()


def _clear_filter(window: Window) -> None:
    window.explorer.tree.filter.clear()


def _try_types(window: Window) -> None:
    run(window, "view whatif")


def _whole_file(window: Window) -> None:
    window.explorer.tree.select(None)


def _next_finding(window: Window) -> None:
    _step(window, 1)


def _previous_finding(window: Window) -> None:
    _step(window, -1)


def _next_region(window: Window) -> None:
    window.explorer.next_region()


def _tree(window: Window) -> None:
    window.explorer.toggle_tree()


def _dock(window: Window) -> None:
    window.explorer.toggle_dock()


COMMANDS: dict[str, Callable[[Window], object]] = {
    "open": _open,
    "open_folder": _open_folder,
    "open_address": _open_address,
    "sample": _sample,
    "reload": _reload,
    "new_window": _new_window,
    "close": _close,
    "restore_session": _restore_session,
    "quit": _quit,
    "try_types": _try_types,
    "filter": _filter,
    "clear_filter": _clear_filter,
    "cancel": _cancel,
    "whole_file": _whole_file,
    "goto_tensor": _goto_tensor,
    "goto_position": with_view("ask_position"),
    "next_finding": _next_finding,
    "previous_finding": _previous_finding,
    "next_region": _next_region,
    "tree": _tree,
    "dock": _dock,
    "clear_recent": _clear_recent,
    "keys": _keys,
    "about": _about,
    **TAKING,
    **CHECKING,
    **COMPARING,
}
