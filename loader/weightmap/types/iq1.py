"""The I-quants of less than two bits: eight elements share an index into a grid of -1, 0 and 1, moved by an eighth.

Grid value plus or minus an eighth is a whole number of eighths, so one table of int8 holds all sums: first those with
plus, then those with minus an eighth. The scale takes the eighth in exchange; both steps are exact in float32.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.anatomy import Coding, Scaling, codes_at, half_scale, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import Floats, gathered, half, looked_up, number, products, quiet, scaled, spread
from weightmap.types.grids import grid
from weightmap.types.workspace import Workspace

MINUS = 2048


@cache
def eighths() -> Values:
    """(4096,) uint64, each eight int8 values: 8 * grid + 1 for each index, and from MINUS on 8 * grid - 1."""
    rows = 8 * grid("iq1s")
    return np.concatenate([rows + 1, rows - 1]).astype(np.int8).view(np.uint64)[:, 0]


class IQ1_S(CodedType):
    """x = (d * (2 * scale + 1)) * (grid + delta); scale and delta per 32 elements."""

    name, id, elements, bytes = "IQ1_S", 19, 256, 50
    fields = ((0, 2), *((34 + 2 * i, 2) for i in range(8)))
    scales = (("d", 0, "<f2"),)
    groups, code_elements, levels = 8, 8, "iq1s"
    formula = "d × (2 × sc + 1) × value"
    anatomy = (
        *(half_scale(0), codes_at(2, 32, "codes, 8 low bits")),
        codes_at(34, 16, "eight times: 3 high bits of four codes, scale of 3 bits, sign of the shift", "high bits"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 32 low index bytes; 34: eight words of four times three high index bits, scale, sign of delta."""
        values = looked_up_at(self._index(blocks, work), work)
        words = gathered(blocks, 34, 16, work, ".words").view("<u2")
        np.right_shift(words, number(12, "<u2"), out=words)
        np.bitwise_and(words, number(7, "<u2"), out=words)
        scaled(values, odd_scales(words, half(blocks, 0, work, ".d"), work), out)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 32 elements."""
        codes = gathered(blocks, 34, 16, work, ".words").view("<u2") >> np.uint16(12) & np.uint16(7)
        return whole_scales(codes, half(blocks, 0, work, ".d"))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Eleven bits of index for eight elements, and a shift for 32."""
        index = self._index(blocks, work)
        return Coding(index & np.uint16(MINUS - 1), None, shifts(index[:, ::4]))

    def _index(self, blocks: Blocks, work: Workspace) -> Values:
        """Indices into `eighths`: uint16 (n, 32) in the workspace."""
        n = len(blocks)
        words = gathered(blocks, 34, 16, work, ".words").view("<u2")
        high, minus = spread(words, 3, 4, work, ".high"), work.array(".minus", (n, 8), "<u8")
        np.copyto(minus, words)
        np.right_shift(minus, number(15, "<u8"), out=minus)
        np.multiply(minus, number(0x0008_0008_0008_0008, "<u8"), out=minus)  # MINUS >> 8 in all four lanes
        np.bitwise_or(high, minus, out=high)
        return indexed(high, gathered(blocks, 2, 32, work, ".low"))


def indexed(high: Values, low: Values) -> Values:
    """Indices into `eighths`, uint16 (n, 32) in place of `high`: its upper bits in lanes of 16 bits, and the low bytes (n, 32)."""
    index: Values = np.left_shift(high, number(8, "<u8"), out=high).view("<u2")
    np.bitwise_or(index, low, out=index)
    return index


def looked_up_at(index: Values, work: Workspace) -> Values:
    """8 * (grid + delta): int8 (groups, 8) in the workspace."""
    values = work.array(".values", (index.size, 8), np.int8)
    looked_up(eighths(), index, values.view(np.uint64), work)
    return values


def odd_scales(codes: Values, d: Floats, work: Workspace) -> Floats:
    """(d * (2 * code + 1)) / 8 for uint16 codes (n, groups), which are used up: float32 (n, groups) in the workspace."""
    np.left_shift(codes, number(1, "<u2"), out=codes)
    np.bitwise_or(codes, number(1, "<u2"), out=codes)
    scale = products(codes, d, work, ".scale")
    np.multiply(scale, np.float32(0.125), out=scale)
    return scale


def whole_scales(codes: Values, d: Floats) -> Scaling:
    """What the grid with its shift is multiplied with: d * (2 * code + 1)."""
    return Scaling((2 * codes + np.uint16(1)) * d, None, codes)


def shifts(index: Values) -> Floats:
    """An eighth for each index into `eighths`, or minus an eighth from MINUS on."""
    return np.where(index >= MINUS, np.float32(-0.125), np.float32(0.125))


class IQ1_M(CodedType):
    """x = (d * (2 * scale + 1)) * (grid + delta); a scale per 16 elements, a delta per 8, and d spread over four words."""

    name, id, elements, bytes = "IQ1_M", 29, 256, 56
    fields = tuple((48 + 2 * i, 2) for i in range(4))
    scales = (("d", 48, "four nibbles"),)
    groups, code_elements, levels = 16, 8, "iq1s"
    formula = "d × (2 × sc + 1) × value"
    anatomy = (
        *(
            codes_at(0, 32, "codes, 8 low bits"),
            codes_at(32, 16, "codes, 3 high bits and the sign of the shift", "high bits"),
        ),
        sub_scales(48, 8, "four times: four scale codes of 3 bits, then 4 bits of the block scale, float16"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 32 low index bytes; 32: nibbles of three high index bits and the sign of delta; 48: four words of scales."""
        values = looked_up_at(self._index(blocks, work), work)
        words = gathered(blocks, 48, 8, work, ".words")
        codes = spread(words.view("<u2"), 3, 4, work, ".codes").view("<u2")
        scaled(values, odd_scales(codes, self._scale(words.view("<u8"), work), work), out)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 16 elements."""
        words = gathered(blocks, 48, 8, work, ".words")
        codes = spread(words.view("<u2"), 3, 4, work, ".codes").view("<u2")
        return whole_scales(codes, self._scale(words.view("<u8"), work))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Eleven bits of index and a shift for eight elements."""
        index = self._index(blocks, work)
        return Coding(index & np.uint16(MINUS - 1), None, shifts(index))

    def _index(self, blocks: Blocks, work: Workspace) -> Values:
        high = spread(gathered(blocks, 32, 16, work, ".packed").view("<u2"), 4, 4, work, ".high")
        return indexed(high, gathered(blocks, 0, 32, work, ".low"))

    def block_scales(self, blocks: Blocks, work: Workspace) -> Floats:
        """The half that is put together from four words."""
        return self._scale(gathered(blocks, 48, 8, work, ".words").view("<u8"), work)

    def _scale(self, words: Values, work: Workspace) -> Values:
        """The half whose four nibbles are the top nibbles of four words, lowest first: float32 (n, 1)."""
        part = work.array(".part", words.shape, "<u8")
        np.bitwise_and(
            np.right_shift(words, number(12, "<u8"), out=words), number(0x000F_000F_000F_000F, "<u8"), out=words
        )
        for distance, mask in ((12, 0x00FF_0000_00FF), (24, 0xFFFF)):  # neighbours come together, then their pairs
            np.bitwise_or(words, np.right_shift(words, number(distance, "<u8"), out=part), out=words)
            np.bitwise_and(words, number(mask, "<u8"), out=words)
        d = work.array(".d", words.shape, np.float32)
        np.copyto(d, words.view("<f2")[:, :1])
        return d
