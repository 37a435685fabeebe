"""The I-quants of about three bits: four elements share an index into a grid of magnitudes, eight share a byte of signs."""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import gathered, half, looked_up, number, products, quiet, scaled
from weightmap.types.grids import even_sign_words, grid_words, sign_words
from weightmap.types.iq2 import apply_signs, group_scales, scale_nibbles, sign_codes
from weightmap.types.workspace import Workspace


class IQ3_XXS(StoredType):
    """x = (d * (0.5 + scale)) / 2 * magnitude with sign; a scale per 32 elements."""

    name, id, elements, bytes = "IQ3_XXS", 18, 256, 98
    fields = ((0, 2), *((66 + 4 * i, 4) for i in range(8)))
    scales = (("d", 0, "<f2"),)
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


@cache
def ninth_bits() -> Values:
    """(256,): for each byte its eight bits, lowest first, as eight uint16 of 0 or 256 in the clothes of one wide item."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return (bits.astype("<u2") << 8).astype("<u2").view(np.complex128)[:, 0]


class IQ3_S(StoredType):
    """x = (d * (1 + 2 * scale)) * magnitude with sign; nine index bits, full bytes of signs, a scale per 32 elements."""

    name, id, elements, bytes = "IQ3_S", 21, 256, 110
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 64 low index bytes; 66: the ninth bits; 74: 32 sign bytes; 106: four bytes of scales."""
        n = len(blocks)
        index, low = work.array(".index", (n, 64), "<u2"), gathered(blocks, 2, 64, work, ".low")
        looked_up(ninth_bits(), gathered(blocks, 66, 8, work, ".high"), index.view(np.complex128), work)
        values = work.array(".values", (n * 32, 8), np.int8)
        looked_up(grid_words("iq3s"), np.bitwise_or(index, low, out=index), values.view(np.uint32), work)
        apply_signs(values, gathered(blocks, 74, 32, work, ".signs"), sign_words(), work)
        odd = scale_nibbles(gathered(blocks, 106, 4, work, ".packed"), work)
        np.left_shift(odd, number(1), out=odd)
        np.bitwise_or(odd, number(1), out=odd)
        scaled(values, products(odd, half(blocks, 0, work, ".d"), work, ".scale"), out)
