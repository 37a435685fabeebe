"""What a file says about itself, as read from its header: records, not values. Every format parses to this.

A Layout is plain data. Parsers put into `problems` only what they met while reading (a header that stops half-way, a
field of the wrong kind); whether records make sense together is judged in `weightmap.checks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, TypedDict

from weightmap.findings import Finding
from weightmap.formats.metadata import Metadata
from weightmap.types.base import StoredType


class TensorRecord(NamedTuple):
    """One entry of a header's tensor table; a tuple, as a file may have 20,000, and a frozen dataclass takes twice as long.

    shape   numpy order (the reverse of ggml's), as stored
    part    index into `Layout.parts`: the file that holds the bytes
    offset  absolute position of the first byte in that file
    nbytes  bytes that the entry claims: by offsets in safetensors, by type and shape in GGUF; for an unknown type the room
            up to the next tensor or the end of the file
    entry   absolute position of the entry itself in the header
    """

    name: str
    shape: tuple[int, ...]
    type: StoredType
    part: int
    offset: int
    nbytes: int
    entry: int

    @property
    def count(self) -> int:  # type: ignore[override]  # of a record, not of a tuple
        """Number of elements."""
        count = 1
        for n in self.shape:
            count *= n
        return count


class Columns(NamedTuple):
    """Fields of many records, one tuple for each: what is asked of 20,000 tensors at once starts from these."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    types: tuple[StoredType, ...]
    offsets: tuple[int, ...]
    nbytes: tuple[int, ...]

    @classmethod
    def of(cls, records: Sequence[TensorRecord]) -> Columns:
        """The columns of these records."""
        return cls(*[tuple(map(itemgetter(place), records)) for place in _COLUMNS])


_COLUMNS = [TensorRecord._fields.index(name) for name in ("name", "shape", "type", "offset", "nbytes")]


class Part(NamedTuple):
    """One file of a model.

    size        bytes; None for a part that is missing
    data_start  where tensor data begins, header_end where the header ends: padding may lie between them
    alignment   of tensors in it, counted from data_start; 1 where the format asks for none
    located     False where the header does not tell where its tensors lie: none of them can be read
    breaks_in   "metadata" or "tensors", the list in the header that could not be read to its end; None where all was read
    counted     tensors that a header that breaks off says there are; None where all was read
    """

    path: str
    size: int | None
    data_start: int = 0
    header_end: int = 0
    alignment: int = 1
    located: bool = True
    breaks_in: str | None = None
    counted: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole model as its header or headers describe it. `metadata` decodes large arrays when they are looked at.

    absent   names of tensors that an index or a header lists, and of which no part tells how to read them
    headers  of a set the metadata of each part, of which `metadata` has what the first says under each key; else empty
    """

    format: str
    path: str
    parts: tuple[Part, ...]
    records: tuple[TensorRecord, ...]
    metadata: Metadata
    version: int | None = None
    byte_order: str = "little"
    alignment: int = 1
    problems: tuple[Finding, ...] = field(default=())
    absent: tuple[str, ...] = ()
    headers: tuple[Metadata, ...] = ()
    _columns: list[Columns] = field(default_factory=list, init=False, repr=False, compare=False)
    _sorted: list[Sequence[TensorRecord]] = field(default_factory=list, init=False, repr=False, compare=False)

    def of_part(self, number: int) -> Sequence[TensorRecord]:
        """The records of one part in their order: all are sorted out at once, as a model may have hundreds of files."""
        if not self._sorted:
            self._sorted.extend(by_part(self.records, len(self.parts)))
        return self._sorted[number]

    @property
    def columns(self) -> Columns:
        """Fields of `records`, made when first asked for."""
        if not self._columns:
            self._columns.append(Columns.of(self.records))
        return self._columns[0]

    @property
    def partial(self) -> bool:
        """Whether more belongs to the model: it is one part of a set, or a part of the set is missing or cannot be read."""
        lone = any(problem.code == "lone_shard" for problem in self.problems)
        return lone or any(part.size is None for part in self.parts)

    @property
    def holds(self) -> str:
        """What the file is to its reader: "imatrix" for an importance matrix, be it in a GGUF, else `format`."""
        return "imatrix" if self.metadata.get("general.type") == "imatrix" else self.format


def by_part(records: Sequence[TensorRecord], parts: int) -> Sequence[Sequence[TensorRecord]]:
    """Records of each of so many parts, in their order."""
    if parts == 1:
        return [records]
    found: list[list[TensorRecord]] = [[] for _ in range(parts)]
    for record in records:
        found[record.part].append(record)
    return found


class Listed(TypedDict):
    """Where the header of a file lists a tensor, as a finding says it."""

    path: str
    tensor: str
    offset: int


def listed(part: Part, record: TensorRecord) -> Listed:
    """The place of what is said about a tensor's entry in the header of its part."""
    return {"path": part.path, "tensor": record.name, "offset": record.entry}


def claimed(type: StoredType, dims: Iterable[int]) -> int:
    """Bytes that a tensor of this type and shape takes, in unbounded integers; a last block that is not full counts whole."""
    count = 1
    for n in dims:
        count *= n
    return -(-count // type.elements) * type.bytes
