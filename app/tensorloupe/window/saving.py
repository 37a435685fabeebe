"""Saves the picture of a view under a name that is safe, whatever the tensor is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorloupe.files.writing import safe_name
from tensorloupe.views import VIEWS
from tensorloupe.widgets import destination

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


KINDS = "PNG (*.png);;SVG (*.svg)"


def save_picture(window: Window) -> None:
    """Ask where to, then write the picture of the view in front as PNG or SVG."""
    view, tensor = window.explorer.area.view, window.document.selected
    if view is None or tensor is None or not view.has_picture:
        return
    usual = safe_name(f"{tensor.name}-{VIEWS[window.explorer.area.tabs.currentIndex()].key}.png")
    if path := destination.ask(window, window.settings, "Save the picture", usual, KINDS, "pictures"):
        view.save_picture(path)
