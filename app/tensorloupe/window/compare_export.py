"""Writes what was measured into a file: a report to read, the JSON of `weightmap compare`, or a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, TextIO

import weightmap
from tensorloupe.compared import Compared
from tensorloupe.files import places
from tensorloupe.files.writing import keep_off, safe_name, whole_file
from tensorloupe.style import text
from tensorloupe.task import Progress
from tensorloupe.widgets import destination
from tensorloupe.window.writing import write

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

KINDS = "Report with pictures (*.html);;Report as Markdown (*.md);;JSON, as weightmap compare prints it (*.json);;Table (*.csv)"


def ask_export(window: Window, comparing: Compared) -> None:
    """Ask where to, then write what was measured by now, in the background."""
    found = comparing.comparison()
    if found is None:
        return
    model = window.document.path or "model"
    usual = safe_name(f"{places.name(model)}-errors.html")
    if path := destination.ask(window, window.settings, "Export the errors", usual, KINDS):
        work = export(found, path, comparing.pairs, window.document.files())
        write(window, path, work, lambda count, name: f"Wrote {text.counted(count, 'pair')} to {name}")


def export(
    found: weightmap.Comparison, path: str, pairs: weightmap.Pairs | None = None, files: Sequence[str] = ()
) -> Callable[[Progress], int]:
    """The work that writes a comparison as the path's ending says; it gives back how many pairs were written.

    The file is whole, or not there, and none of `files`, which are only read. A report takes its pictures from the open
    `pairs`.
    """

    def work(progress: Progress) -> int:
        keep_off(path, files)
        if path.lower().endswith((".html", ".md")):
            weightmap.write_report(found, path, pairs=pairs, progress=progress)
        else:
            with whole_file(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as out:
                (_csv if path.lower().endswith(".csv") else _json)(found, out)
        return len(found.pairs)

    return work


def _json(found: weightmap.Comparison, out: TextIO) -> None:
    json.dump(found.to_json(), out, allow_nan=False, indent=1)
    out.write("\n")


def _csv(found: weightmap.Comparison, out: TextIO) -> None:
    names = [field.name for field in fields(weightmap.PairError)]
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
