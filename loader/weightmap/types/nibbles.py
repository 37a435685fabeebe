"""The legacy 4- and 5-bit blocks of 32 elements: a half scale, perhaps a half minimum, and nibbles.

Element e < 16 is the low nibble of byte e, element e >= 16 the high nibble of byte e - 16.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from weightmap.types.anatomy import Coding, codes_at, half_minimum, half_scale
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import (
    Bytes,
    Floats,
    gathered,
    half,
    looked_up,
    moved,
    moved_bits,
    multiplied,
    number,
    quiet,
    raised,
    scaled,
)
from weightmap.types.grids import pairs_of_values
from weightmap.types.workspace import Workspace


def nibbles(blocks: Blocks, offset: int, work: Workspace) -> Bytes:
    """Codes 0..15 of the 16 bytes at `offset`, in element order: uint8 (n, 32) in the workspace."""
    packed = gathered(blocks, offset, 16, work, ".packed")
    codes, part = work.array(".codes", (len(blocks), 32), np.uint8), work.array(".part", packed.shape, np.uint8)
    moved_bits(packed, 0, 15, part)
    moved(part, codes[:, :16])
    moved_bits(packed, -4, 15, part)
    moved(part, codes[:, 16:])
    return codes


def nibble_values(grid: str, packed: Bytes, run: int, scales: Floats, out: Floats, work: Workspace) -> None:
    """Write code value * scale to `out` (n, elements) for nibbles that stand for the values of a grid, two in a byte, where
    the low nibbles of `run` bytes come before their high nibbles. The scales (n, groups) are shared out as in `scaled`.

    Two neighbours are looked up at once: the low nibbles of two bytes are brought together in 16 bits first, and so are the
    high ones.
    """
    words = packed.reshape(-1, run).view("<u8")
    pairs = work.array(".pairs", (len(words), 2, run // 2), "<u2")
    part, other = work.array(".part", words.shape, "<u8"), work.array(".other", words.shape, "<u8")
    target = pairs.view(np.uint8).reshape(len(words), 2 * run)
    for upper in range(2):
        if upper:
            np.right_shift(words, number(4, "<u8"), out=words)
        np.bitwise_and(words, number(0x0F0F0F0F0F0F0F0F, "<u8"), out=part)
        np.right_shift(part, number(4, "<u8"), out=other)
        np.bitwise_or(part, other, out=part)
        np.bitwise_and(part, number(0x00FF00FF00FF00FF, "<u8"), out=part)
        moved(part.view(np.uint8), target[:, upper * run : upper * run + run])
    looked_up(pairs_of_values(grid), pairs, out.view(np.uint64), work)
    multiplied(scales, out)


def runs_of_nibbles(packed: Bytes, run: int) -> Bytes:
    """Codes 0..15 of (n, bytes) in element order, where low nibbles of `run` bytes come before their high nibbles."""
    runs = packed.reshape(len(packed), -1, 1, run)
    return np.concatenate([runs & 15, runs >> 4], axis=2).reshape(len(packed), -1)


@cache
def bits_of_bytes(clear: int, set: int) -> NDArray[np.uint64]:
    """(256,): for each byte its eight bits, lowest first, as eight bytes: `clear` or `set`, between -128 and 127."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.where(bits, np.int8(set), np.int8(clear)).view(np.uint64)[:, 0]


def add_fifth_bits(codes: Bytes, packed: Bytes, clear: int, set: int, work: Workspace) -> None:
    """Add `set` or `clear` to each of 32 codes by the bit of the element in four bytes: bit e is that of element e."""
    bits = work.array(".bits", codes.shape, np.uint8)
    looked_up(bits_of_bytes(clear, set), packed, bits.view(np.uint64), work)
    np.add(codes, bits, out=codes)


def five_bits(blocks: Blocks, offset: int, high: int, work: Workspace) -> Bytes:
    """Codes 0..31: nibbles at `offset`, fifth bits at `high`: uint8 (n, 32) in the workspace."""
    codes = nibbles(blocks, offset, work)
    add_fifth_bits(codes, gathered(blocks, high, 4, work, ".high"), 0, 16, work)
    return codes


FIFTH_BITS_SWAPPED = (
    "The fifth bits are taken to be one big-endian word of 32 bits; the format declares four bytes and leaves it open."
)


class Q4_0(CodedType):
    """x = (code - 8) * d."""

    name, id, elements, bytes = "Q4_0", 2, 32, 18
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)
    formula, levels = "d × (code − 8)", range(-8, 8)
    anatomy = (half_scale(0), codes_at(2, 16, "codes, 4 bits"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 16 bytes of nibbles."""
        codes = nibbles(blocks, 2, work).view(np.int8)
        np.subtract(codes, number(8, "i1"), out=codes)
        scaled(codes, half(blocks, 0, work, ".d"), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        return Coding(nibbles(blocks, 2, work))


class Q4_1(CodedType):
    """x = code * d + m."""

    name, id, elements, bytes = "Q4_1", 3, 32, 20
    fields = ((0, 2), (2, 2))
    scales = (("d", 0, "<f2"), ("m", 2, "<f2"))
    formula, levels = "d × code + m", range(16)
    anatomy = (half_scale(0), half_minimum("m", 2), codes_at(4, 16, "codes, 4 bits"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: m; 4: 16 bytes of nibbles."""
        scaled(nibbles(blocks, 4, work), half(blocks, 0, work, ".d"), out)
        raised(half(blocks, 2, work, ".m"), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        return Coding(nibbles(blocks, 4, work))


class Q5_0(CodedType):
    """x = (code - 16) * d with a fifth bit per element."""

    name, id, elements, bytes = "Q5_0", 6, 32, 22
    fields, order_assumed = ((0, 2), (2, 4)), FIFTH_BITS_SWAPPED
    scales = (("d", 0, "<f2"),)
    formula, levels = "d × (code − 16)", range(-16, 16)
    anatomy = (half_scale(0), codes_at(2, 4, "codes, fifth bits", "high bits"), codes_at(6, 16, "codes, 4 low bits"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: fifth bits, a word of 32 bits; 6: 16 bytes of nibbles."""
        codes = nibbles(blocks, 6, work)
        add_fifth_bits(codes, gathered(blocks, 2, 4, work, ".high"), -16, 0, work)
        scaled(codes.view(np.int8), half(blocks, 0, work, ".d"), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles with their fifth bits."""
        return Coding(five_bits(blocks, 6, 2, work))


class Q5_1(CodedType):
    """x = code * d + m with a fifth bit per element."""

    name, id, elements, bytes = "Q5_1", 7, 32, 24
    fields, order_assumed = ((0, 2), (2, 2), (4, 4)), FIFTH_BITS_SWAPPED
    scales = (("d", 0, "<f2"), ("m", 2, "<f2"))
    formula, levels = "d × code + m", range(32)
    anatomy = (
        *(half_scale(0), half_minimum("m", 2)),
        *(codes_at(4, 4, "codes, fifth bits", "high bits"), codes_at(8, 16, "codes, 4 low bits")),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: m; 4: fifth bits, a word of 32 bits; 8: 16 bytes of nibbles."""
        scaled(five_bits(blocks, 8, 4, work), half(blocks, 0, work, ".d"), out)
        raised(half(blocks, 2, work, ".m"), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles with their fifth bits."""
        return Coding(five_bits(blocks, 8, 4, work))
