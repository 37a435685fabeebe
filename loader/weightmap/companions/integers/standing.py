"""Values of a weight that lies turned round, in the order of the file, for measures that ask for no order.

Where each column names its group, its scale and zero have to be fetched for every value of a row. In the file the scales of
all rows in one group lie side by side: read column by column, a whole run of them is fetched at once, and nothing is turned.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.matrix import PIECE, Rows
from weightmap.reading.elements import Elements
from weightmap.types.fields import Floats, quiet
from weightmap.types.workspace import Workspace

Tile = Callable[[Rows, int, int, Workspace], Floats]


class Standing(Elements):
    """The elements of a stack of matrices, in each of them band by band, in each band column by column.

    tile  (rows, first column, one past the last, workspace) to the values (columns, rows)
    band  rows of a band
    """

    value, integers, grain = np.dtype(np.float32), False, 1

    def __init__(self, shape: tuple[int, ...], band: int, tile: Tile) -> None:
        self.shape, self.count = shape, prod(shape)
        self._height, self._width, self._band, self._tile = shape[-2], shape[-1], band, tile

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Some columns of a band at a time; of the first and the last one what is asked for."""
        at = start
        while at < stop:
            matrix, rest = divmod(at, self._height * self._width)
            band, rest = divmod(rest, self._band * self._width)
            top = band * self._band
            rows = min(self._band, self._height - top)
            left, skip = divmod(rest, rows)
            right = min(-(-(skip + stop - at) // rows), max(PIECE // rows, 1))
            right = min(left + right, self._width)
            first = matrix * self._height + top
            values = self._tile(np.arange(first, first + rows, dtype=np.int64), left, right, work).reshape(-1)
            many = min(len(values) - skip, stop - at)
            np.copyto(out[at - start : at - start + many], values[skip : skip + many])
            at += many
