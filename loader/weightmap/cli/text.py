"""Numbers, sizes and tables for people: one way to write each, everywhere on the command line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence

from weightmap.wording import clipped, plural, shape, size, value

__all__ = ["NAME", "clipped", "coloured", "mark", "plural", "shape", "size", "table", "value"]

_COLOURS = {"ok": "32", "info": "34", "warning": "33", "error": "31"}
NAME = 200  # characters of a name in a table: three times what formats allow; every row is as wide as the longest
_COLOUR = re.compile("\x1b\\[\\d+m")  # takes no room
_MARKS = {"ok": "✓", "info": "i", "warning": "▲", "error": "✕"}


def mark(status: str) -> str:
    """The sign of a status, in colour where stdout is a terminal and NO_COLOR is not set."""
    return coloured(_MARKS[status], status)


def coloured(text: str, status: str) -> str:
    """Text in the colour of a status, plain where colour is not wanted."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{_COLOURS[status]}m{text}\x1b[0m"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = (), indent: str = "") -> str:
    """An aligned table under its heads; the columns numbered in `right` are flush right. Without rows it is empty."""
    body = [tuple(row) for row in rows]
    if not body:
        return ""
    flush = set(right)
    widths = [max(_width(row[i]) for row in (tuple(heads), *body)) for i in range(len(heads))]
    lines = []
    for row in (tuple(heads), *body) if any(heads) else body:
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            room = " " * (width - _width(cell))
            cells.append(room + cell if i in flush else cell + room)
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines) + "\n"


def _width(cell: str) -> int:
    """How many characters of a cell are seen."""
    return len(_COLOUR.sub("", cell))
