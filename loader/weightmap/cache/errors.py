"""Errors of tensors against their counterparts in another model, remembered by the content of both models.

What a pair is made of depends on both headers and on the JSON files beside them (config.json and its kin), so all of these
are part of the question: after any change of any of them it is measured anew.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any

from weightmap.cache.store import Store
from weightmap.measure.error import ErrorMeasures
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.source.fingerprint import key, settled

LEAST = 1 << 16  # elements that are worth it
MOST_BESIDE = 1000  # JSON files in a folder: with more nothing is remembered
FIELDS = [one.name for one in fields(ErrorMeasures)]


class Errors:
    """What is remembered of comparing two open models. It looks at their files, which raises if one changed."""

    def __init__(self, store: Store, sources: Sequence[Sequence[FileSource]]) -> None:
        self._store = store
        self._sources = [source for side in sources for source in side]
        self._keys = [[key(source) for source in side] for side in sources]
        self._beside = _beside(self._sources)
        self._settled = all(settled(source) for source in self._sources)

    def recall(self, *pair: Any) -> ErrorMeasures | None:
        """The errors of a pair, given by all that tells it apart, in what JSON has; None where they are not remembered."""
        if self._beside is None:
            return None
        for source in self._sources:
            source.read(0, min(1, source.size))
        about, kind = self._question(pair)
        kept = self._store.load(self._keys[0][0], kind)
        if kept is None:
            return None
        try:
            if kept.body["about"] != about:
                return None
            values = dict(zip(FIELDS, kept.body["values"], strict=True))
        except (KeyError, TypeError, ValueError):
            return None
        return ErrorMeasures(**values)

    def keep(self, errors: ErrorMeasures, *pair: Any) -> None:
        """Remember the errors of a pair."""
        values = astuple(errors)
        plain = all(type(value) in (int, bool, type(None)) or _finite(value) for value in values)
        if self._settled and self._beside is not None and plain and errors.count >= LEAST:
            about, kind = self._question(pair)
            self._store.save(self._keys[0][0], kind, {"about": about, "values": values})

    def _question(self, pair: tuple[Any, ...]) -> tuple[list[Any], str]:
        about = [self._keys, self._beside, [list(one) if isinstance(one, tuple) else one for one in pair]]
        return about, f"error-{zlib.crc32(repr(about).encode('utf-8', 'surrogatepass')):08x}"


def errors_of(store: Store | None, *sides: Sequence[ByteSource | None]) -> Errors | None:
    """The memory for two models, where there is a cache and all their parts are files that are there."""
    if store is None or not all(side for side in sides):
        return None
    files = [[source for source in side if isinstance(source, FileSource)] for side in sides]
    return Errors(store, files) if [*map(len, files)] == [*map(len, sides)] else None


def _finite(value: Any) -> bool:
    return type(value) is float and math.isfinite(value)


def _beside(sources: Sequence[FileSource]) -> list[list[Any]] | None:
    """Names and states of the JSON files in the folders of the files; None where that cannot be told."""
    found: list[list[Any]] = []
    try:
        for folder in sorted({os.path.dirname(os.path.abspath(source.path)) for source in sources}):
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.lower().endswith(".json"):
                        state = entry.stat()
                        times = state.st_mtime_ns, state.st_ctime_ns
                        found.append([folder, entry.name, state.st_size, *times, state.st_ino])
    except OSError:
        return None
    return sorted(found) if len(found) <= MOST_BESIDE else None
