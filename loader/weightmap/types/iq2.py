"""The I-quants of about two bits: eight elements share an index into a grid of magnitudes and a byte of signs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from weightmap.types.anatomy import Coding, Scaling, codes_at, half_scale, signs_at, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import Bytes, Floats, gathered, half, looked_up, number, quiet, scaled, spread
from weightmap.types.grids import even_sign_words, grid_words, sign_words
from weightmap.types.workspace import Workspace


def apply_signs(values: Values, signs: Values, table: Values, work: Workspace) -> None:
    """Negate in place: `values` int8 (groups, 8), `signs` a code of `table` for each group of eight."""
    masks = work.array(".masks", (len(values),), np.uint64)
    looked_up(table, signs, masks, work)
    mask = masks.view(np.int8).reshape(-1, 8)
    np.bitwise_xor(values, mask, out=values)  # where the mask is -1 this is -x - 1, and less -1 it is -x
    np.subtract(values, mask, out=values)


def signs_of(codes: Values, table: Values) -> Values:
    """The signs that `apply_signs` would apply, for codes (n, groups): int8 (n, 8 * groups) of 1 and -1."""
    negative = table[codes].view(np.int8).reshape(len(codes), -1)
    return 2 * negative + np.int8(1)


def scale_nibbles(packed: Bytes, work: Workspace) -> Bytes:
    """The nibbles of (n, k) bytes, low before high: uint8 (n, 2 * k) in the workspace; k is a multiple of 4."""
    return spread(packed.view("<u4"), 4, 8, work, ".nibbles").view(np.uint8)


def group_scales(blocks: Blocks, nibbles: Values, factor: float, work: Workspace) -> Floats:
    """(d * (0.5 + nibble)) * factor for nibbles (n, groups): float32 (n, groups) in the workspace."""
    scale = work.array(".scale", nibbles.shape, np.float32)
    np.copyto(scale, nibbles)
    np.add(scale, np.float32(0.5), out=scale)
    np.multiply(scale, half(blocks, 0, work, ".d"), out=scale)
    np.multiply(scale, np.float32(factor), out=scale)
    return scale


class Nibbled(CodedType):
    """What those with a grid of magnitudes for eight elements share: a nibble for the scale of each sub-block."""

    code_elements, formula = 8, "d × (0.5 + sc) × 0.25 × value"
    factor = 0.25

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of a sub-block."""
        nibbles = self._nibbles(blocks, work)
        return Scaling(group_scales(blocks, nibbles, self.factor, work), None, nibbles)

    @abstractmethod
    def _nibbles(self, blocks: Blocks, work: Workspace) -> Values:
        """The scales as stored, (n, groups)."""


class IQ2_XXS(Nibbled):
    """x = (d * (0.5 + scale)) / 4 * magnitude with sign; a scale per 32 elements."""

    name, id, elements, bytes = "IQ2_XXS", 16, 256, 66
    fields = ((0, 2), *((2 + 2 * i, 2) for i in range(32)))
    scales = (("d", 0, "<f2"),)
    groups, levels = 8, "iq2xxs"
    anatomy = (half_scale(0), codes_at(2, 64, "eight times: codes of 8 bits, then signs of 7 bits and a scale of 4"))
    order_assumed = "The packed words are taken to be swapped two bytes at a time, as the format declares them."

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: eight times (4 index bytes; a word of four 7-bit sign codes and, in its top 4 bits, the scale)."""
        n = len(blocks)
        words = gathered(blocks, 2, 64, work, ".packed").view("<u4").reshape(-1, 2)
        index = work.array(".index", (n * 8, 1), "<u4")
        np.copyto(index, words[:, :1])
        values = work.array(".values", (n * 32, 8), np.int8)
        looked_up(grid_words("iq2xxs"), index.view(np.uint8), values.view(np.uint64), work)
        high = work.array(".high", (n * 8,), "<u4")
        np.copyto(high, words[:, 1])
        apply_signs(values, sign_codes(high, work), even_sign_words(), work)
        nibbles = np.right_shift(high, number(28, "<u4"), out=high).reshape(n, 8)
        scaled(values, group_scales(blocks, nibbles, 0.25, work), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Index bytes, and seven signs for eight elements."""
        packed = gathered(blocks, 2, 64, work, ".packed").reshape(len(blocks), 8, 8)
        signs = sign_codes(self._words(blocks, work), work).reshape(len(blocks), 32)
        return Coding(packed[:, :, :4].reshape(len(blocks), 32), signs_of(signs, even_sign_words()))

    def _nibbles(self, blocks: Blocks, work: Workspace) -> Values:
        return self._words(blocks, work).reshape(len(blocks), 8) >> np.uint32(28)

    def _words(self, blocks: Blocks, work: Workspace) -> Values:
        return gathered(blocks, 2, 64, work, ".packed").view("<u4").reshape(-1, 2)[:, 1].copy()


def sign_codes(words: Values, work: Workspace) -> Values:
    """The four 7-bit codes of each word of 32 bits, lowest first: uint16 (4 * words)."""
    return spread(words, 7, 4, work, ".signs").reshape(-1).view("<u2")


class IQ2_XS(Nibbled):
    """x = (d * (0.5 + scale)) / 4 * magnitude with sign; a scale per 16 elements."""

    name, id, elements, bytes = "IQ2_XS", 17, 256, 74
    fields = ((0, 2), *((2 + 2 * i, 2) for i in range(32)))
    scales = (("d", 0, "<f2"),)
    groups, levels = 16, "iq2xs"
    anatomy = (
        *(half_scale(0), codes_at(2, 64, "codes of 9 bits, each with signs of 7 bits")),
        sub_scales(66, 8, "scale codes, 4 bits"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 32 words of 9 index bits and a 7-bit sign code; 66: eight bytes of scales."""
        n = len(blocks)
        words = gathered(blocks, 2, 64, work, ".packed").view("<u2")
        index = work.array(".index", (n, 32), np.uint16)
        values = work.array(".values", (n * 32, 8), np.int8)
        looked_up(
            grid_words("iq2xs"), np.bitwise_and(words, number(511, "<u2"), out=index), values.view(np.uint64), work
        )
        apply_signs(values, np.right_shift(words, number(9, "<u2"), out=index), even_sign_words(), work)
        scaled(values, group_scales(blocks, self._nibbles(blocks, work), 0.25, work), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Words of an index and seven signs for eight elements."""
        words = gathered(blocks, 2, 64, work, ".packed").view("<u2")
        return Coding(words & np.uint16(511), signs_of(words >> np.uint16(9), even_sign_words()))

    def _nibbles(self, blocks: Blocks, work: Workspace) -> Values:
        return scale_nibbles(gathered(blocks, 66, 8, work, ".packed"), work)


class IQ2_S(Nibbled):
    """x = (d * (0.5 + scale)) / 4 * magnitude with sign; ten index bits and a full byte of signs per 8 elements."""

    name, id, elements, bytes = "IQ2_S", 22, 256, 82
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)
    groups, levels = 16, "iq2s"
    anatomy = (
        *(half_scale(0), codes_at(2, 32, "codes, 8 low bits"), signs_at(34, 32, "signs of 8 elements")),
        *(codes_at(66, 8, "codes, 2 high bits", "high bits"), sub_scales(74, 8, "scale codes, 4 bits")),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 32 low index bytes; 34: 32 sign bytes; 66: two high index bits each; 74: eight bytes of scales."""
        values = work.array(".values", (len(blocks) * 32, 8), np.int8)
        looked_up(grid_words("iq2s"), self._index(blocks, work), values.view(np.uint64), work)
        apply_signs(values, gathered(blocks, 34, 32, work, ".signs"), sign_words(), work)
        scaled(values, group_scales(blocks, self._nibbles(blocks, work), 0.25, work), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Ten bits of index, and eight signs for eight elements."""
        return Coding(self._index(blocks, work), signs_of(blocks[:, 34:66], sign_words()))

    def _index(self, blocks: Blocks, work: Workspace) -> Values:
        high = spread(gathered(blocks, 66, 8, work, ".packed"), 2, 4, work, ".high")
        index: Values = np.left_shift(high, number(8, "<u8"), out=high).view("<u2")
        low = gathered(blocks, 2, 32, work, ".low")
        np.bitwise_or(index, low, out=index)
        return index

    def _nibbles(self, blocks: Blocks, work: Workspace) -> Values:
        return scale_nibbles(gathered(blocks, 74, 8, work, ".packed"), work)
