"""A histogram drawn with letters: a line for each bin, with its edges, its count and a bar.

Bars are blocks in eighths of a letter, or whole letters where stdout has no blocks, as in the code pages of Windows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from weightmap.cli import text

WIDEST = 48  # characters of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_WHOLE = "█"
_PLAIN = "#"


def histogram(entry: Mapping[str, Any]) -> str:
    """The tensor's name, and a line for each bin of an entry of `stats`, from the lowest on; bars are as long as counts."""
    edges, counts = (entry["histogram"][name] for name in ("edges", "counts"))
    head = text.clipped(entry["tensor"], text.NAME) + "\n"
    if edges is None or not sum(counts):
        return f"{head}  no finite value\n"
    most, draw = max(counts), _bar if _has_blocks() else _plain_bar
    rows = [
        (text.value(low), "to", text.value(high), f"{count:,}", draw(count / most))
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    return head + text.table(("", "", "", "", ""), rows, right=(0, 2, 3), indent="  ")


def _bar(share: float) -> str:
    """A bar of a share of the greatest length, in eighths of a letter; what is not nothing is seen."""
    eighths = max(round(share * WIDEST * 8), 1) if share else 0
    return (_WHOLE * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _plain_bar(share: float) -> str:
    """The same in whole letters that every encoding has."""
    return _PLAIN * (max(round(share * WIDEST), 1) if share else 0)


def _has_blocks() -> bool:
    """Whether stdout can be told to draw blocks."""
    try:
        (_WHOLE + _EIGHTHS).encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
