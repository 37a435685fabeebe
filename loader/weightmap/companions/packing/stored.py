"""Pieces of companions as they are stored: bytes of rows, and numbers of them as float32.

A companion is as large as its file makes it, so nothing is kept: what a rectangle of values needs is read for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import StoredElements
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace

Rows = NDArray[np.int64]
SPAN = 1 << 21  # bytes: read at a time where rows lie close
NEAR = 1 << 14  # bytes between two rows that are read over instead of being left out


def byte_rows(
    of: StoredElements, starts: Rows, width: int, work: Workspace, name: str, out: Bytes | None = None
) -> Bytes:
    """`width` bytes from each of the rising `starts`, byte positions in the tensor: (len(starts), width) uint8.

    In `out` where one is given, whose rows may lie apart; else in scratch memory.
    """
    if out is None:
        out = work.array(name, (len(starts), width), np.uint8)
    if not out.size:
        return out
    begin = of.record.offset
    widest = int(np.diff(starts).max(initial=0))
    if out.flags.c_contiguous and widest <= width and int(starts[-1] - starts[0]) == (len(starts) - 1) * width:
        of.source.read_into(begin + int(starts[0]), out.reshape(-1))
        return out
    if widest - width > NEAR:
        of.source.read_rows((starts + begin).tolist(), out)
        return out
    group = max(SPAN // max(widest, width), 1)
    even = widest * (len(starts) - 1) == int(starts[-1] - starts[0])
    for at in range(0, len(starts), group):
        piece = starts[at : at + group]
        span = work.array(f"{name} span", (int(piece[-1] - piece[0]) + width,), np.uint8)
        of.source.read_into(begin + int(piece[0]), span)
        if even:
            np.copyto(out[at : at + group], np.ndarray((len(piece), width), np.uint8, span, 0, (widest, 1)))
            continue
        # indexed, not np.take, which would first write out every row that could be picked
        out[at : at + group] = np.lib.stride_tricks.sliding_window_view(span, width)[piece - piece[0]]
    return out


def numbers(of: StoredElements, starts: Rows, length: int, work: Workspace, name: str) -> Floats:
    """`length` numbers from each of the rising `starts`, positions in the tensor: (len(starts), length) float32."""
    out: Floats = work.array(name, (len(starts), length), np.float32)
    if of.value == np.float32:
        of.gather(starts, length, out, work)
        return out
    wide: NDArray[Any] = work.array(f"{name} wide", out.shape, of.value)
    of.gather(starts, length, wide, work)
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, wide, casting="unsafe")
    return out
