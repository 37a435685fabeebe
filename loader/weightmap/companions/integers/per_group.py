"""The scales, offsets and zeros of a matrix: one number for each of its rows and groups of columns.

`read(rows, first, last, work, name)` gives what belongs to groups first:last of the rising `rows`, read for the occasion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.packed import Codes
from weightmap.companions.packing.stored import Rows, numbers
from weightmap.reading.elements import StoredElements
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


class Grid:
    """Numbers stored by rows: row r of the matrix has `groups` of them, or shares them with the `share` rows of its block."""

    def __init__(self, of: StoredElements, groups: int, share: int = 1) -> None:
        self.of, self.groups, self.share = of, groups, share
        self.short = of.type.name in ("F16", "BF16")  # then the lowest bits of each number are free

    def read(self, rows: Rows, first: int, last: int, work: Workspace, name: str) -> Floats:
        """Float32 (len(rows), last - first)."""
        if self.share == 1:
            return numbers(self.of, rows * self.groups + first, last - first, work, name)
        lines = rows // self.share
        stored, places = np.unique(lines, return_inverse=True)
        found = numbers(self.of, stored * self.groups + first, last - first, work, name)
        return found if len(found) == len(rows) else found[places.reshape(-1)]


class Single(Grid):
    """One number for the whole matrix."""

    def __init__(self, of: StoredElements) -> None:
        super().__init__(of, 1)

    def read(self, rows: Rows, first: int, last: int, work: Workspace, name: str) -> Floats:
        """The number, as often as asked for."""
        one = numbers(self.of, np.zeros(1, np.int64), 1, work, name)
        return np.broadcast_to(one, (len(rows), last - first))


class Zeros:
    """Zero points, from codes or from plain numbers, with what their writer took off `added` again.

    same  the zero of all groups where it is known to be one
    """

    def __init__(self, of: Codes | Grid, added: int = 0, stored: int | None = None) -> None:
        self._of, self._added = of, added
        self.same = None if stored is None else stored + added
        # whether they are those of codes of as many bits, so that none is farther from a code than there are codes
        self.near = isinstance(of, Codes) and not of.signed and added in (0, 1)

    def read(self, rows: Rows, first: int, last: int, work: Workspace, name: str) -> NDArray[np.int16]:
        """int16 (len(rows), last - first)."""
        return self._completed(self._of.read(rows, first, last, work, name), work, name)

    def _completed(self, stored: NDArray[Any], work: Workspace, name: str) -> NDArray[np.int16]:
        if isinstance(self._of, Codes) and self._of.signed:
            stored = stored.view(np.int8)
        out = work.array(f"{name} zeros", stored.shape, np.int16)
        np.copyto(out, stored, casting="unsafe")
        return np.add(out, np.int16(self._added), out=out) if self._added else out
