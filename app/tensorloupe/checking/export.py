"""Writes the list of models into a file: the JSON of `weightmap validate`, or a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import BinaryIO

import weightmap
from tensorloupe.checking.judge import unpacked
from tensorloupe.files.writing import keep_off, whole_file
from tensorloupe.items.sheet import TO_DO, SheetRow
from tensorloupe.task import Progress

_HEADS = ("path", "status", "format", "tensors", "bytes", "types", "findings", "code", "first finding")


def export(rows: Sequence[SheetRow], path: str) -> Callable[[Progress], int]:
    """The work that writes these rows as the path's ending says, .json or .csv; it gives back how many were written.

    Rows that are not judged yet are left out. The file is whole, or not there, and takes the place of no model of the list.
    """
    files = [row.path for row in rows]
    kept = [row for row in rows if row.state not in TO_DO]
    write = _csv if path.lower().endswith(".csv") else _json
    entries = [(_line(row), row.entry) for row in kept]  # as they are now, whatever is judged meanwhile

    def work(progress: Progress) -> int:
        keep_off(path, files)
        with whole_file(path) as out:
            write(entries, out, progress)
        return len(entries)

    return work


Entries = Sequence[tuple[tuple[object, ...], bytes]]


def _json(entries: Entries, out: BinaryIO, progress: Progress) -> None:
    for number, (_, entry) in enumerate(entries):
        out.write((b"," if number else b"[") + unpacked(entry))
        _go_on(progress, number, len(entries))
    out.write(b"]\n" if entries else b"[]\n")


def _csv(entries: Entries, out: BinaryIO, progress: Progress) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_HEADS)
    for number, (line, _) in enumerate(entries):
        writer.writerow(line)
        _go_on(progress, number, len(entries))
    out.write(text.getvalue().encode("utf-8"))


def _line(row: SheetRow) -> tuple[object, ...]:
    worst = max(row.findings, key=lambda finding: finding.severity.rank, default=None)
    return (
        weightmap.printable(row.path),
        row.state,
        row.form,
        "" if row.tensors is None else row.tensors,
        "" if row.nbytes is None else row.nbytes,
        row.types,
        len(row.findings),
        "" if worst is None else worst.code,
        "" if worst is None else weightmap.printable(worst.message),
    )


def _go_on(progress: Progress, done: int, total: int) -> None:
    if not progress(done, total):
        raise weightmap.Cancelled
