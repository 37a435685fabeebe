"""Tensors in memory as the reading and measuring passes see them: no file, no format."""

from __future__ import annotations

import numpy as np
from support.blocks import decoded
from support.sources import MemorySource

from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import StoredElements
from weightmap.types.base import StoredType
from weightmap.types.registry import by_name

PLAIN = {"f4": "F32", "f8": "F64", "f2": "F16", "i1": "I8", "i2": "I16", "i4": "I32", "i8": "I64", "u1": "U8"}
PLAIN |= {"u2": "U16", "u4": "U32", "u8": "U64", "c8": "C64", "b1": "BOOL"}


class CountingSource(MemorySource):
    """A memory source that reads as a file does: read-only views, and the ranges that were read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.ranges: list[tuple[int, int]] = []

    def read_into(self, offset: int, out: np.ndarray) -> None:
        self.ranges.append((offset, len(out)))
        super().read_into(offset, out)


def of_type(type: StoredType, shape: tuple[int, ...], blocks: np.ndarray, offset: int = 7) -> StoredElements:
    """Elements of `blocks`, which begin at an odd place of the source."""
    data = blocks.tobytes()
    record = TensorRecord("t", shape, type, 0, offset, len(data), 0)
    return StoredElements(CountingSource(b"\x99" * offset + data + b"\x77" * 5), record)


def plain(values: np.ndarray) -> StoredElements:
    """Elements of an array of a dtype that is stored as it is."""
    values = np.asarray(values, order="C")
    type = by_name(PLAIN[f"{values.dtype.kind}{values.dtype.itemsize}"])
    assert type is not None
    return of_type(type, values.shape, values.reshape(-1).view(np.uint8))


def values_of(elements: StoredElements) -> np.ndarray:
    """All values at once, by the type alone."""
    source, record = elements.source, elements.record
    blocks = np.frombuffer(source.read(record.offset, record.nbytes), np.uint8).reshape(-1, record.type.bytes)
    return decoded(record.type, blocks).reshape(record.shape)
