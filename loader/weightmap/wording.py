"""Sizes, shapes and counts as people read them, names as they count them: said once, for commands, lists and reports."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from weightmap.errors import printable

_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_MOST_AXES = 32
_DIGITS = re.compile(r"(\d+)")


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


def out_of_reach(lost: int, count: int) -> str:
    """A sentence on the tensors of a model that lie in parts which cannot be read."""
    return f"{lost:,} of {plural(count, 'tensor')} {'is' if lost == 1 else 'are'} out of reach."


def clipped(text: str, width: int) -> str:
    """Text from a file as one line of at most `width` characters, of which 30 may be the note that says what is left out."""
    line = printable(text[: 2 * width])  # an escape is longer than what it stands for
    if len(line) <= width and len(text) <= 2 * width:
        return line
    note = f"… ({len(text):,} characters)"
    return line[: width - len(note)] + note


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key in which blk.2 comes before blk.10."""
    pieces = _DIGITS.split(name)
    return tuple((0, int(p), p) if at % 2 and len(p) < 19 else (1, 0, p) for at, p in enumerate(pieces))
