"""The K-quants with nibbles and scales of six bits: Q4_K and Q5_K, 256 elements in eight groups of 32.

A group has a scale and a minimum, both whole numbers times a half of the block: x = (d * sc) * code - (dmin * mn).
"""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Bytes, Floats, gathered, half, quiet
from weightmap.types.workspace import Workspace


def scales_and_minima(blocks: Blocks, work: Workspace) -> tuple[Floats, Floats]:
    """(d * sc, dmin * mn) of the eight groups, each float32 (n, 8, 1): halves at 0 and 2, 12 packed bytes at 4."""
    n = len(blocks)
    packed = gathered(blocks, 4, 12, work, ".scales").reshape(n, 3, 4)
    six = work.array(".six", (n, 2, 8), np.uint8)
    top = work.array(".top", (n, 4), np.uint8)
    first, second, third = packed[:, 0], packed[:, 1], packed[:, 2]
    np.bitwise_and(first, 63, out=six[:, 0, :4])
    np.bitwise_and(second, 63, out=six[:, 1, :4])
    np.right_shift(first, 6, out=top)
    np.left_shift(top, 4, out=top)
    np.bitwise_and(third, 15, out=six[:, 0, 4:])
    np.bitwise_or(six[:, 0, 4:], top, out=six[:, 0, 4:])
    np.right_shift(second, 6, out=top)
    np.left_shift(top, 4, out=top)
    np.right_shift(third, 4, out=six[:, 1, 4:])
    np.bitwise_or(six[:, 1, 4:], top, out=six[:, 1, 4:])
    both = work.array(".both", (n, 2, 8), np.float32)
    np.copyto(both, six)
    np.multiply(both[:, 0], half(blocks, 0, work, ".d"), out=both[:, 0])
    np.multiply(both[:, 1], half(blocks, 2, work, ".dmin"), out=both[:, 1])
    return both[:, 0, :, None], both[:, 1, :, None]


def group_nibbles(blocks: Blocks, offset: int, work: Workspace) -> Bytes:
    """Codes 0..15 of the 128 bytes at `offset`: uint8 (n, 4, 2, 32), the low nibbles of 32 bytes before their high ones."""
    packed = gathered(blocks, offset, 128, work, ".packed").reshape(-1, 4, 32)
    codes = work.array(".codes", (len(blocks), 4, 2, 32), np.uint8)
    np.bitwise_and(packed, 15, out=codes[:, :, 0])
    np.right_shift(packed, 4, out=codes[:, :, 1])
    return codes


class Q4_K(StoredType):
    """x = (d * sc) * code - (dmin * mn) with 4-bit codes."""

    name, id, elements, bytes = "Q4_K", 12, 256, 144
    fields = ((0, 2), (2, 2))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: dmin; 4: 12 bytes of scales and minima; 16: 128 bytes of nibbles."""
        scale, minimum = scales_and_minima(blocks, work)
        groups = out.reshape(-1, 8, 32)
        np.copyto(out, group_nibbles(blocks, 16, work).reshape(out.shape))
        np.multiply(groups, scale, out=groups)
        np.subtract(groups, minimum, out=groups)


class Q5_K(StoredType):
    """x = (d * sc) * code - (dmin * mn) with 5-bit codes."""

    name, id, elements, bytes = "Q5_K", 13, 256, 176
    fields = ((0, 2), (2, 2))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: dmin; 4: scales and minima; 16: 32 bytes of fifth bits, one bit a group; 48: 128 bytes of nibbles."""
        n = len(blocks)
        scale, minimum = scales_and_minima(blocks, work)
        codes = group_nibbles(blocks, 48, work).reshape(n, 8, 32)
        packed = gathered(blocks, 16, 32, work, ".high")
        bits = work.array(".bits", (n, 32), np.uint8)
        for group in range(8):
            np.right_shift(packed, group, out=bits)
            np.bitwise_and(bits, 1, out=bits)
            np.left_shift(bits, 4, out=bits)
            np.bitwise_or(codes[:, group], bits, out=codes[:, group])
        groups = out.reshape(n, 8, 32)
        np.copyto(groups, codes)
        np.multiply(groups, scale, out=groups)
        np.subtract(groups, minimum, out=groups)
