"""Saves the picture of a view under a name that is safe, whatever the tensor is called; says why a file was not written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

import weightmap
from tensorloupe.files.writing import safe_name, with_ending
from tensorloupe.views import VIEWS

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


def save_picture(window: Window) -> None:
    """Ask where to, then write the picture of the view in front as PNG or SVG."""
    view, tensor = window.explorer.area.view, window.document.selected
    if view is None or tensor is None or not view.has_picture:
        return
    usual = safe_name(f"{tensor.name}-{VIEWS[window.explorer.area.tabs.currentIndex()].key}.png")
    start = os.path.join(str(window.settings.get("pictures", "")), usual)
    path, chosen = QFileDialog.getSaveFileName(window, "Save the picture", start, "PNG (*.png);;SVG (*.svg)")
    if not path:
        return
    path = with_ending(path, chosen, (".png", ".svg"))
    window.settings.set("pictures", os.path.dirname(path))
    view.picture_saved.connect(
        lambda saved, reason: _tell(window, saved, reason), Qt.ConnectionType.SingleShotConnection
    )
    view.save_picture(path)


def _tell(window: Window, path: str, reason: BaseException | None) -> None:
    """Say how it went, once the picture was written in the background."""
    if reason is not None:
        said = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        window.strip.say("error", "The picture was not saved.", weightmap.printable(said.rstrip(".") + "."))
    else:
        window.status.say(f"Saved {weightmap.printable(os.path.basename(path))}", "ok")


def say_unwritten(window: Window, name: str, reason: BaseException) -> None:
    """Say why a file was not written. Raises `reason` where it is neither the disk's nor the model's fault."""
    if not isinstance(reason, OSError | weightmap.WeightFileError):
        raise reason
    said = reason.finding.message if isinstance(reason, weightmap.WeightFileError) else reason.strerror
    window.strip.say("error", f"{name} was not written.", weightmap.printable(f"{said or reason}".rstrip(".") + "."))
