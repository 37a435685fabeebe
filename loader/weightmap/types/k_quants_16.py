"""The K-quants whose scales cover 16 elements: Q2_K, Q3_K and Q6_K, 256 elements a block."""

from __future__ import annotations

import numpy as np

from weightmap.types.anatomy import Coding, Scaling, codes_at, half_minimum, half_scale, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import (
    Bytes,
    Floats,
    gathered,
    half,
    lowered,
    moved,
    moved_bits,
    number,
    products,
    quiet,
    scaled,
)
from weightmap.types.k_quants import spread_bits, write_nibbles
from weightmap.types.workspace import Workspace


def pairs_of_bits(packed: Bytes, work: Workspace, place: int = 0) -> Bytes:
    """The 2-bit codes of 64 bytes in element order, moved to bit `place`: uint8 (n, 256) in the workspace.

    Of each 32 bytes come first the lowest codes, then the next: four runs of 32 elements.
    """
    codes, part = work.array(".codes", (len(packed), 256), np.uint8), work.array(".part", packed.shape, np.uint8)
    rows, target = part.reshape(-1, 32), codes.reshape(-1, 128)
    for run in range(4):
        moved_bits(packed, place - 2 * run, 3 << place, part)
        moved(rows, target[:, 32 * run : 32 * run + 32])
    return codes


class Q2_K(CodedType):
    """x = (d * scale) * code - (dmin * minimum); scale and minimum share a byte."""

    name, id, elements, bytes = "Q2_K", 10, 256, 84
    fields = ((80, 2), (82, 2))
    scales = (("d", 80, "<f2"), ("dmin", 82, "<f2"))
    groups, levels, formula = 16, range(4), "d × sc × code − dmin × mn"
    anatomy = (
        *(sub_scales(0, 16, "scale codes, low 4 bits; minimum codes, high 4"), codes_at(16, 64, "codes, 2 bits")),
        *(half_scale(80), half_minimum("dmin", 82)),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 16 bytes of scale (low nibble) and minimum (high); 16: 64 bytes of 2-bit codes; 80: d; 82: dmin."""
        scale, minimum = self._scales(blocks, work)
        scaled(pairs_of_bits(gathered(blocks, 16, 64, work, ".packed"), work), scale, out)
        lowered(minimum, out)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 16 elements, and their minimum, which is taken away."""
        (scales, minima), packed = self._scales(blocks, work), blocks[:, :16]
        return Scaling(scales, np.negative(minima, out=minima), packed & 15, packed >> 4)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Pairs of bits."""
        return Coding(pairs_of_bits(gathered(blocks, 16, 64, work, ".packed"), work))

    def _scales(self, blocks: Blocks, work: Workspace) -> tuple[Floats, Floats]:
        """(d * scale, dmin * minimum) of the sixteen groups: float32 (n, 16)."""
        packed = gathered(blocks, 0, 16, work, ".packed")
        codes = work.array(".scales", packed.shape, np.uint8)
        scale = products(np.bitwise_and(packed, number(15), out=codes), half(blocks, 80, work, ".d"), work, ".scale")
        minimum = products(
            np.right_shift(packed, number(4), out=codes), half(blocks, 82, work, ".dmin"), work, ".minimum"
        )
        return scale, minimum


class Q3_K(CodedType):
    """x = (d * (scale - 32)) * code; a set bit of the mask adds 4 to the two low bits, all codes are lowered by 4."""

    name, id, elements, bytes = "Q3_K", 11, 256, 110
    fields = ((108, 2),)
    scales = (("d", 108, "<f2"),)
    groups, levels, formula = 16, range(-4, 4), "d × (sc − 32) × (code − 4)"
    anatomy = (
        *(codes_at(0, 32, "codes, third bits", "high bits"), codes_at(32, 64, "codes, 2 low bits")),
        *(sub_scales(96, 12, "scale codes, 6 bits"), half_scale(108)),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 32 bytes of mask, one bit per 32 elements; 32: 64 bytes of 2-bit codes; 96: 12 bytes of scales; 108: d."""
        signed = self._codes(blocks, work).view(np.int8)
        np.subtract(signed, number(4, "i1"), out=signed)
        scaled(signed, products(self._scales(blocks, work), half(blocks, 108, work, ".d"), work, ".scale"), out)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 16 elements."""
        codes = self._scales(blocks, work)
        return Scaling(products(codes, half(blocks, 108, work, ".d"), work, ".scale"), None, codes + np.int8(32))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Pairs of bits, and the mask as their third."""
        return Coding(self._codes(blocks, work))

    def _codes(self, blocks: Blocks, work: Workspace) -> Bytes:
        codes = pairs_of_bits(gathered(blocks, 32, 64, work, ".packed"), work)
        bits = work.array(".bits", codes.shape, np.uint8)
        spread_bits(gathered(blocks, 0, 32, work, ".mask"), bits, 2, work)
        np.bitwise_or(codes, bits, out=codes)
        return codes

    def _scales(self, blocks: Blocks, work: Workspace) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
        """Sixteen 6-bit scales less 32: the four low bits lie in bytes 96 to 103, two more in bytes 104 to 107.

        Four scales are worked on at once, as words; those of all blocks lie side by side.
        """
        n = len(blocks)
        words, six = work.array(".packed scales", (3, n), "<u4"), work.array(".six", (n, 2, 2), "<u4")
        four, two = work.array(".four", (2, 2, n), "<u4"), work.array(".two", (2, 2, n), "<u4")
        np.copyto(words, blocks[:, 96:108].view("<u4").T)
        np.right_shift(words[:2], _LOW_BITS, out=four)
        np.bitwise_and(four, number(0x0F0F0F0F, "<u4"), out=four)
        np.left_shift(words[2], _HIGH_BITS[0], out=two[0])
        np.right_shift(words[2], _HIGH_BITS[1], out=two[1])
        np.bitwise_and(two, number(0x30303030, "<u4"), out=two)
        np.bitwise_or(four, two, out=six.transpose(1, 2, 0))
        signed = six.view(np.int8).reshape(n, 16)
        np.subtract(signed, number(32, "i1"), out=signed)
        return signed


# how far bits are moved: to the right, as eight scales have the low nibbles and eight the high ones
_LOW_BITS = np.array([[[0]], [[4]]], "<u4")
_HIGH_BITS = np.array([[[4], [2]], [[0], [2]]], "<u4")  # to the left, for scales 0 to 7; to the right


class Q6_K(CodedType):
    """x = (d * scale) * (code - 32) with signed 8-bit scales."""

    name, id, elements, bytes = "Q6_K", 14, 256, 210
    fields = ((208, 2),)
    scales = (("d", 208, "<f2"),)
    groups, levels, formula = 16, range(-32, 32), "d × sc × (code − 32)"
    anatomy = (
        *(codes_at(0, 128, "codes, 4 low bits"), codes_at(128, 64, "codes, 2 high bits", "high bits")),
        *(sub_scales(192, 16, "scale codes, signed bytes"), half_scale(208)),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 128 bytes of low nibbles; 128: 64 bytes of two high bits; 192: 16 signed scales; 208: d."""
        signed = self._codes(blocks, work).view(np.int8)
        np.subtract(signed, number(32, "i1"), out=signed)
        scales = blocks[:, 192:208].view(np.int8)
        scaled(signed, products(scales, half(blocks, 208, work, ".d"), work, ".scale"), out)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 16 elements."""
        codes = blocks[:, 192:208].view(np.int8)
        return Scaling(products(codes, half(blocks, 208, work, ".d"), work, ".scale"), None, codes)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles with their two high bits."""
        return Coding(self._codes(blocks, work))

    def _codes(self, blocks: Blocks, work: Workspace) -> Bytes:
        codes = pairs_of_bits(gathered(blocks, 128, 64, work, ".high"), work, 4)
        low, packed = work.array(".low", codes.shape, np.uint8), gathered(blocks, 0, 128, work, ".packed")
        write_nibbles(packed, low, 64, work)
        np.bitwise_or(codes, low, out=codes)
        return codes
