"""Where the measures get values from: anything with a shape that can read a range of its elements.

`StoredElements` is one tensor as it lies in a file. Weights composed of several tensors read the same way: they write their
own `read` and inherit the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap import telemetry
from weightmap.formats.layout import TensorRecord
from weightmap.reading import counted, runs
from weightmap.reading.told import viewing
from weightmap.source.byte_source import ByteSource
from weightmap.types.base import Blocks, StoredType
from weightmap.types.workspace import Workspace

CHUNK = 1 << 19  # elements: the most that a pass decodes at a time; with more, chunk and scratch would leave the cache
COSTLY = 1 << 16  # the same where values take a microsecond each: a pass is to end soon after it is cancelled
LEAST = 1 << 17  # with less, numpy's calls would cost more than what they do
SHARES = 8  # chunks at least, between the two, so that threads end together


OnRead = Callable[[NDArray[np.uint8], int], object]


class Elements(ABC):
    """A sequence of `count` elements, seen as `shape` in C order.

    value  dtype that `read` writes
    integers  whether what is stored are integers or truth values, whatever dtype they are read as
    costly  whether values take so long to read that passes take few at a time
    grain  reads begin and end at multiples of this many elements (the end of everything is one as well)
    """

    shape: tuple[int, ...]
    count: int
    value: np.dtype[Any]
    grain: int
    integers: bool
    costly: bool = False

    @abstractmethod
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Write elements start:stop into `out`, (stop - start,) of dtype `value`, C-contiguous."""

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Write `length` elements from each of the rising `starts` into `out`, (len(starts), length), C-contiguous."""
        for row, start in enumerate(starts.tolist()):
            first = start // self.grain * self.grain
            last = min(-(-(start + length) // self.grain) * self.grain, self.count)
            values = work.array("gather", (last - first,), self.value)
            self.read(first, last, values, work)
            out[row] = values[start - first : start - first + length]

    def gather_rows(self, starts: range, length: int, out: NDArray[Any], work: Workspace) -> bool:
        """The same from starts at equal distances, where that is quicker; False, and nothing was done, where it is not."""
        return False

    def __repr__(self) -> str:
        return f"<elements {self.shape} read as {self.value}>"

    def chunk(self) -> int:
        """A good number of elements to read at a time: a multiple of `grain`."""
        wanted = min(max(self.count // SHARES, LEAST), COSTLY if self.costly else CHUNK)
        return max(wanted // self.grain, 1) * self.grain

    def codes(self) -> Codes | None:
        """The codes of one or two bytes that elements are stored as, where they are; else None."""
        return None

    def spans(self) -> Spans | None:
        """Bounds of the values of runs, where these can be told without decoding and every value is finite; else None."""
        return None

    def tallying(self) -> Tallying | None:
        """How to count values without computing each, where long runs have few different ones; else None."""
        return None

    def numbered(self) -> Numbered | None:
        """The same where all elements together have few different ones; else None."""
        return None


class Codes(NamedTuple):
    """Elements of which each is stored as a code.

    values  what every code stands for, by code: at most 65,536
    read    (start, stop, out): writes the codes of elements start:stop into `out`, (stop - start,) of uint8 where there are up
            to 256, else of uint16
    """

    values: NDArray[Any]
    read: Callable[[int, int, NDArray[Any]], None]


class Tallying(NamedTuple):
    """How often which values occur in elements start:stop, start being a multiple of `chunk`.

    tally  (start, stop, workspace) to (values, how often each), a value as often as the elements have it under different
           scales: float32 and int64 of the same length, in no order; values that do not occur may be among them, with 0
    spans  where it is known: bounds of the finite values, of which the others need not be told apart for them
    """

    chunk: int
    tally: Callable[[int, int, Workspace], tuple[NDArray[np.float32], NDArray[np.int64]]]
    spans: Callable[[], Spans | None] | None = None


class Numbered(NamedTuple):
    """All values that elements have.

    chunk   how many to count at a time
    values  by number: float32; different numbers may stand for the same value, and for values that do not occur
    add     (start, stop, counters, workspace): counts the numbers of elements start:stop in counters that are there, one for each
            value, int64; start is a multiple of `chunk`
    """

    chunk: int
    values: NDArray[np.float32]
    add: Callable[[int, int, NDArray[np.int64], Workspace], None]


class Spans(NamedTuple):
    """Runs of elements, one after the other, and values that none of a run's elements goes beyond.

    edges  where each begins, and the end: int64, one more than there are runs; low, high  float32, all finite
    rows   None, or where each is a rectangle: its number to (where each of its rows begins, elements of a row); then `edges`
           only tell how many elements it has
    """

    edges: NDArray[np.int64]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    rows: Callable[[int], tuple[NDArray[np.int64], int]] | None = None


class StoredElements(Elements):
    """The elements of one tensor, read through the descriptor of its file."""

    def __init__(self, source: ByteSource, record: TensorRecord) -> None:
        self.source, self.record, self.type = source, record, record.type
        self.shape, self.count = record.shape, record.count
        self.value, self.grain = record.type.value, record.type.elements
        kind = record.type
        self.integers = self.value.kind in "iub" or (kind.dtype is not None and kind.dtype.kind in "iu")
        self._as_stored = kind.elements == 1 and kind.dtype == kind.value  # same byte order too
        self._watch: OnRead | None = None

    def watched(self, watch: OnRead) -> StoredElements:
        """The same elements; `watch` is called with the bytes of what is read, flat, and where in the tensor they begin."""
        twin = StoredElements(self.source, self.record)
        twin._watch = watch
        return twin

    def as_stored(self, dtype: np.dtype[Any]) -> StoredElements:
        """The same elements, read as the `dtype` that they are stored as, without decoding."""
        return StoredElements(self.source, self.record._replace(type=AsStored(self.type.name, dtype)))

    def view(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """All elements as a read-only view of the file; a copy where the file is not mapped."""
        if telemetry.active is None:
            return self.source.array(self.record.offset, self.shape, dtype)
        with viewing(self.record):
            return self.source.array(self.record.offset, self.shape, dtype)

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Decode the blocks of elements start:stop."""
        if self._as_stored:
            self._read(start, out.view(np.uint8))
            return
        first, last = start // self.grain, -(-stop // self.grain)
        self.type.decode(self.read_blocks(first, last, work), out.reshape(last - first, self.grain), work)

    def read_blocks(self, first: int, last: int, work: Workspace) -> Blocks:
        """Blocks first:last as stored, (last - first, bytes per block), in the workspace."""
        size = self.type.bytes
        blocks: Blocks = work.array("blocks", (last - first, size), np.uint8)
        self._read(first, blocks.reshape(-1))
        return blocks

    def _read(self, first: int, out: NDArray[np.uint8]) -> None:
        start = first * self.type.bytes
        self.source.read_into(self.record.offset + start, out)
        if self._watch is not None:
            self._watch(out, start)

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Decode only the blocks that the runs touch."""
        runs.gather(self, starts, length, out, work)

    def gather_rows(self, starts: range, length: int, out: NDArray[Any], work: Workspace) -> bool:
        """Rows of whole blocks that lie close, as a window that is looked at has them: in few steps for each."""
        return runs.gather_rows(self, starts, length, out, work)

    def tallying(self) -> Tallying | None:
        """Of large tensors whose blocks have one scale and codes of up to four bits."""
        place = counted.place(self.type) if self.count >= counted.WORTH else None
        return None if place is None else Tallying(counted.chunk(), partial(counted.tally, self, place))

    def codes(self) -> Codes | None:
        """Of types that store one element in one or two bytes: 256 or 65,536 of them."""
        if self.grain != 1 or self.type.bytes > 2:
            return None
        return Codes(decoded_codes(self.type), self.read_stored)

    def read_stored(self, start: int, stop: int, out: NDArray[Any]) -> None:
        """Elements start:stop of a type of single elements as they are stored, in the machine's byte order, whatever they mean."""
        self.source.read_into(self.record.offset + start * self.type.bytes, out.view(np.uint8))


class AsStored(StoredType):
    """Elements of a dtype as they stand in the file, for sources that have no views to give."""

    def __init__(self, name: str, dtype: np.dtype[Any]) -> None:
        self.name, self.bytes, self.dtype, self.value = name, dtype.itemsize, dtype, dtype

    def decode(self, blocks: Blocks, out: NDArray[Any], work: Workspace) -> None:
        """Copy the bytes."""
        np.copyto(out.view(np.uint8), blocks)


def decoded_codes(kind: StoredType) -> NDArray[Any]:
    """The value of every code of a type that stores one element in one or two bytes."""
    codes = np.arange(1 << 8 * kind.bytes, dtype=f"u{kind.bytes}")
    values = np.empty((len(codes), 1), kind.value)
    kind.decode(codes.view(np.uint8).reshape(-1, kind.bytes), values, Workspace())
    return values.reshape(-1)
