"""The files of a model as a table: one row, or one per part of a split model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import weightmap
from tensorloupe.files import places
from tensorloupe.items.table import RowTable
from tensorloupe.style import text


class FileRow(NamedTuple):
    """A file of the open model. `size` is None for a part that is not there."""

    path: str
    size: int | None
    tensors: int
    nbytes: int  # of tensor data, as the header promises
    status: str


def file_rows(model: weightmap.WeightFile, findings: Sequence[weightmap.Finding] | None) -> tuple[FileRow, ...]:
    """One row per part, with what is said about it; None where that is not known yet."""
    counts, nbytes = [0] * len(model.parts), [0] * len(model.parts)
    for tensor in model.records:
        counts[tensor.part] += 1
        nbytes[tensor.part] += tensor.nbytes
    worst: dict[str | None, weightmap.Severity] = {}
    for finding in findings or ():
        known = worst.get(finding.path, weightmap.Severity.OK)
        worst[finding.path] = max(known, finding.severity, key=lambda severity: severity.rank)
    usual = "unchecked" if findings is None else "ok"
    return tuple(
        FileRow(part.path, part.size, counts[i], nbytes[i], str(worst.get(part.path, usual)))
        for i, part in enumerate(model.parts)
    )


class FilesTable(RowTable[FileRow]):
    """Name, folder, size and what is inside."""

    heads = ("File", "Tensors", "Tensor data", "Size", "Bytes", "Folder")
    numeric = frozenset({1, 2, 3, 4})
    quiet = frozenset({4, 5})

    def cell(self, row: FileRow, column: int) -> str:
        folder, name = places.split(row.path)
        held = ("not there", "") if row.size is None else (text.size(row.size), text.count(row.size))
        shown = (name, text.count(row.tensors), text.size(row.nbytes), *held, folder or ".")
        return weightmap.printable(shown[column])

    def raw(self, row: FileRow, column: int) -> str:
        return row.path if column == 0 else self.cell(row, column)

    def status(self, row: FileRow) -> str | None:
        return row.status if row.size is not None else "error"
