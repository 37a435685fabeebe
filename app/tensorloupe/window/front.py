"""What a window says about whichever page is in front: actions, title, status bar, corner, what can be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu

from tensorloupe.items.outline import status_of
from tensorloupe.style import text
from tensorloupe.views.view import SURE

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from tensorloupe.window.actions import Actions, Need
    from tensorloupe.window.sheets import Sheets
    from tensorloupe.window.shell import Shell


def refresh_actions(shell: Shell, sheets: Sheets, actions: Actions) -> None:
    """Let the actions be used that have something to work on; show the corner only over the model that it is about."""
    view, sheet = shell.explorer.area.view, sheets.in_front
    model = shell.document.model is not None and not sheet
    picture = model and view is not None and view.has_picture
    selected = shell.document.selected
    findings = model and shell.contents is not None and bool(shell.contents.findings)
    have: dict[Need, bool] = {
        "model": model,
        "tensor": model and selected is not None,
        "values": model and selected is not None and selected.problem is None,
        "picture": picture,
        "table": model and view is not None and view.has_table,
        "findings": findings,
        "reference": model and shell.document.comparing is not None and shell.document.comparing.attached,
        "sheet": sheet,
        "content": model or sheet,
        "list": sheets.exists and not sheet,
    }
    actions.enable([need for need, there in have.items() if there])
    shell.explorer.area.save.setEnabled(picture)
    shell.explorer.area.copy.setEnabled(view is not None)
    if not sheet:
        shell.status.set_hint(view.hint if view is not None else "F8 next finding" if findings else "")
    shell.summary_line.setVisible(model and shell.contents is not None)


def offer_copy(shell: Shell, sheets: Sheets, actions: Actions, where: QPoint) -> None:
    """A menu with what Copy takes, where one points at the table that has the focus."""
    focus, view = shell.focusWidget(), shell.explorer.area.view
    if not isinstance(focus, QAbstractItemView) or not focus.rect().contains(focus.mapFromGlobal(where)):
        return
    if sheets.in_front or shell.explorer.dock.isAncestorOf(focus) or (view is not None and view.copies(focus)):
        menu = QMenu(shell)
        menu.addActions([actions.by_name["copy"], actions.by_name["copy_row"]])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)


def show_file_status(shell: Shell, sheets: Sheets) -> None:
    """Say in the status bar how the whole file stands, where that is what is shown."""
    if shell.contents is None or shell.document.selected is not None or sheets.in_front:
        return
    summary, totals = shell.contents.summary, shell.contents.summary.totals
    if summary.status == "error":
        shell.status.say("opened in part · everything that is there can be viewed", summary.status)
    else:
        whole = f"{text.counted(totals.tensors, 'tensor')} · {text.counted(totals.values, 'value')}"
        shell.status.say(f"{summary.verdict} · {whole}", summary.status)


def show_title(shell: Shell, sheets: Sheets) -> None:
    """Name what is in front in the title, letter by letter."""
    name = shell.contents.summary.name if shell.contents is not None else ""
    name = "Validation" if sheets.in_front else name
    shell.setWindowTitle(f"{name} – Tensorloupe".replace("[*]", "[*][*]") if name else "Tensorloupe")


def status_to_say(shell: Shell, sentence: str) -> str | None:
    """The status shape beside what a view says: that of the selected tensor, else of the file; none beside no result."""
    if not sentence.startswith(SURE):
        return None
    tensor, contents = shell.document.selected, shell.contents
    if tensor is not None and contents is not None and contents.findings is not None:
        return status_of(tensor)
    return contents.summary.status if contents is not None else "ok"
