"""A file that is no model any more, as checksums see it: bytes under a name. A damaged header is when they are needed most."""

from __future__ import annotations

import os

from weightmap.cache.store import Store
from weightmap.errors import CorruptWeightError, WeightFileError
from weightmap.formats.layout import Layout, Part
from weightmap.formats.metadata import Metadata
from weightmap.opened import Opened
from weightmap.source.address import absolute
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource

DAMAGED = ("unknown_format", "unsupported_version")  # what a few bytes can make of a sound file; others say what it is


class Bare:
    """What `Contents` uses of an open model, of a file that cannot be opened as one: it has no tensors."""

    sound = False

    def __init__(self, path: str, store: Store | None) -> None:
        source = FileSource(path)
        self.path, self.place, self.store = path, absolute(path), store
        part = Part(path, source.size, located=False)
        self.layout = Layout(format="", path=path, parts=(part,), records=(), metadata=Metadata())
        self.sources: tuple[ByteSource | None, ...] = (source,)

    def require_open(self) -> None:
        """It is open."""

    def close(self) -> int:
        """Close the file."""
        return sum(source.close() for source in self.sources if source is not None)


def opened_or_bare(path: str, store: Store | None) -> Opened | Bare:
    """The model, or the file alone where its content is damaged beyond showing anything.

    Raises what opening a model raises for all but that: nothing there, no access, several models, another kind of file.
    """
    try:
        return Opened(path, store)
    except WeightFileError as problem:
        damaged = isinstance(problem, CorruptWeightError) or problem.code in DAMAGED
        if not damaged or not os.path.isfile(path):
            raise
        return Bare(path, store)
