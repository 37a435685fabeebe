"""Encoders of the legacy blocks of 4 and 5 bits: Q4_0, Q4_1, Q5_0 and Q5_1, all without a search.

Where a block has no minimum, its value of largest magnitude becomes the code farthest below zero: so the one code more that
the negative side has is always of use.
"""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import (
    Codes,
    Encoder,
    in_order,
    inverse,
    lanes,
    nibbles,
    peak,
    settled,
    stored_half,
)
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


def _symmetric(values: Floats, blocks: Blocks, levels: int, work: Workspace) -> Codes:
    """Store d at 0 for codes 0 to `levels` - 1 that are lowered by half of it; gives the codes."""
    x = lanes(values, 32, work)
    d = peak(x) / np.float32(-levels // 2)
    factor = inverse(d)
    np.multiply(x, factor, out=x)
    np.add(x, np.float32(levels // 2 + 0.5), out=x)
    settled(x, factor)
    stored_half(blocks, 0, d)
    return in_order(np.minimum(x, np.float32(levels - 1), out=x), 32)


def _with_minimum(values: Floats, blocks: Blocks, most: int, work: Workspace) -> Codes:
    """Store d at 0 and the minimum at 2 for codes 0 to `most` above it; gives the codes."""
    x = lanes(values, 32, work)
    lowest = _lowest(x)
    d = np.abs((x.max(axis=0) - lowest) / np.float32(most))
    factor = inverse(d)
    np.subtract(x, lowest, out=x)
    np.multiply(x, factor, out=x)
    np.add(x, np.float32(0.5), out=x)
    settled(x, factor)
    stored_half(blocks, 0, d)
    stored_half(blocks, 2, lowest)
    return in_order(np.minimum(x, np.float32(most), out=x), 32)


def _lowest(x: Floats) -> Floats:
    """The smallest value of each column; of zeros with both signs the one that comes first."""
    lowest: Floats = x.min(axis=0)
    for at in np.flatnonzero(lowest == 0):
        lowest[at] = x[np.argmax(x[:, at] == 0), at]
    return lowest


def _fifth_bits(codes: Codes) -> Codes:
    """Bit 4 of 32 codes as four bytes: bit e is that of element e."""
    return np.packbits(codes >> 4, axis=1, bitorder="little")


class Q4_0(Encoder):
    """d = peak / -8."""

    type, elements = "Q4_0", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        blocks[:, 2:] = nibbles(_symmetric(values, blocks, 16, work), 16)


class Q4_1(Encoder):
    """d = (max - min) / 15."""

    type, elements = "Q4_1", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        blocks[:, 4:] = nibbles(_with_minimum(values, blocks, 15, work), 16)


class Q5_0(Encoder):
    """d = peak / -16."""

    type, elements = "Q5_0", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        codes = _symmetric(values, blocks, 32, work)
        blocks[:, 2:6] = _fifth_bits(codes)
        blocks[:, 6:] = nibbles(codes & 15, 16)


class Q5_1(Encoder):
    """d = (max - min) / 31."""

    type, elements = "Q5_1", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        codes = _with_minimum(values, blocks, 31, work)
        blocks[:, 4:8] = _fifth_bits(codes)
        blocks[:, 8:] = nibbles(codes & 15, 16)
