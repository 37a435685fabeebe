"""Numbers, sizes and tables for people: one way to write each, everywhere on the command line."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Sequence

from weightmap.errors import printable

_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_COLOURS = {"ok": "32", "info": "34", "warning": "33", "error": "31"}
_MOST_AXES = 32
NAME = 200  # characters of a name in a table: three times what formats allow; every row is as wide as the longest
_MARKS = {"ok": "✓", "info": "i", "warning": "▲", "error": "✕"}


def size(nbytes: int) -> str:
    """A size in bytes with one decimal: 1 kB is 1,000 bytes."""
    for factor, unit in _UNITS:
        if nbytes >= factor:
            return f"{nbytes / factor:,.1f} {unit}"
    return f"{nbytes} B"


def shape(axes: Sequence[int]) -> str:
    """A shape in numpy order; a scalar has none. One that no array can have is shown by its beginning: files claim millions."""
    if len(axes) > _MOST_AXES:
        return f"{shape(axes[:8])} × … ({len(axes):,} axes)"
    return " × ".join(f"{axis:,}" for axis in axes) if axes else "scalar"


def value(number: float | int | None) -> str:
    """A value of a tensor: integers keep every digit, others have six that count, and a dash stands for none."""
    if number is None or (isinstance(number, float) and math.isnan(number)):
        return "-"
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:.6g}"


def plural(count: int, noun: str) -> str:
    """A count with its noun: 1 tensor, 2 tensors."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def clipped(text: str, width: int) -> str:
    """Text from a file as one line of at most `width` characters, of which 30 may be the note that says what is left out."""
    line = printable(text[: 2 * width])  # an escape is longer than what it stands for
    if len(line) <= width and len(text) <= 2 * width:
        return line
    note = f"… ({len(text):,} characters)"
    return line[: width - len(note)] + note


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
    widths = [max(len(row[i]) for row in (tuple(heads), *body)) for i in range(len(heads))]
    lines = []
    for row in (tuple(heads), *body) if any(heads) else body:
        cells = (
            cell.rjust(w) if i in flush else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines) + "\n"
