"""Codes that are whole numbers of up to eight bits: what is linear can be done to them exactly, before they are scaled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.packing.packed import signed
from weightmap.companions.packing.unpacking import dense
from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.fields import number
from weightmap.types.workspace import Workspace

Read = Callable[[int, int, Workspace], NDArray[Any]]
Scale = Callable[[int, NDArray[Any], Workspace], None]


class Keyed(NamedTuple):
    """Whole numbers of which keys of 16 bits stand for 2 or 4 each.

    most     none is larger
    numbers  () to those of each key: int8 (65536, 2 or 4)
    read     (start, stop, workspace) to the keys of numbers start:stop, uint16; None where some of these may be NaN
    """

    most: int
    numbers: Callable[[], NDArray[np.int8]]
    read: Callable[[int, int, Workspace], NDArray[np.uint16] | None]


class Whole(NamedTuple):
    """Whole numbers and their scales.

    read   (start, stop, workspace) to numbers start:stop in the workspace: int8, or float32 where they may be NaN
    scale  (start, values, workspace): multiplies float32 values from `start` on with the scales of their places, in place
    keyed  the same numbers by keys, where there are such
    """

    read: Read
    scale: Scale
    keyed: Keyed | None = None


class WholeNumbers(Elements):
    """Elements whose float32 values are whole numbers from -128 to 127, or NaN."""

    def whole(self, start: int, stop: int, work: Workspace) -> NDArray[Any]:
        """Elements start:stop in the workspace: int8, or float32 where they may be NaN."""
        numbers = work.array("whole numbers", (stop - start,), self.value)
        self.read(start, stop, numbers, work)
        return numbers

    def keyed(self) -> Keyed | None:
        """The same by keys, where there are such."""
        return None


def whole(codes: Elements, scale: Scale) -> Whole | None:
    """How to read these codes as whole numbers; None where they are none."""
    if isinstance(codes, StoredElements) and codes.type.name == "I8":
        return Whole(partial(_bytes, codes), scale)
    if isinstance(codes, StoredElements) and codes.type is signed():
        return Whole(partial(_nibbles, codes), scale, Keyed(8, _fours_of_nibbles, partial(_two_bytes, codes)))
    return Whole(codes.whole, scale, codes.keyed()) if isinstance(codes, WholeNumbers) else None


def _bytes(codes: StoredElements, start: int, stop: int, work: Workspace) -> NDArray[np.int8]:
    numbers: NDArray[np.int8] = work.array("whole numbers", (stop - start,), np.int8)
    codes.read_stored(start, stop, numbers)
    return numbers


def _nibbles(codes: StoredElements, start: int, stop: int, work: Workspace) -> NDArray[np.int8]:
    """Two's complement of four bits, the low nibble first."""
    unpacked = dense(codes.read_blocks(start // 2, -(-stop // 2), work).reshape(1, -1), 4, work, "whole nibbles")
    np.bitwise_xor(unpacked, number(8), out=unpacked)
    numbers: NDArray[np.int8] = unpacked.view(np.int8)
    np.subtract(numbers, number(8, "i1"), out=numbers)
    return numbers.reshape(-1)


def _two_bytes(codes: StoredElements, start: int, stop: int, work: Workspace) -> NDArray[np.uint16]:
    return codes.read_blocks(start // 2, -(-stop // 2), work).reshape(-1).view("<u2")


def _fours_of_nibbles() -> NDArray[np.int8]:
    """The four nibbles of two bytes, two's complement, the low one first: int8 (65536, 4)."""
    fields = np.arange(1 << 16)[:, None] >> np.arange(0, 16, 4) & 15
    return ((fields ^ 8) - 8).astype(np.int8)
