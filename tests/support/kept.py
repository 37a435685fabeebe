"""An entry of the cache with a document and segments, and where its file lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weightmap.cache.store import Store

BODY: Any = {"a": [1, 2.5, None, "ü\udcff", {"b": True}], "n": float("inf")}
SEGMENTS = {"one": b"\0\1\2" * 50, "none": b"", "two": b"x"}


def file_of(place: Store, key: str = "k", kind: str = "thing") -> Path:
    return Path(place.place, "v1", key, kind + ".wmc")
