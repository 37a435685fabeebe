"""Codes of less than a byte as schemes pack them into bytes: types that no format has, so they are in no registry."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Floats, looked_up
from weightmap.types.float8 import minifloat
from weightmap.types.packed import F6_E2M3, F6_E3M2, Float6
from weightmap.types.workspace import Workspace

MANY = 1 << 17  # bytes: with fewer, to make a table of 65,536 would take longer than it saves


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
        """Look up both values of a byte at once, or of many bytes all four of two."""
        fours = len(blocks) // 2 if len(blocks) >= MANY else 0
        if fours:
            looked_up(
                self._fours, blocks[: 2 * fours].reshape(-1).view("<u2"), _items(out, 0, fours, np.complex128), work
            )
        if 2 * fours < len(blocks):
            rest = len(blocks) - 2 * fours
            looked_up(self._pairs, blocks[2 * fours :], _items(out, 2 * fours, rest, np.complex64), work)

    @cached_property
    def _fours(self) -> NDArray[np.complex128]:
        """What all nibbles of two bytes are: a megabyte, which is looked up in two thirds of the time of twice 256."""
        table = np.empty((256, 256, 2), np.complex64)
        table[..., 0], table[..., 1] = self._pairs, self._pairs[:, None]  # the first byte is the lower one of a number
        found: NDArray[np.complex128] = table.view(np.complex128).reshape(-1)
        return found

    def code(self, block: Blocks, element: int) -> int:
        """The nibble of an element of one byte."""
        return int(block[0]) >> 4 if (element == 0) == self.high else int(block[0]) & 15


def _items(out: Values, block: int, count: int, dtype: type) -> NDArray[Any]:
    """`count` items from the values of a block on, as numbers of `dtype`."""
    return out[block:].reshape(-1).view(np.uint8)[: count * np.dtype(dtype).itemsize].view(dtype)


class SixBits(Float6):
    """Four codes in three bytes, the first in the lowest bits, which the scheme says."""

    assumed: str | None = None

    @cached_property
    def largest(self) -> float:
        """The largest value of a code."""
        return float(minifloat(6, self.mantissa, self.bias).max())

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


class ShortSixBits(SixBits, F6_E2M3):
    """E2M3."""


class LongSixBits(SixBits, F6_E3M2):
    """E3M2."""


@cache
def six_bits(*, long: bool = False) -> SixBits:
    """6-bit floats, E2M3, or with a `long` exponent E3M2."""
    return LongSixBits() if long else ShortSixBits()
