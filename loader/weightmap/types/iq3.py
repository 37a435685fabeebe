"""The I-quants of about three bits: four elements share an index into a grid of magnitudes, eight share a byte of signs."""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.anatomy import Coding, Scaling, codes_at, half_scale, signs_at, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import Floats, gathered, half, looked_up, number, products, quiet, scaled
from weightmap.types.grids import even_sign_words, grid_words, sign_words
from weightmap.types.iq2 import Nibbled, apply_signs, group_scales, scale_nibbles, sign_codes, signs_of
from weightmap.types.workspace import Workspace


class IQ3_XXS(Nibbled):
    """x = (d * (0.5 + scale)) / 2 * magnitude with sign; a scale per 32 elements."""

    name, id, elements, bytes = "IQ3_XXS", 18, 256, 98
    fields = ((0, 2), *((66 + 4 * i, 4) for i in range(8)))
    scales = (("d", 0, "<f2"),)
    groups, code_elements, levels = 8, 4, "iq3xxs"
    formula, factor = "d × (0.5 + sc) × 0.5 × value", 0.5
    anatomy = (
        half_scale(0),
        codes_at(2, 64, "codes, 8 bits"),
        signs_at(66, 32, "eight times: signs of 7 bits and a scale of 4"),
    )
    order_assumed = "Signs and scales are taken to be big-endian words of 32 bits; the format declares only bytes."

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 64 index bytes; 66: eight words of four 7-bit sign codes and, in the top 4 bits, the scale."""
        n = len(blocks)
        values = work.array(".values", (n * 32, 8), np.int8)
        looked_up(grid_words("iq3xxs"), gathered(blocks, 2, 64, work, ".index"), values.view(np.uint32), work)
        words = gathered(blocks, 66, 32, work, ".packed").view("<u4")
        apply_signs(values, sign_codes(words, work), even_sign_words(), work)
        scaled(values, group_scales(blocks, np.right_shift(words, number(28, "<u4"), out=words), 0.5, work), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Index bytes of four elements, and seven signs for eight."""
        words = gathered(blocks, 66, 32, work, ".packed").view("<u4")
        signs = sign_codes(words, work).reshape(len(blocks), 32)
        return Coding(blocks[:, 2:66], signs_of(signs, even_sign_words()))

    def _nibbles(self, blocks: Blocks, work: Workspace) -> Values:
        return gathered(blocks, 66, 32, work, ".packed").view("<u4") >> np.uint32(28)


@cache
def ninth_bits() -> Values:
    """(256,): for each byte its eight bits, lowest first, as eight uint16 of 0 or 256 in the clothes of one wide item."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return (bits.astype("<u2") << 8).astype("<u2").view(np.complex128)[:, 0]


class IQ3_S(CodedType):
    """x = (d * (1 + 2 * scale)) * magnitude with sign; nine index bits, full bytes of signs, a scale per 32 elements."""

    name, id, elements, bytes = "IQ3_S", 21, 256, 110
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)
    groups, code_elements, levels, formula = 8, 4, "iq3s", "d × (1 + 2 × sc) × value"
    anatomy = (
        *(half_scale(0), codes_at(2, 64, "codes, 8 low bits"), codes_at(66, 8, "codes, ninth bits", "high bits")),
        *(signs_at(74, 32, "signs of 8 elements"), sub_scales(106, 4, "scale codes, 4 bits")),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 64 low index bytes; 66: the ninth bits; 74: 32 sign bytes; 106: four bytes of scales."""
        values = work.array(".values", (len(blocks) * 32, 8), np.int8)
        looked_up(grid_words("iq3s"), self._index(blocks, work), values.view(np.uint32), work)
        apply_signs(values, gathered(blocks, 74, 32, work, ".signs"), sign_words(), work)
        scaled(values, self._scales(blocks, work), out)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 32 elements."""
        scales = self._scales(blocks, work)
        return Scaling(scales, None, scale_nibbles(gathered(blocks, 106, 4, work, ".packed"), work))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nine bits of index for four elements, and eight signs for eight."""
        return Coding(self._index(blocks, work), signs_of(blocks[:, 74:106], sign_words()))

    def _index(self, blocks: Blocks, work: Workspace) -> Values:
        index, low = work.array(".index", (len(blocks), 64), "<u2"), gathered(blocks, 2, 64, work, ".low")
        looked_up(ninth_bits(), gathered(blocks, 66, 8, work, ".high"), index.view(np.complex128), work)
        np.bitwise_or(index, low, out=index)
        return index

    def _scales(self, blocks: Blocks, work: Workspace) -> Floats:
        """The scales d * (1 + 2 * scale code) of the eight groups: float32 (n, 8)."""
        odd = scale_nibbles(gathered(blocks, 106, 4, work, ".packed"), work)
        np.left_shift(odd, number(1), out=odd)
        np.bitwise_or(odd, number(1), out=odd)
        return products(odd, half(blocks, 0, work, ".d"), work, ".scale")
