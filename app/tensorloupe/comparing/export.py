"""Writes what was measured into a file: the JSON of `weightmap compare`, or a table for a spreadsheet."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

import weightmap
from tensorloupe import text
from tensorloupe.comparing.comparing import Comparing
from tensorloupe.saving import safe_name
from tensorloupe.tasks import Progress

if TYPE_CHECKING:
    from tensorloupe.window import Window

KINDS = "JSON, as weightmap compare prints it (*.json);;Table (*.csv)"


def ask_export(window: Window, comparing: Comparing) -> None:
    """Ask where to, then write what was measured by now, in the background."""
    found = comparing.comparison()
    if found is None:
        return
    model = window.document.path or "model"
    usual = safe_name(f"{os.path.basename(model)}-errors.json")
    start = os.path.join(str(window.settings.get("exports", "")), usual)
    path, kind = QFileDialog.getSaveFileName(window, "Export the errors", start, KINDS)
    if not path:
        return
    if not path.lower().endswith((".json", ".csv")):
        path += ".csv" if "csv" in kind else ".json"
    window.settings.set("exports", os.path.dirname(path))
    name = weightmap.printable(os.path.basename(path))

    def failed(reason: BaseException) -> None:
        if not isinstance(reason, OSError):
            raise reason
        window.strip.say("error", f"{name} was not written.", weightmap.printable(reason.strerror or str(reason)))

    window.tasks.start(
        "export",
        f"Writing {name}",
        export(found, path),
        lambda count: window.status.say(f"Wrote {text.counted(count, 'pair')} to {name}", "ok"),
        failed,
    )


def export(found: weightmap.Comparison, path: str) -> Callable[[Progress], int]:
    """The work that writes a comparison as the path's ending says; it gives back how many pairs were written.

    The file is written beside its place first: it is whole, or not there.
    """
    write = _csv if path.lower().endswith(".csv") else _json

    def work(_: Progress) -> int:
        beside = f"{path}.part"
        try:
            write(found, beside)
            os.replace(beside, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside)
            raise
        return len(found.pairs)

    return work


def _json(found: weightmap.Comparison, path: str) -> None:
    with open(path, "w", encoding="ascii") as out:
        json.dump(found.to_json(), out, allow_nan=False, indent=1)
        out.write("\n")


def _csv(found: weightmap.Comparison, path: str) -> None:
    names = [field.name for field in fields(weightmap.PairError)]
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(names)
        for pair in found.ranked():
            writer.writerow([_cell(getattr(pair, name)) for name in names])
        for side, left in (("quantized", found.unpaired_quantized), ("reference", found.unpaired_reference)):
            for entry in left:
                row = {"tensor": entry.tensor, "note": f"no pair in the other file ({side}): {entry.reason}"}
                writer.writerow([weightmap.printable(row.get(name, "")) for name in names])


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return weightmap.printable(" + ".join(value))
    return "" if value is None else weightmap.printable(value) if isinstance(value, str) else value
