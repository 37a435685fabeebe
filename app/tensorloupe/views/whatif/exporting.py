"""Writes the table of types into a file, in the background: whole or not at all, and never over the model."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

import weightmap
from tensorloupe.files.writing import keep_off, safe_name, whole_file, with_ending
from tensorloupe.items.whatif import Trial, exported
from tensorloupe.views.view import ViewContext

KINDS = "CSV (*.csv);;JSON (*.json);;Tab-separated (*.tsv)"


class Exporting(QObject):
    """`said`: a line for the status bar; `failed`: the exception."""

    said = Signal(str)
    failed = Signal(object)

    def __init__(self, context: ViewContext, slot: str, parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._slot = context, slot

    def ask(self, window: QWidget, name: str) -> str:
        """Where to, as a path with an ending; empty where the user would rather not."""
        settings = self._context.settings
        start = os.path.join(str(settings.get("exports", "")), safe_name(f"{name}-types.csv"))
        path, chosen = QFileDialog.getSaveFileName(window, "Export the table", start, KINDS)
        if path:
            settings.set("exports", os.path.dirname(path))
        return with_ending(path, chosen, (".csv", ".json", ".tsv")) if path else ""

    def write(self, path: str, rows: Sequence[Trial]) -> None:
        """Write the rows as the path's ending says."""
        files = self._context.document.files()

        def work(_: object) -> None:
            keep_off(path, files)
            with whole_file(path) as file:
                file.write(exported(rows, path))

        name = weightmap.printable(os.path.basename(path))
        self._context.tasks.start(
            f"{self._slot}.export",
            "Exporting the table",
            work,
            lambda _: self.said.emit(f"saved {name}"),
            self.failed.emit,
        )
