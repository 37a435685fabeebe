"""Codes and their scales as one number, where both are small: then a weight's values are counted like the codes of a plain type.

A code of a byte or less and a scale of a byte have at most 65,536 combinations, and each stands for one value. So statistics
of MX and NVFP4 weights need one pass over the bytes, and no value is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.grids.factors import Second
from weightmap.companions.grids.orders import Swizzled
from weightmap.companions.packing.packed import Nibbles
from weightmap.reading.elements import Codes, Elements, StoredElements, decoded_codes
from weightmap.types.base import StoredType
from weightmap.types.fields import looked_up
from weightmap.types.workspace import Workspace

WORTH = 1 << 18  # values: with fewer, to make the table takes as long as to decode them


ReadNumbers = Callable[[int, int, NDArray[np.uint16], Workspace], None]
"""(start, stop, out, workspace): writes the codes of elements start:stop, each as a number of 16 bits."""


class Joint(NamedTuple):
    """Scale * `step` + code is the number of a value; `values` by number, `scales` as bytes in the order of the grid."""

    values: NDArray[np.float32]
    scales: Elements
    step: int
    read: ReadNumbers  # of the codes alone


def joint(codes: Elements, scales: Elements, second: Second | None, count: int) -> Joint | None:
    """All values that codes can have with their scales; None where there are too many, or too few of the weight."""
    coded, stored = code_numbers(codes), scale_bytes(scales)
    single = second is None or len(second.values) == 1
    if coded is None or stored is None or not single or count < WORTH or codes.grain > 2:
        return None
    numbers, read = coded
    factors = decoded_codes(scale_type(scales))[:, None].astype(np.float32)
    with np.errstate(all="ignore"):
        if second is not None:
            second.apply(factors, np.zeros(1, np.int64), 1)
        return Joint((factors * numbers).reshape(-1), stored, len(numbers), read)


def scale_bytes(scales: Elements) -> Swizzled | StoredElements | None:
    """The same scales as the bytes that they are stored in; None where one takes more than a byte."""
    if isinstance(scales, Swizzled):
        return Swizzled(scales.stored.as_stored(np.dtype(np.uint8)), *scales.shape)
    if not isinstance(scales, StoredElements) or scales.type.elements != 1 or scales.type.bytes != 1:
        return None
    return scales.as_stored(np.dtype(np.uint8))


def scale_type(scales: Elements) -> StoredType:
    """The type of scales that `scale_bytes` has bytes of."""
    stored = scales.stored if isinstance(scales, Swizzled) else scales
    assert isinstance(stored, StoredElements)
    return stored.type


def code_numbers(codes: Elements) -> tuple[NDArray[np.float32], ReadNumbers] | None:
    """The number that each code of a byte, or of half a byte, stands for, and how to read codes; None for other codes."""
    if isinstance(codes, StoredElements) and isinstance(codes.type, Nibbles):
        return codes.type.numbers, partial(_read_nibbles, codes, codes.type.code_pairs)
    coded = codes.codes()
    if coded is None or len(coded.values) != 256:
        return None
    return coded.values.astype(np.float32), partial(_read_bytes, coded)


def _read_nibbles(
    codes: StoredElements, pairs: NDArray[np.uint32], start: int, stop: int, out: NDArray[np.uint16], work: Workspace
) -> None:
    blocks = codes.read_blocks(start // 2, -(-stop // 2), work)
    looked_up(pairs, blocks, out.view(np.uint32), work)


def _read_bytes(codes: Codes, start: int, stop: int, out: NDArray[np.uint16], work: Workspace) -> None:
    stored = work.array("joint codes", (stop - start,), np.uint8)
    codes.read(start, stop, stored)
    np.copyto(out, stored)
