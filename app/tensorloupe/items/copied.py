"""Cells as tab-separated text, as spreadsheets take it from the clipboard: each whole, however many lines it has."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def tabbed(rows: Iterable[Sequence[str]]) -> str:
    """Rows as lines, cells between tabs; a cell that holds tabs, line ends or quotes itself stands in quotes."""
    out = io.StringIO()
    csv.writer(out, dialect="excel-tab", lineterminator="\n").writerows(rows)
    return out.getvalue().removesuffix("\n")
