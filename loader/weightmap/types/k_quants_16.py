"""The K-quants whose scales cover 16 elements: Q2_K, Q3_K and Q6_K, 256 elements a block."""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Bytes, gathered, half, quiet
from weightmap.types.workspace import Workspace


def pairs_of_bits(packed: Bytes, work: Workspace) -> Bytes:
    """Codes 0..3 of 64 bytes in element order: uint8 (n, 2, 4, 32); the four shifts of 32 bytes follow each other."""
    n = len(packed)
    codes = work.array(".codes", (n, 2, 4, 32), np.uint8)
    for shift in range(4):
        np.right_shift(packed.reshape(n, 2, 32), 2 * shift, out=codes[:, :, shift])
    np.bitwise_and(codes, 3, out=codes)
    return codes


class Q2_K(StoredType):
    """x = (d * scale) * code - (dmin * minimum); scale and minimum share a byte."""

    name, id, elements, bytes = "Q2_K", 10, 256, 84
    fields = ((80, 2), (82, 2))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 16 bytes of scale (low nibble) and minimum (high); 16: 64 bytes of 2-bit codes; 80: d; 82: dmin."""
        n = len(blocks)
        packed = gathered(blocks, 0, 16, work, ".scales")
        scale, minimum = work.array(".scale", (n, 16), np.float32), work.array(".minimum", (n, 16), np.float32)
        four = work.array(".four", (n, 16), np.uint8)
        np.copyto(scale, np.bitwise_and(packed, 15, out=four))
        np.multiply(scale, half(blocks, 80, work, ".d"), out=scale)
        np.copyto(minimum, np.right_shift(packed, 4, out=four))
        np.multiply(minimum, half(blocks, 82, work, ".dmin"), out=minimum)
        np.copyto(out, pairs_of_bits(gathered(blocks, 16, 64, work, ".packed"), work).reshape(out.shape))
        groups = out.reshape(n, 16, 16)
        np.multiply(groups, scale[:, :, None], out=groups)
        np.subtract(groups, minimum[:, :, None], out=groups)


class Q3_K(StoredType):
    """x = (d * (scale - 32)) * code; a set bit of the mask adds 4 to the two low bits, all codes are lowered by 4."""

    name, id, elements, bytes = "Q3_K", 11, 256, 110
    fields = ((108, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 32 bytes of mask, one bit per 32 elements; 32: 64 bytes of 2-bit codes; 96: 12 bytes of scales; 108: d."""
        n = len(blocks)
        codes = pairs_of_bits(gathered(blocks, 32, 64, work, ".packed"), work).reshape(n, 8, 32)
        mask, bits = gathered(blocks, 0, 32, work, ".mask"), work.array(".bits", (n, 32), np.uint8)
        for group in range(8):
            np.right_shift(mask, group, out=bits)
            np.bitwise_and(bits, 1, out=bits)
            np.left_shift(bits, 2, out=bits)
            np.bitwise_or(codes[:, group], bits, out=codes[:, group])
        signed = codes.view(np.int8)
        np.subtract(signed, 4, out=signed)
        groups = out.reshape(n, 16, 16)
        np.copyto(groups, signed.reshape(groups.shape))
        scale = work.array(".scale", (n, 16), np.float32)
        np.copyto(scale, self._scales(blocks, work))
        np.multiply(scale, half(blocks, 108, work, ".d"), out=scale)
        np.multiply(groups, scale[:, :, None], out=groups)

    def _scales(self, blocks: Blocks, work: Workspace) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
        """Sixteen 6-bit scales less 32: the four low bits lie in bytes 96 to 103, two more in bytes 104 to 107."""
        n = len(blocks)
        packed = gathered(blocks, 96, 12, work, ".scales")
        six = work.array(".six", (n, 16), np.uint8)
        np.bitwise_and(packed[:, :8], 15, out=six[:, :8])
        np.right_shift(packed[:, :8], 4, out=six[:, 8:])
        two = work.array(".two", (n, 4), np.uint8)
        for quarter in range(4):
            np.right_shift(packed[:, 8:], 2 * quarter, out=two)
            np.bitwise_and(two, 3, out=two)
            np.left_shift(two, 4, out=two)
            part = six[:, 4 * quarter : 4 * quarter + 4]
            np.bitwise_or(part, two, out=part)
        signed = six.view(np.int8)
        np.subtract(signed, 32, out=signed)
        return signed


class Q6_K(StoredType):
    """x = (d * scale) * (code - 32) with signed 8-bit scales."""

    name, id, elements, bytes = "Q6_K", 14, 256, 210
    fields = ((208, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 128 bytes of low nibbles; 128: 64 bytes of two high bits; 192: 16 signed scales; 208: d."""
        n = len(blocks)
        high = pairs_of_bits(gathered(blocks, 128, 64, work, ".high"), work)
        np.left_shift(high, 4, out=high)
        codes = high.reshape(n, 2, 2, 64)
        packed = gathered(blocks, 0, 128, work, ".packed").reshape(n, 2, 64)
        low = work.array(".low", (n, 2, 64), np.uint8)
        np.bitwise_or(codes[:, :, 0], np.bitwise_and(packed, 15, out=low), out=codes[:, :, 0])
        np.bitwise_or(codes[:, :, 1], np.right_shift(packed, 4, out=low), out=codes[:, :, 1])
        signed = codes.view(np.int8)
        np.subtract(signed, 32, out=signed)
        groups = out.reshape(n, 16, 16)
        np.copyto(groups, signed.reshape(groups.shape))
        scale = work.array(".scale", (n, 16), np.float32)
        np.copyto(scale, blocks[:, 192:208].view(np.int8))
        np.multiply(scale, half(blocks, 208, work, ".d"), out=scale)
        np.multiply(groups, scale[:, :, None], out=groups)
