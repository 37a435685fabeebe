"""Types whose extent the file does not tell: without a decoder, or with a number that two projects use for two things.

What such a tensor takes is the room up to the next one. A number with two meanings is trusted only where that room is
what the known meaning needs; else its values would be guesses.
"""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.formats.layout import TensorRecord
from weightmap.types.unknown import UnknownType

TWO_MEANINGS = frozenset({42})


def settle(records: Sequence[TensorRecord], size: int, alignment: int) -> tuple[TensorRecord, ...]:
    """The records of one file of `size` bytes, with unknown extents filled in and doubtful types turned into unknown ones."""
    if not any(not type.known or type.id in TWO_MEANINGS for type in {record.type for record in records}):
        return tuple(records)
    rooms = _rooms(records, size)
    fits = [record.nbytes <= room < record.nbytes + alignment for record, room in zip(records, rooms, strict=True)]
    proven = {record.type for record, fit in zip(records, fits, strict=True) if fit}
    settled = []
    for record, room, fit in zip(records, rooms, fits, strict=True):
        if not record.type.known:
            record = record._replace(nbytes=room)
        elif record.type.id in TWO_MEANINGS and not fit and not (record.type in proven and room < record.nbytes):
            record = record._replace(type=_doubtful(record, room), nbytes=room)
        settled.append(record)
    return tuple(settled)


def _rooms(records: Sequence[TensorRecord], size: int) -> list[int]:
    """Bytes from each tensor's start to the next start behind it, or to the end of the file; 0 past the end."""
    begins = sorted({record.offset for record in records if record.offset < size})
    following = dict(zip(begins, [*begins, size][1:], strict=True))
    return [following.get(record.offset, record.offset) - record.offset for record in records]


def _doubtful(record: TensorRecord, room: int) -> UnknownType:
    name = record.type.name
    return UnknownType(
        f"{name} or another type {record.type.id}",
        record.type.id,
        f"More than one project uses the number {record.type.id}. As {name} the tensor would take {record.nbytes:,} bytes, "
        f"but {room:,} are there, so it is another type, and its values cannot be told.",
    )
