"""The legacy 4- and 5-bit blocks of 32 elements: a half scale, perhaps a half minimum, and nibbles.

Element e < 16 is the low nibble of byte e, element e >= 16 the high nibble of byte e - 16.
"""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Bytes, gathered, half, quiet
from weightmap.types.workspace import Workspace


def nibbles(blocks: Blocks, offset: int, work: Workspace) -> Bytes:
    """Codes 0..15 of the 16 bytes at `offset`, in element order: uint8 (n, 32) in the workspace ("codes")."""
    packed = gathered(blocks, offset, 16, work, ".packed")
    codes = work.array(".codes", (len(blocks), 2, 16), np.uint8)
    np.bitwise_and(packed, 15, out=codes[:, 0])
    np.right_shift(packed, 4, out=codes[:, 1])
    return codes.reshape(-1, 32)


def fifth_bits(blocks: Blocks, offset: int, work: Workspace) -> Bytes:
    """16 where the bit of an element is set in the four bytes at `offset` (bit e for element e), else 0: (n, 32)."""
    packed = gathered(blocks, offset, 4, work, ".high")
    bits = work.array(".bits", (len(blocks), 4, 8), np.uint8)
    for bit in range(8):
        np.right_shift(packed, bit, out=bits[:, :, bit])
    np.bitwise_and(bits, 1, out=bits)
    np.left_shift(bits, 4, out=bits)
    return bits.reshape(-1, 32)


FIFTH_BITS_SWAPPED = (
    "The fifth bits are taken to be one big-endian word of 32 bits; the format declares four bytes and leaves it open."
)


class Q4_0(StoredType):
    """x = (code - 8) * d."""

    name, id, elements, bytes = "Q4_0", 2, 32, 18
    fields = ((0, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 16 bytes of nibbles."""
        codes = nibbles(blocks, 2, work).view(np.int8)
        np.subtract(codes, 8, out=codes)
        np.copyto(out, codes)
        np.multiply(out, half(blocks, 0, work, ".d"), out=out)


class Q4_1(StoredType):
    """x = code * d + m."""

    name, id, elements, bytes = "Q4_1", 3, 32, 20
    fields = ((0, 2), (2, 2))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: m; 4: 16 bytes of nibbles."""
        np.copyto(out, nibbles(blocks, 4, work))
        np.multiply(out, half(blocks, 0, work, ".d"), out=out)
        np.add(out, half(blocks, 2, work, ".m"), out=out)


class Q5_0(StoredType):
    """x = (code - 16) * d with a fifth bit per element."""

    name, id, elements, bytes = "Q5_0", 6, 32, 22
    fields, order_assumed = ((0, 2), (2, 4)), FIFTH_BITS_SWAPPED

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: fifth bits, a word of 32 bits; 6: 16 bytes of nibbles."""
        codes = nibbles(blocks, 6, work)
        np.bitwise_or(codes, fifth_bits(blocks, 2, work), out=codes)
        signed = codes.view(np.int8)
        np.subtract(signed, 16, out=signed)
        np.copyto(out, signed)
        np.multiply(out, half(blocks, 0, work, ".d"), out=out)


class Q5_1(StoredType):
    """x = code * d + m with a fifth bit per element."""

    name, id, elements, bytes = "Q5_1", 7, 32, 24
    fields, order_assumed = ((0, 2), (2, 2), (4, 4)), FIFTH_BITS_SWAPPED

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: m; 4: fifth bits, a word of 32 bits; 8: 16 bytes of nibbles."""
        codes = nibbles(blocks, 8, work)
        np.bitwise_or(codes, fifth_bits(blocks, 4, work), out=codes)
        np.copyto(out, codes)
        np.multiply(out, half(blocks, 0, work, ".d"), out=out)
        np.add(out, half(blocks, 2, work, ".m"), out=out)
