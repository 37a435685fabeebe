"""Writes the values of a tensor into a file, under a name that is safe, whatever the tensor is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import weightmap
from tensorloupe.files.writing import keep_off, safe_name, whole_file
from tensorloupe.style import text
from tensorloupe.task import Progress
from tensorloupe.widgets import destination
from tensorloupe.window.writing import write

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

VALUES = "NumPy array (*.npy);;Table (*.csv)"


def export_values(window: Window) -> None:
    """Ask where to, then write all values of the selected tensor as .npy or .csv, in the background."""
    tensor, files = window.document.selected, window.document.files()
    if tensor is None:
        return
    path = destination.ask(window, window.settings, "Export the values", safe_name(tensor.name) + ".npy", VALUES)
    if not path:
        return
    kind: Literal["npy", "csv"] = "csv" if path.lower().endswith(".csv") else "npy"

    def work(progress: Progress) -> int:
        keep_off(path, files)
        with whole_file(path) as file:
            weightmap.write_values(tensor, file, kind, progress=progress)
        return Path(path).stat().st_size

    values = text.counted(tensor.count, "value")
    write(window, path, work, lambda size, name: f"Wrote {values} to {name}, {text.size(size)}")
