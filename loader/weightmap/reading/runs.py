"""Reads many equal runs of elements, as a window of a matrix is: only their blocks, in few reads.

One read per row costs more than copying what lies between rows; so rows that lie close are read as one span, and their
blocks are picked out of it.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightmap.formats.layout import TensorRecord
from weightmap.source.byte_source import ByteSource
from weightmap.types.base import Blocks, StoredType
from weightmap.types.workspace import Workspace

SPAN = 1 << 21  # bytes: read at a time where runs lie close
GAP = 1 << 14  # bytes between two runs that are read over instead of being left out
VALUES = 1 << 18  # elements: decoded at a time


class InBlocks(Protocol):
    """What runs are read from: the elements of a stored tensor, in blocks of `grain`."""

    type: StoredType
    record: TensorRecord
    source: ByteSource
    count: int
    grain: int
    value: np.dtype[Any]

    def chunk(self) -> int: ...
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None: ...
    def read_blocks(self, first: int, last: int, work: Workspace) -> Blocks: ...


def gather(elements: InBlocks, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
    """`Elements.gather` of a stored tensor: (len(starts), length) values from the rising `starts`."""
    if not len(starts) or not length:
        return
    grain, size = elements.grain, elements.type.bytes
    first = starts // grain
    wide = int(np.max(-(-(starts + length) // grain) - first))  # blocks per run, the same for all
    first = np.minimum(first, elements.count // grain - wide)
    stride = int(np.max(np.diff(first), initial=0)) * size
    if wide * grain > elements.chunk():
        _one_by_one(elements, starts, length, out, work)
        return
    near = stride - wide * size <= GAP
    group = max(min(VALUES // (wide * grain), SPAN // max(stride, 1) if near else VALUES), 1)
    for at in range(0, len(starts), group):
        piece = first[at : at + group]
        blocks = _near(elements, piece, wide, work) if near else _apart(elements, piece, wide, work)
        skip = starts[at : at + group] - piece * grain
        target = out[at : at + group]
        if wide * grain == length:
            elements.type.decode(blocks, target.reshape(-1, grain), work)
            continue
        values = work.array("gather", (len(piece), wide * grain), elements.value)
        elements.type.decode(blocks, values.reshape(-1, grain), work)
        if int(skip.min()) == int(skip.max()):
            np.copyto(target, values[:, int(skip[0]) : int(skip[0]) + length])
        else:
            np.copyto(target, np.take_along_axis(values, skip[:, None] + np.arange(length), axis=1))


def gather_rows(elements: InBlocks, starts: range, length: int, out: NDArray[Any], work: Workspace) -> bool:
    """`Elements.gather_rows` of a stored tensor: what a picture asks for at every turn, so in plain numbers, without arrays."""
    grain, size, rows = elements.grain, elements.type.bytes, len(starts)
    apart, odd = divmod(starts.step, grain)
    first, skip = divmod(starts.start, grain)
    wide = -(-(skip + length) // grain)  # blocks per row, the same for all
    gap = (apart - wide) * size
    if (
        odd
        or not rows
        or not 0 <= gap <= GAP
        or ((rows - 1) * apart + wide) * size > SPAN
        or rows * wide * grain > VALUES
    ):
        return False
    blocks = elements.read_blocks(first, first + (rows - 1) * apart + wide, work)
    if gap:
        picked = work.array("picked", (rows, wide * size), np.uint8)
        np.copyto(picked, np.ndarray(picked.shape, np.uint8, blocks, 0, (apart * size, 1)))
        blocks = picked.reshape(-1, size)
    if wide * grain == length:
        elements.type.decode(blocks, out.reshape(-1, grain), work)
        return True
    values = work.array("gather", (rows, wide * grain), elements.value)
    elements.type.decode(blocks, values.reshape(-1, grain), work)
    np.copyto(out, values[:, skip : skip + length])
    return True


def _near(elements: InBlocks, first: NDArray[np.int64], wide: int, work: Workspace) -> Blocks:
    """Blocks of runs that lie close, out of one read of everything from the first to the last."""
    size, begin = elements.type.bytes, int(first[0])
    count = int(first[-1]) + wide - begin
    span = elements.read_blocks(begin, begin + count, work)
    if count == len(first) * wide:
        return span
    wanted = (first - begin)[:, None] + np.arange(wide)
    blocks: Blocks = work.array("picked", (wanted.size, size), np.uint8)
    np.take(span, wanted.reshape(-1), axis=0, out=blocks, mode="clip")
    return blocks


def _apart(elements: InBlocks, first: NDArray[np.int64], wide: int, work: Workspace) -> Blocks:
    """Blocks of runs that lie far from each other, without what lies between."""
    size = elements.type.bytes
    blocks: Blocks = work.array("picked", (len(first) * wide, size), np.uint8)
    offsets = elements.record.offset + first * size
    elements.source.read_rows(offsets.tolist(), blocks.reshape(len(first), wide * size))
    return blocks


def _one_by_one(elements: InBlocks, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
    """Runs longer than a chunk: each in chunks, straight into the result where it begins and ends with a block."""
    grain, chunk = elements.grain, elements.chunk()
    for row, start in enumerate(starts.tolist()):
        at, stop = start, start + length
        while at < stop:
            if at % grain or stop - at < grain:
                first = at // grain * grain
                last = min(first + grain, stop)
                values = work.array("gather", (grain,), elements.value)
                elements.read(first, first + grain, values, work)
                out[row, at - start : last - start] = values[at - first : last - first]
            else:
                last = at + min(chunk, (stop - at) // grain * grain)
                elements.read(at, last, out[row, at - start : last - start], work)
            at = last
