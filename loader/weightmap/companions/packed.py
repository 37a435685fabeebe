"""Codes of less than a byte as schemes pack them into bytes: types that no format has, so they are in no registry."""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Floats, looked_up
from weightmap.types.float8 import minifloat
from weightmap.types.packed import F6_E2M3
from weightmap.types.workspace import Workspace


class Nibbles(StoredType):
    """Two codes in a byte, each standing for one of 16 numbers. `high` says that the first element is in the high nibble."""

    elements, bytes = 2, 1

    def __init__(self, name: str, numbers: Floats, *, high: bool = False) -> None:
        self.name, self.high = name, high
        self.numbers = numbers.astype(np.float32)
        self.extremes = float(numbers.min()), float(numbers.max())
        byte = np.arange(256)
        codes = np.stack([byte >> 4, byte & 15] if high else [byte & 15, byte >> 4], axis=1)
        # what both nibbles of a byte are, side by side, in the clothes of one number
        self._pairs = self.numbers[codes].view(np.complex64)[:, 0]
        self.code_pairs = codes.astype(np.uint16).view(np.uint32)[:, 0]

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Look up both values of a byte at once."""
        looked_up(self._pairs, blocks, out.view(np.complex64), work)

    def code(self, block: Blocks, element: int) -> int:
        """The nibble of an element of one byte."""
        return int(block[0]) >> 4 if (element == 0) == self.high else int(block[0]) & 15


class SixBits(F6_E2M3):
    """Four E2M3 codes in three bytes, the first in the lowest bits, which the scheme says."""

    assumed: str | None = None

    def code(self, block: Blocks, element: int) -> int:
        """The six bits of an element of three bytes."""
        return int.from_bytes(block.tobytes(), "little") >> 6 * element & 63


@cache
def e2m1(*, high: bool = False) -> Nibbles:
    """4-bit floats: magnitudes 0, 0.5, 1, 1.5, 2, 3, 4, 6."""
    return Nibbles("E2M1 high first" if high else "E2M1", minifloat(4, 1, 1), high=high)


@cache
def signed() -> Nibbles:
    """Two's complement, -8 to 7, the first element in the low nibble."""
    return Nibbles("I4", ((np.arange(16) ^ 8) - 8).astype(np.float32))


@cache
def lowered() -> Nibbles:
    """Codes less 8, -8 to 7, the first element in the low nibble."""
    return Nibbles("U4 - 8", (np.arange(16) - 8).astype(np.float32))


def codebook(numbers: Floats) -> Nibbles:
    """Numbers of a codebook of 16, the first element in the low nibble."""
    return Nibbles("codebook", numbers)


@cache
def six_bits() -> SixBits:
    """6-bit floats, E2M3."""
    return SixBits()
