"""Writes the values of a tensor into a file, under a name that is safe, whatever the tensor is called."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QFileDialog

import weightmap
from tensorloupe.files.writing import keep_off, safe_name, whole_file, with_ending
from tensorloupe.style import text
from tensorloupe.task import Progress
from tensorloupe.window.saving import say_unwritten

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

VALUES = "NumPy array (*.npy);;Table (*.csv)"


def export_values(window: Window) -> None:
    """Ask where to, then write all values of the selected tensor as .npy or .csv, in the background."""
    tensor, files = window.document.selected, window.document.files()
    if tensor is None:
        return
    start = os.path.join(str(window.settings.get("exports", "")), safe_name(tensor.name) + ".npy")
    path, chosen = QFileDialog.getSaveFileName(window, "Export the values", start, VALUES)
    if not path:
        return
    path = with_ending(path, chosen, (".npy", ".csv"))
    window.settings.set("exports", os.path.dirname(path))
    name = weightmap.printable(os.path.basename(path))
    kind: Literal["npy", "csv"] = "csv" if path.lower().endswith(".csv") else "npy"

    def work(progress: Progress) -> int:
        keep_off(path, files)
        with whole_file(path) as file:
            weightmap.write_values(tensor, file, kind, progress=progress)
        return Path(path).stat().st_size

    def done(size: int) -> None:
        window.status.say(f"Wrote {text.counted(tensor.count, 'value')} to {name}, {text.size(size)}", "ok")

    def failed(reason: BaseException) -> None:
        say_unwritten(window, name, reason)

    window.tasks.start("export", f"Writing {name}", work, done, failed, lambda: window.status.say("Cancelled", None))
