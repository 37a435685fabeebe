"""The I-quants of less than two bits: eight elements share an index into a grid of -1, 0 and 1, moved by an eighth.

Grid value plus or minus an eighth is a whole number of eighths, so one table of int8 holds all sums: first those with
plus, then those with minus an eighth. The scale takes the eighth in exchange; both steps are exact in float32.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import gathered, half, looked_up, quiet
from weightmap.types.grids import grid
from weightmap.types.workspace import Workspace

MINUS = 2048


@cache
def eighths() -> Values:
    """(4096,) uint64, each eight int8 values: 8 * grid + 1 for each index, and from MINUS on 8 * grid - 1."""
    rows = 8 * grid("iq1s")
    return np.concatenate([rows + 1, rows - 1]).astype(np.int8).view(np.uint64)[:, 0]


class IQ1_S(StoredType):
    """x = (d * (2 * scale + 1)) * (grid + delta); scale and delta per 32 elements."""

    name, id, elements, bytes = "IQ1_S", 19, 256, 50
    fields = ((0, 2), *((34 + 2 * i, 2) for i in range(8)))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 32 low index bytes; 34: eight words of four times three high index bits, scale, sign of delta."""
        n = len(blocks)
        words = gathered(blocks, 34, 16, work, ".words").view("<u2")
        minus, index = work.array(".minus", (n, 8), np.uint16), work.array(".index", (n, 8, 4), np.uint16)
        np.right_shift(words, 15, out=minus)
        np.left_shift(minus, 3, out=minus)
        for i in range(4):
            part = index[:, :, i]
            np.right_shift(words, 3 * i, out=part)
            np.bitwise_and(part, 7, out=part)
            np.bitwise_or(part, minus, out=part)
        np.left_shift(index, 8, out=index)
        np.bitwise_or(index, gathered(blocks, 2, 32, work, ".low").reshape(n, 8, 4), out=index)
        values = work.array(".values", (n, 8, 32), np.int8)
        looked_up(eighths(), index, values.view(np.uint64), work)
        np.right_shift(words, 12, out=minus)
        np.bitwise_and(minus, 7, out=minus)
        groups = out.reshape(n, 8, 32)
        np.copyto(groups, values)
        np.multiply(groups, odd_scales(minus, half(blocks, 0, work, ".d"), work), out=groups)


def odd_scales(codes: Values, d: Values, work: Workspace) -> Values:
    """(d * (2 * code + 1)) / 8: float32 (n, groups, 1) for uint16 codes (n, groups) and d (n, 1)."""
    scale = work.array(".scale", codes.shape, np.float32)
    np.multiply(codes, np.float32(2), out=scale)
    np.add(scale, np.float32(1), out=scale)
    np.multiply(scale, d, out=scale)
    np.multiply(scale, np.float32(0.125), out=scale)
    return scale[:, :, None]


class IQ1_M(StoredType):
    """x = (d * (2 * scale + 1)) * (grid + delta); a scale per 16 elements, a delta per 8, and d spread over four words."""

    name, id, elements, bytes = "IQ1_M", 29, 256, 56
    fields = tuple((48 + 2 * i, 2) for i in range(4))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 32 low index bytes; 32: nibbles of three high index bits and the sign of delta; 48: four words of scales."""
        n = len(blocks)
        high, index = gathered(blocks, 32, 16, work, ".high"), work.array(".index", (n, 16, 2), np.uint16)
        np.bitwise_and(high, 15, out=index[:, :, 0])
        np.right_shift(high, 4, out=index[:, :, 1])
        np.left_shift(index, 8, out=index)
        np.bitwise_or(index, gathered(blocks, 0, 32, work, ".low").reshape(n, 16, 2), out=index)
        values = work.array(".values", (n, 16, 16), np.int8)
        looked_up(eighths(), index, values.view(np.uint64), work)
        groups = out.reshape(n, 16, 16)
        np.copyto(groups, values)
        np.multiply(groups, self._scales(blocks, work), out=groups)

    def _scales(self, blocks: Blocks, work: Workspace) -> Values:
        """Each word holds four 3-bit scales; its top four bits are the next four bits of the half d, lowest first."""
        n = len(blocks)
        words = gathered(blocks, 48, 8, work, ".words").view("<u2")
        codes = work.array(".scale codes", (n, 4, 4), np.uint16)
        for i in range(4):
            np.right_shift(words, 3 * i, out=codes[:, :, i])
        np.bitwise_and(codes, 7, out=codes)
        bits, part = work.array(".bits", (n, 1), np.uint16), work.array(".part", (n, 1), np.uint16)
        np.right_shift(words[:, :1], 12, out=bits)
        for i in range(1, 4):
            np.right_shift(words[:, i : i + 1], 12, out=part)
            np.left_shift(part, 4 * i, out=part)
            np.bitwise_or(bits, part, out=bits)
        d = work.array(".d", (n, 1), np.float32)
        np.copyto(d, bits.view(np.float16))
        return odd_scales(codes.reshape(n, 16), d, work)
