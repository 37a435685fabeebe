"""Codes, scales and zeros as matrices of their own, to be looked at beside the values that they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.matrix import Matrix
from weightmap.companions.integers.packed import Codes
from weightmap.companions.integers.per_group import Grid, Zeros
from weightmap.companions.packing.stored import Rows
from weightmap.reading.elements import Elements
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace


class Look(Matrix):
    """One part of a weight in its own shape, read as float32: codes as the whole numbers that they are, or numbers of groups."""

    def __init__(self, shape: tuple[int, ...], of: Codes | Grid | Zeros) -> None:
        super().__init__(shape)
        self._of, self.integers = of, not isinstance(of, Grid)

    @quiet
    def tile(self, rows: Rows, left: int, right: int, out: NDArray[Any], work: Workspace) -> None:
        """What is stored, unpacked and turned as the weight is."""
        stored: NDArray[Any] = self._of.read(rows, left, right, work, "look")
        if isinstance(self._of, Codes) and self._of.signed:
            stored = stored.view(np.int8)
        np.copyto(out, stored, casting="unsafe")

    def layers(self) -> Mapping[str, Elements]:
        """Nothing lies below."""
        return {}

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The number itself."""
        return [("value", text(self, flat))]


def text(of: Elements, flat: int) -> str:
    """The shortest text of one number."""
    value = np.empty((1, 1), of.value)
    of.gather(np.array([flat]), 1, value, Workspace())
    found = str(value[0, 0])
    return found.removesuffix(".0") if of.integers else found


def groups_shape(shape: tuple[int, ...], groups: int) -> tuple[int, ...]:
    """Shape of what each row of a weight has one of per group."""
    return (*shape[:-1], groups)
