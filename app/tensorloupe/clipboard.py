"""What Copy takes, and puts on the clipboard: whole and exact, from wherever the focus is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from tensorloupe.items.findings import report

if TYPE_CHECKING:
    from tensorloupe.window import Window


def copy(text: str) -> None:
    """Put a text on the clipboard."""
    if text:
        QGuiApplication.clipboard().setText(text)


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
