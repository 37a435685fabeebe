"""What the metadata says: kinds of well-known keys, text that is no text, arrays that other readers refuse."""

from __future__ import annotations

from weightmap.findings import Finding
from weightmap.formats.layout import Layout


def check(layout: Layout) -> list[Finding]:
    """Findings about the metadata."""
    return []
