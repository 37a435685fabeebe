"""One model as quantization schemes look at it: its records by name, small companions read, and what its config says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weightmap.checks.extent import source_of, unreadable
from weightmap.companions.config import QuantConfig
from weightmap.formats.layout import Layout, TensorRecord
from weightmap.reading.elements import StoredElements
from weightmap.source.byte_source import ByteSource
from weightmap.types.base import StoredType
from weightmap.types.workspace import Workspace

LOOKED_AT = 1 << 16  # bytes: up to so many, a companion is looked at when its weight is found, else with the values
BUDGET = 1 << 24  # bytes of companions that are looked at in one model then
TEXT = 1 << 16  # bytes: no description of a weight in JSON is nearly as long

HEADER = 1 << 23  # characters: a description of each of 20,000 weights in the header has fewer

Shape = tuple[int, ...]
T = TypeVar("T")


class Parts:
    """The tensors of one model, and a way to their bytes. Thread-safe once the weights were found.

    get  (name) to the record of this name, of a name that stands twice the first; None where there is none
    """

    def __init__(
        self,
        layout: Layout,
        sources: Sequence[ByteSource | None],
        config: QuantConfig,
        records: Mapping[str, TensorRecord],
    ) -> None:
        self.layout, self.config, self.records = layout, config, records
        self.get: Callable[[str], TensorRecord | None] = records.get  # asked for twenty names at each weight
        self._sources = sources
        self._left = BUDGET
        self._known: dict[str, Any] = {}

    @property
    def config_name(self) -> str:
        """The file that holds the quantization config, by its name."""
        return os.path.basename(self.config.path or "config.json")

    def path(self, record: TensorRecord) -> str:
        """The file that holds a record."""
        return self.layout.parts[record.part].path

    def stored(
        self, record: TensorRecord, type: StoredType | None = None, shape: Shape | None = None
    ) -> StoredElements:
        """A record's elements as stored; with `type` and `shape` its bytes taken as those of another type (as many bytes).

        Raises WeightFileError where the record cannot be read.
        """
        source = source_of(self.layout, self._sources, record)
        if type is not None or shape is not None:
            record = replace_record(record, type or record.type, record.shape if shape is None else shape)
        return StoredElements(source, record)

    def values(self, record: TensorRecord, type: StoredType | None = None) -> NDArray[Any]:
        """All values of a small companion in its shape, as its type's own dtype. Raises WeightFileError."""
        elements = self.stored(record, type)
        out = np.empty(elements.count, elements.value)
        if elements.count:
            elements.read(0, elements.count, out, Workspace())
        return out.reshape(record.shape)

    def looked_at(self, record: TensorRecord, type: StoredType | None = None) -> NDArray[Any] | None:
        """The same where it can be read, is small, and not too many were looked at before, else None."""
        cost = record.nbytes + 64
        if record.nbytes > LOOKED_AT or cost > self._left or unreadable(self.layout, record) is not None:
            return None
        self._left -= cost
        return self.values(record, type)

    def header(self, key: str) -> Any:
        """The JSON value that an entry of the metadata spells, of several files the first; None where none does."""
        return next(iter(self.headers(key)), None)

    def headers(self, key: str) -> list[Any]:
        """The JSON values that the metadata of each file spells under this key; None for one that is no JSON."""

        def read(text: Any) -> Any:
            try:
                return json.loads(text) if isinstance(text, str) and len(text) <= HEADER else None
            except (ValueError, RecursionError):
                return None

        def every() -> list[Any]:
            files = self.layout.headers or (self.layout.metadata,)
            return [read(metadata.get(key)) for metadata in files if key in metadata]

        return self.once(f"header {key}", every)

    def once(self, what: str, make: Callable[[], T]) -> T:
        """What `make` makes, made when first asked for under this name."""
        if what not in self._known:
            self._known[what] = make()
        known: T = self._known[what]
        return known

    def json(self, record: TensorRecord) -> Any:
        """The JSON value that the bytes of a record spell. ValueError with the end of a sentence where they do not."""
        if record.nbytes > TEXT:
            raise ValueError(f"is {record.nbytes:,} bytes long, far more than a description needs")
        data = self.stored(record).source.read(record.offset, record.nbytes)
        try:
            return json.loads(data.rstrip(b"\0"))
        except (ValueError, RecursionError):
            raise ValueError("is no valid JSON") from None


def replace_record(record: TensorRecord, type: StoredType, shape: Shape) -> TensorRecord:
    """The same bytes taken as another type, in another shape."""
    return TensorRecord(record.name, shape, type, record.part, record.offset, record.nbytes, record.entry)
