"""What everything above asks of a place that holds bytes, be it a file on a disk or one at an address."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightmap.findings import Finding

Bytes = NDArray[np.uint8]


class ByteSource(Protocol):
    """What a format, a reading pass or a view needs of a place that holds bytes."""

    path: str
    size: int
    mapped: bool  # whether `view` gives pages of the file and costs nothing; else it reads, and gives a copy
    notes: tuple[Finding, ...]  # what is to be said about how this place is read

    def read(self, offset: int, nbytes: int) -> bytes:
        """`nbytes` bytes from `offset`. The caller bounds both by `size` first."""
        out = np.empty(nbytes, np.uint8)
        self.read_into(offset, out)
        return out.tobytes()

    def read_into(self, offset: int, out: Bytes) -> None:
        """Fill `out` (contiguous uint8) from `offset`. Raises FileChangedError, ClosedError."""
        self.read_rows((offset,), out.reshape(1, -1))

    def read_rows(self, offsets: Sequence[int], out: Bytes) -> None:
        """The same for each row of `out` (rows, bytes) with an offset of its own."""

    def view(self, offset: int, nbytes: int) -> Bytes: ...

    def array(self, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """`view` as values of a dtype."""
        return self.view(offset, prod(shape) * dtype.itemsize).view(dtype).reshape(shape)

    def holes(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Pieces of start:stop, (first byte, one behind the last), of which the file system knows that nothing was ever written
        there; empty where it does not tell.
        """
        return []

    def private(self, offset: int, nbytes: int) -> Bytes: ...
    def changed(self) -> Finding | None: ...
    def close(self) -> int: ...
