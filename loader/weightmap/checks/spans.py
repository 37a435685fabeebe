"""Where the tensors of each file lie, in the order in which they lie there: what is said of their places starts from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.formats.layout import Columns, Layout, Part, TensorRecord, by_part

Positions = NDArray[np.int64]


class Span(NamedTuple):
    """One file's tensors that lie inside it, of a GGUF also those that only begin there, in the order in which they lie;
    empty ones left out.

    number  of the part in the layout
    place   index of each in file order; strictly ascending where tensors lie as they are listed
    begin   absolute positions of their first bytes, end of the bytes behind their last ones; int64
    whole   whether every tensor of the file is in here
    empty   those without bytes
    """

    part: Part
    number: int
    records: Sequence[TensorRecord]
    place: Positions
    begin: Positions
    end: Positions
    whole: bool
    empty: Sequence[TensorRecord]

    def record(self, index: int) -> TensorRecord:
        """The tensor that lies at this place of the order."""
        return self.records[int(self.place[index])]


def spans(layout: Layout, suspects: Sequence[TensorRecord]) -> list[Span]:
    """How the tensors of each file lie; files that are missing, or do not tell where their tensors lie, are left out.

    So is an old imatrix, where each tensor lies behind its own entry. `suspects` are those of `structure.suspects`: all
    others need no second look.
    """
    if layout.format == "imatrix":
        return []
    known = [number for number, part in enumerate(layout.parts) if part.size is not None and part.located]
    odd = by_part(suspects, len(layout.parts))
    return [_span(layout, number, odd[number]) for number in known]


def _span(layout: Layout, number: int, suspects: Sequence[TensorRecord]) -> Span:
    part, own = layout.parts[number], layout.of_part(number)
    size = part.size or 0
    records = [r for r in own if r.nbytes and r.offset < size] if suspects else own
    if layout.format != "gguf" and suspects:
        records = [r for r in records if r.nbytes <= size - r.offset]
    columns = layout.columns if records is layout.records else Columns.of(records)
    sizes = (min(r.nbytes, size - r.offset) for r in records) if suspects else columns.nbytes
    begin = np.fromiter(columns.offsets, np.int64, len(records))
    end = begin + np.fromiter(sizes, np.int64, len(records))
    place = np.arange(len(records))
    misfits: list[int] = []
    # in GGUF blocks must fit rows, and what is told of a tensor past the end is its start; in safetensors only sums count
    if layout.format == "gguf" and suspects:
        misfits = [
            i
            for i, r in enumerate(records)
            if r.nbytes > size - r.offset or (r.shape and r.shape[-1] % r.type.elements)
        ]
    if (begin[1:] <= begin[:-1]).any():
        place = np.lexsort((end, begin))
        begin, end = begin[place], end[place]
    for index in np.flatnonzero(np.isin(place, misfits)).tolist() if misfits else ():
        end[index] = begin[index + 1] if index + 1 < len(records) else size  # how long it is cannot be told
    whole = len(records) == len(own) or all(r.nbytes == 0 or 0 < r.nbytes <= size - r.offset for r in own)
    return Span(part, number, records, place, begin, end, whole, [r for r in suspects if r.nbytes == 0])


def padded(part: Part, positions: Positions) -> Positions:
    """Positions moved up to the next multiple of the alignment, counted from the start of the data."""
    return positions + (part.data_start - positions) % part.alignment
