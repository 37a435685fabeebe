"""Blocks of one and of two bits per element with one half scale: Q1_0 and Q2_0."""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.anatomy import Coding, codes_at, half_scale
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import gathered, half, looked_up, quiet, scaled
from weightmap.types.workspace import Workspace


@cache
def codes_of_bytes(bits: int) -> Values:
    """(256,): the values of a byte's codes of `bits` bits, lowest first, as one item of int8: +-1 for bits, -1..2 for pairs."""
    byte = np.arange(256)[:, None]
    codes = byte >> np.arange(0, 8, bits) & ((1 << bits) - 1)
    values = 2 * codes - 1 if bits == 1 else codes - 1
    return values.astype(np.int8).view(f"u{8 // bits}")[:, 0]


class Q1_0(CodedType):
    """x = d where the bit is set, else -d."""

    name, id, elements, bytes = "Q1_0", 41, 128, 18
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)
    formula, levels = "d × (2 × code − 1)", range(-1, 2, 2)
    anatomy = (half_scale(0), codes_at(2, 16, "codes, a bit each"))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Bits."""
        return Coding(np.unpackbits(blocks[:, 2:], axis=1, bitorder="little"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 16 bytes, a bit per element, lowest first."""
        values = work.array(".values", out.shape, np.int8)
        looked_up(codes_of_bytes(1), gathered(blocks, 2, 16, work, ".packed"), values.view(np.uint64), work)
        scaled(values, half(blocks, 0, work, ".d"), out)


class Q2_0(CodedType):
    """x = (code - 1) * d for codes of two bits: -1, 0, 1 and 2 times d."""

    name, id, elements, bytes = "Q2_0", 42, 64, 18
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)
    formula, levels = "d × (code − 1)", range(-1, 3)
    anatomy = (half_scale(0), codes_at(2, 16, "codes, 2 bits"))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Pairs of bits."""
        codes = blocks[:, 2:, None] >> np.arange(0, 8, 2, dtype=np.uint8) & 3
        return Coding(codes.reshape(len(blocks), 64))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 16 bytes, four codes each, lowest first."""
        values = work.array(".values", out.shape, np.int8)
        looked_up(codes_of_bytes(2), gathered(blocks, 2, 16, work, ".packed"), values.view(np.uint32), work)
        scaled(values, half(blocks, 0, work, ".d"), out)
