"""Matrices of whole numbers as quantizers pack them: along the rows, down the columns, in planes.

Each reads a rectangle of codes as bytes, whatever their order in the file: `read(rows, left, right, work, name)` gives
uint8 (len(rows), right - left) of the rising `rows`, in scratch memory that belongs to `name`. Matrices may be stacked, as
experts are: then rows count on through the stack.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.matrix import clusters, matrices
from weightmap.companions.packing import unpacking
from weightmap.companions.packing.stored import Rows, byte_rows
from weightmap.reading.elements import StoredElements
from weightmap.types.fields import Bytes, number
from weightmap.types.workspace import Workspace

WORD = 4  # bytes


class Codes(ABC):
    """Codes of `bits` bits in rows; `signed` where they are two's complement in the byte that `read` gives."""

    bits: int
    signed = False

    @abstractmethod
    def read(self, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Codes of columns left:right, uint8 (len(rows), right - left), to be written to; the last axis is contiguous."""


class Along(Codes):
    """Codes packed along rows of `row_bytes`. `how`: "dense", "aligned" to words, or "interleaved" as AWQ has them."""

    def __init__(
        self, of: StoredElements, bits: int, row_bytes: int, how: str = "dense", *, signed: bool = False
    ) -> None:
        self.of, self.bits, self.row_bytes, self.signed = of, bits, row_bytes, signed
        self._unpack = getattr(unpacking, how)
        # where each field of a word goes; None where codes may straddle words
        self.order = unpacking.ORDER if how == "interleaved" else tuple(range(32 // bits)) if 32 % bits == 0 else None
        if how == "dense":
            self._codes, self._bytes = (1, 1) if bits == 8 else (unpacking.LANES, bits)
        else:
            self._codes, self._bytes = 32 // bits, 4

    def read(self, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Whole units are unpacked; what lies beyond the end of a row counts as zero."""
        begin, end = self.span(left, right)
        stored = byte_rows(self.of, rows * self.row_bytes + begin, end - begin, work, f"{name} packed")
        return self.unpacked(stored, left, right, work, name)

    def span(self, left: int, right: int) -> tuple[int, int]:
        """The bytes of a row that hold these columns."""
        return left // self._codes * self._bytes, min(-(-right // self._codes) * self._bytes, self.row_bytes)

    def unpacked(self, stored: Bytes, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Codes of columns left:right out of the bytes of their `span`."""
        first = left // self._codes
        width = (-(-right // self._codes) - first) * self._bytes
        if stored.shape[1] < width or not stored.flags.c_contiguous:
            whole = work.array(f"{name} whole", (len(stored), width), np.uint8)
            whole[:, stored.shape[1] :] = 0
            whole[:, : stored.shape[1]] = stored
            stored = whole
        codes: Bytes = self._unpack(stored, self.bits, work, name)
        return codes[:, left - first * self._codes :][:, : right - left]


class Down(Codes):
    """Codes packed down the columns in words of 32 bits, lowest bits first: "dense" streams, or "aligned" to the words.

    rows, columns  of the codes of each matrix of the stack; their words fill whole lines
    """

    def __init__(self, of: StoredElements, bits: int, rows: int, columns: int, how: str = "dense") -> None:
        self.of, self.bits, self._rows = of, bits, rows
        # codes begin with a word again after so many rows and lines of words
        self._period, self._step = (32 // bits, 1) if how == "aligned" or 32 % bits == 0 else (32, bits)
        self.height = -(-rows * bits // 32) if how == "dense" else -(-rows // self._period)
        self.line_bytes = columns * WORD

    def lines(self, first: int, last: int) -> tuple[int, int, int]:
        """(first line of words, one past the last, the row that they begin with) for rows first:last."""
        begin, end = first // self._period, -(-last // self._period)
        return begin * self._step, min(end * self._step, self.height), begin * self._period

    def read(self, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Runs of rows, each from the words that hold it."""
        out: Bytes = work.array(f"{name} down", (len(rows), right - left), np.uint8)
        for matrix, part, local in matrices(rows, self._rows):
            for run in clusters(local, 1):
                first, last = int(local[run.start]), int(local[run.stop - 1]) + 1
                begin, end, top = self.lines(first, last)
                starts = np.arange(begin, end, dtype=np.int64) + matrix * self.height
                starts = starts * self.line_bytes + left * WORD
                stored = byte_rows(self.of, starts, (right - left) * WORD, work, f"{name} words")
                words = stored.view("<u4")
                codes = self.unpacked(words, first - top, last - top, work, name)
                if len(codes) == len(rows):
                    return codes
                out[part.start + run.start : part.start + run.stop] = codes
        return out

    def unpacked(self, words: NDArray[np.uint32], first: int, last: int, work: Workspace, name: str) -> Bytes:
        """Codes of rows first:last, counted from where these lines of words begin."""
        return unpacking.down(words, self.bits, first, last, self._period, work, name)


class Planes(Codes):
    """Fields of a byte that are rows far apart: of R stored rows, row k * R + r is field k of the bytes of stored row r."""

    def __init__(self, of: StoredElements, bits: int, stored_rows: int, columns: int) -> None:
        self._of, self.bits, self._rows, self._columns = of, bits, stored_rows, columns

    def read(self, rows: Rows, left: int, right: int, work: Workspace, name: str) -> Bytes:
        """Bytes of the stored rows, each shifted to its field."""
        out: Bytes = work.array(name, (len(rows), right - left), np.uint8)
        for plane, part, local in matrices(rows, self._rows):
            stored = byte_rows(self._of, local * self._columns + left, right - left, work, f"{name} packed")
            np.right_shift(stored, number(plane * self.bits), out=out[part])
        np.bitwise_and(out, number((1 << self.bits) - 1), out=out)
        return out
