"""The K-quants with nibbles and scales of six bits: Q4_K and Q5_K, 256 elements in eight groups of 32.

A group has a scale and a minimum, both whole numbers times a half of the block: x = (d * sc) * code - (dmin * mn).
"""

from __future__ import annotations

from typing import cast

import numpy as np

from weightmap.types.anatomy import Coding, Scaling, codes_at, half_minimum, half_scale, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import (
    Bytes,
    Floats,
    column,
    gathered,
    lowered,
    moved,
    moved_bits,
    multiplied,
    number,
    products,
    quiet,
    scaled,
    widened,
)
from weightmap.types.workspace import Workspace


def packed_scales(blocks: Blocks, work: Workspace) -> tuple[Bytes, Bytes]:
    """(sc, mn) of the eight groups, each uint8 (n, 8), out of the 12 packed bytes at 4.

    Four bytes are worked on at once, as words, scales and minima together: six bits of each are a scale or minimum of groups
    0 to 3, the other two bits, lowered to 4 and 5, complete a nibble of the third word for groups 4 to 7.
    """
    codes = _packed_scales(blocks, work)
    return codes[0], codes[1]


def _packed_scales(blocks: Blocks, work: Workspace) -> Bytes:
    """(2, n, 8): scales, then minima. In few calls of numpy, since threads get in each other's way at every one of them."""
    n = len(blocks)
    words, top = work.array(".packed scales", (3, n), "<u4"), work.array(".top", (2, n), "<u4")
    codes = work.array(".scale codes", (2, n, 2), "<u4")
    np.copyto(words, column(blocks, 4, "V12").view("<u4").T)
    first, last = words[:2], words[2]
    np.bitwise_and(first, number(0x3F3F3F3F, "<u4"), out=codes[:, :, 0])
    np.bitwise_and(np.right_shift(first, number(2, "<u4"), out=top), number(0x30303030, "<u4"), out=top)
    np.bitwise_and(np.right_shift(last, _NIBBLES, out=first), number(0x0F0F0F0F, "<u4"), out=first)
    np.bitwise_or(first, top, out=codes[:, :, 1])
    return codes.view(np.uint8)


_NIBBLES = np.array([[0], [4]], "<u4")  # how far the nibbles of the scales and of the minima lie from the lowest bit


def scales_and_minima(blocks: Blocks, work: Workspace) -> tuple[Floats, Floats]:
    """(d * sc, dmin * mn) of the eight groups, each float32 (n, 8): halves at 0 and 2, 12 packed bytes at 4."""
    n = len(blocks)
    halved, d = work.array(".half bits", (2, n), "<u2"), work.array(".d", (2, n, 1), np.float32)
    np.copyto(halved, column(blocks, 0, "V4").view("<u2").T)
    widened(halved, d[:, :, 0], work)
    both = products(_packed_scales(blocks, work), d, work, ".scale")
    return both[0], both[1]


def write_nibbles(packed: Bytes, codes: Bytes | Floats, run: int, work: Workspace) -> None:
    """Write the nibbles of 128 bytes to `codes` (n, 256), bytes or floats: the low ones of `run` bytes before their high ones."""
    part = work.array(".part", packed.shape, np.uint8)
    rows, target = part.reshape(-1, run), codes.reshape(-1, 2 * run)
    np.bitwise_and(packed, number(15), out=part)
    _put(rows, target[:, :run])
    np.right_shift(packed, number(4), out=part)
    _put(rows, target[:, run:])


def _put(rows: Bytes, target: Bytes | Floats) -> None:
    if target.dtype == np.uint8:
        moved(rows, cast(Bytes, target))
    else:
        np.copyto(target, rows)


def spread_bits(packed: Bytes, bits: Bytes, place: int, work: Workspace) -> None:
    """Write bit g of each of 32 bytes to group g of `bits` (n, 8 * 32), moved to bit `place` of the byte."""
    part = work.array(".part", packed.shape, np.uint8)
    for group in range(8):
        moved_bits(packed, place - group, 1 << place, part)
        moved(part, bits[:, 32 * group : 32 * group + 32])


class Grouped(CodedType):
    """What those with eight groups share."""

    groups, formula = 8, "d × sc × code − dmin × mn"
    fields = ((0, 2), (2, 2))
    scales = (("d", 0, "<f2"), ("dmin", 2, "<f2"))
    head = (half_scale(0), half_minimum("dmin", 2), sub_scales(4, 12, "scale and minimum codes, 6 bits"))

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of a group, and its minimum, which is taken away."""
        scales, minima = scales_and_minima(blocks, work)
        return Scaling(scales, np.negative(minima, out=minima), *packed_scales(blocks, work))


class Q4_K(Grouped):
    """x = (d * sc) * code - (dmin * mn) with 4-bit codes."""

    name, id, elements, bytes = "Q4_K", 12, 256, 144
    levels, anatomy = range(16), (*Grouped.head, codes_at(16, 128, "codes, 4 bits"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: dmin; 4: 12 bytes of scales and minima; 16: 128 bytes of nibbles."""
        scale, minimum = scales_and_minima(blocks, work)
        write_nibbles(gathered(blocks, 16, 128, work, ".packed"), out, 32, work)
        multiplied(scale, out)
        lowered(minimum, out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        codes = work.array(".codes", (len(blocks), 256), np.uint8)
        write_nibbles(gathered(blocks, 16, 128, work, ".packed"), codes, 32, work)
        return Coding(codes)


class Q5_K(Grouped):
    """x = (d * sc) * code - (dmin * mn) with 5-bit codes."""

    name, id, elements, bytes = "Q5_K", 13, 256, 176
    levels = range(32)
    anatomy = (
        *Grouped.head,
        codes_at(16, 32, "codes, fifth bits", "high bits"),
        codes_at(48, 128, "codes, 4 low bits"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: dmin; 4: scales and minima; 16: 32 bytes of fifth bits, one bit a group; 48: 128 bytes of nibbles."""
        scale, minimum = scales_and_minima(blocks, work)
        scaled(self._codes(blocks, work), scale, out)
        lowered(minimum, out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles with their fifth bits."""
        return Coding(self._codes(blocks, work))

    def _codes(self, blocks: Blocks, work: Workspace) -> Bytes:
        n = len(blocks)
        codes, bits = work.array(".codes", (n, 256), np.uint8), work.array(".bits", (n, 256), np.uint8)
        write_nibbles(gathered(blocks, 48, 128, work, ".packed"), codes, 32, work)
        spread_bits(gathered(blocks, 16, 32, work, ".high"), bits, 4, work)
        np.bitwise_or(codes, bits, out=codes)
        return codes
