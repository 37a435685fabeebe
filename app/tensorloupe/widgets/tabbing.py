"""Where Tab goes: through all controls that can be seen, in the order in which they are read.

Qt goes in the order in which widgets were made. Views are made when they are first opened, and parts of them later still,
so that theirs would all come last. The order is therefore worked out from where things stand, at the moment of the key.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tensorloupe.widgets import focusring


class Page(QWidget):
    """All of a window under its menu bar."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step(self, forward)


def step(page: QWidget, forward: bool) -> bool:
    """Move the focus to the next control of a page, or to the one before; around at the end. Says whether it moved."""
    shown = list(in_order(page))
    focus = page.window().focusWidget()
    here = shown.index(focus) if focus in shown else -1 if forward else len(shown)
    after = [*shown[here + 1 :], *shown[: max(here, 0)]]
    before = [*reversed(shown[: max(here, 0)]), *reversed(shown[here + 1 :])]
    found = next((widget for widget in (after if forward else before) if takes_focus(widget)), None)
    if found is None:
        return False
    give_focus(found, Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
    return True


def focus_first(region: QWidget) -> bool:
    """Put the focus on the first control inside a region; says whether there is one."""
    found = next((widget for widget in in_order(region) if takes_focus(widget)), None)
    if found is not None:
        give_focus(found)
    return found is not None


def give_focus(widget: QWidget, reason: Qt.FocusReason = Qt.FocusReason.TabFocusReason) -> None:
    """Put the focus somewhere by a key, and show where."""
    widget.setFocus(reason)
    focusring.show_on(widget)


def takes_focus(widget: QWidget) -> bool:
    """Whether Tab stops at a widget that can be seen."""
    wanted = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(wanted) and widget.isEnabled() and widget.focusProxy() is None


def in_order(region: QWidget) -> Iterator[QWidget]:
    """All visible widgets inside a region: row by row, in a row from left to right, what is inside each before the next."""
    inside = [child for child in region.children() if isinstance(child, QWidget)]
    for child in _read([child for child in inside if child.isVisible() and not child.isWindow()]):
        yield child
        yield from in_order(child)


def _read(widgets: list[QWidget]) -> list[QWidget]:
    """Neighbours as they are read. What has its middle beside the first of a row stands in that row."""
    left = sorted(widgets, key=lambda widget: (widget.y(), widget.x()))
    ordered: list[QWidget] = []
    while left:
        bottom = left[0].geometry().bottom()
        row = [widget for widget in left if widget.geometry().center().y() <= bottom]
        row = row or left[:1]
        ordered += sorted(row, key=lambda widget: (widget.x(), widget.y()))
        left = [widget for widget in left if widget not in row]
    return ordered
