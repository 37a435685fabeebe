"""A histogram drawn with letters: a line for each bin, with its edges, its count and a bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weightmap.cli import text

WIDEST = 48  # characters of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"


def histogram(entry: Mapping[str, Any]) -> str:
    """The tensor's name, and a line for each bin of an entry of `stats`, from the lowest on; bars are as long as counts."""
    edges, counts = (entry["histogram"][name] for name in ("edges", "counts"))
    head = text.clipped(entry["tensor"], text.NAME) + "\n"
    if edges is None or not sum(counts):
        return f"{head}  no finite value\n"
    most = max(counts)
    rows = [
        (text.value(low), "to", text.value(high), f"{count:,}", _bar(count / most))
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    return head + text.table(("", "", "", "", ""), rows, right=(0, 2, 3), indent="  ")


def _bar(share: float) -> str:
    """A bar of a share of the greatest length, in eighths of a letter; what is not nothing is seen."""
    eighths = max(round(share * WIDEST * 8), 1) if share else 0
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
