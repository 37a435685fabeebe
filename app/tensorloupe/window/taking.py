"""What the actions do that take something along: copies, pictures, values, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorloupe.clipboard import copy
from tensorloupe.items.findings import report

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


def with_view(act: str) -> Callable[[Window], None]:
    """What calls a method of the view in front, where there is one."""

    def do(window: Window) -> None:
        view = window.explorer.area.view
        if view is not None:
            getattr(view, act)()

    return do


def _save_picture(window: Window) -> None:
    from tensorloupe.window.saving import save_picture

    save_picture(window)


def _export_values(window: Window) -> None:
    from tensorloupe.window.exporting import export_values

    export_values(window)


def copy_focused(window: Window, whole_row: bool = False) -> None:
    """Copy from the region that has the focus: a name or cell, the selected text, or whole rows."""
    from PySide6.QtWidgets import QLineEdit, QPlainTextEdit  # not loaded before something is copied

    focus = window.focusWidget()
    if isinstance(focus, QLineEdit | QPlainTextEdit) and not whole_row:
        focus.copy()
    elif window.sheets.in_front:
        window.sheets.copy(whole_row)
    elif focus is not None and window.explorer.dock.isAncestorOf(focus):
        copy(window.explorer.dock.copy_text(whole_row))
    elif focus is not None and (view := window.explorer.area.view) is not None and view.copies(focus):
        copy(view.copy_text(whole_row))
    else:
        copy(window.explorer.tree.copy_text(whole_row))


def copy_report(window: Window) -> None:
    """Copy all findings as text."""
    if window.contents is not None:
        copy(report(window.contents.path, window.contents.model.findings))
        window.status.say("The findings are on the clipboard.", None)


def _copy_row(window: Window) -> None:
    copy_focused(window, whole_row=True)


TAKING: dict[str, Callable[[Window], object]] = {
    "save_picture": _save_picture,
    "export_values": _export_values,
    "export_table": with_view("export_table"),
    "copy": copy_focused,
    "copy_row": _copy_row,
    "copy_picture": with_view("copy_picture"),
    "copy_values": with_view("copy_values"),
    "copy_report": copy_report,
}
