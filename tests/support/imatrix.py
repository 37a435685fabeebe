"""Writes importance matrices in their old form."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence


def imatrix(
    entries: Iterable[tuple[str | bytes, int, Sequence[float]]],
    *,
    chunks: int | None = 7,
    dataset: str | None = "wiki.txt",
    count: int | None = None,
) -> bytes:
    """Entries are (name, calls, values); `count` replaces their number, None leaves the end off."""
    entries = list(entries)
    data = struct.pack("<i", len(entries) if count is None else count)
    for name, calls, values in entries:
        text = name.encode() if isinstance(name, str) else name
        data += struct.pack("<i", len(text)) + text + struct.pack("<ii", calls, len(values))
        data += struct.pack(f"<{len(values)}f", *values)
    if chunks is not None:
        data += struct.pack("<i", chunks)
    if dataset is not None:
        data += struct.pack("<i", len(dataset.encode())) + dataset.encode()
    return data
