"""How the parts of a window lie, and what it says about whichever page is in front: actions, title, status bar, corner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from tensorloupe.style import text
from tensorloupe.widgets import tabbing
from tensorloupe.widgets.controls import Ground, Rule
from tensorloupe.window import geometry

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


def put_together(window: Window) -> None:
    """Lay the parts out: menu bar and corner, strip, crumb, the page in front, status bar."""
    page = tabbing.Page()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(Rule(window.theme))
    column.addWidget(window.strip)
    column.addWidget(window.crumb)
    column.addWidget(window.stack, 1)
    column.addWidget(Rule(window.theme, strong=True))
    column.addWidget(window.status)
    window.setCentralWidget(page)
    head = Ground(window.theme, "window")
    row = QHBoxLayout(head)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(window.menus)
    row.addWidget(window.summary_line, 1)
    window.setMenuWidget(head)
    window.setMinimumSize(geometry.smallest(window))


def refresh_actions(window: Window) -> None:
    """Let the actions be used that have something to work on; show the corner only over the model that it is about."""
    view, sheet = window.explorer.area.view, window.sheets.in_front
    model = window.document.model is not None and not sheet
    picture = model and view is not None and view.has_picture
    findings = model and window.contents is not None and bool(window.contents.findings)
    have = {
        "model": model,
        "tensor": model and window.document.selected is not None,
        "picture": picture,
        "table": model and view is not None and view.has_table,
        "findings": findings,
        "reference": model and window.document.comparing is not None and window.document.comparing.attached,
        "sheet": sheet,
        "content": model or sheet,
        "list": window.sheets.exists and not sheet,
    }
    window.actions_.enable([need for need, there in have.items() if there])
    window.explorer.area.save.setEnabled(picture)
    window.explorer.area.copy.setEnabled(view is not None)
    if not sheet:
        window.status.set_hint(view.hint if view is not None else "F8 next finding" if findings else "")
    window.summary_line.setVisible(model and window.contents is not None)


def show_file_status(window: Window) -> None:
    """Say in the status bar how the whole file stands, where that is what is shown."""
    if window.contents is None or window.document.selected is not None or window.sheets.in_front:
        return
    summary, totals = window.contents.summary, window.contents.summary.totals
    if summary.status == "error":
        window.status.say("opened in part · everything that is there can be viewed", summary.status)
    else:
        whole = f"{text.counted(totals.tensors, 'tensor')} · {text.counted(totals.values, 'value')}"
        window.status.say(f"{summary.verdict} · {whole}", summary.status)


def show_title(window: Window) -> None:
    """Name what is in front in the title, letter by letter."""
    name = window.contents.summary.name if window.contents is not None else ""
    name = "Validation" if window.sheets.in_front else name
    window.setWindowTitle(f"{name} – Tensorloupe".replace("[*]", "[*][*]") if name else "Tensorloupe")
