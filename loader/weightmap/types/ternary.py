"""The ternary types: TQ1_0 packs five digits of base three into a byte, TQ2_0 four codes of two bits."""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import gathered, half, quiet, scaled
from weightmap.types.k_quants_16 import pairs_of_bits
from weightmap.types.workspace import Workspace


class TQ1_0(StoredType):
    """x = (digit - 1) * d.

    A byte holds ceil(number * 256 / 243), a fraction of 256: multiplied by 3^t (modulo 256) its top digit is digit t, and
    times 3 the digit is what spills over the byte.
    """

    name, id, elements, bytes = "TQ1_0", 34, 256, 54
    fields = ((52, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 32 bytes of five digits; 32: 16 bytes of five; 48: four bytes of four; 52: d. Digit t of all bytes, then t + 1."""
        n = len(blocks)
        wide = work.array(".wide", (n, 52), np.uint16)
        digits = work.array(".digits", (n, 52), np.uint8)
        packed = gathered(blocks, 0, 52, work, ".packed")
        for t in range(5):
            np.multiply(packed, 3, out=wide, dtype=np.uint16)
            np.right_shift(wide, 8, out=digits, casting="unsafe")
            signed = digits.view(np.int8)
            np.subtract(signed, 1, out=signed)
            np.copyto(out[:, 32 * t : 32 * t + 32], signed[:, :32])
            np.copyto(out[:, 160 + 16 * t : 176 + 16 * t], signed[:, 32:48])
            if t < 4:
                np.copyto(out[:, 240 + 4 * t : 244 + 4 * t], signed[:, 48:])
            np.multiply(packed, 3, out=packed)
        np.multiply(out, half(blocks, 52, work, ".d"), out=out)


class TQ2_0(StoredType):
    """x = (code - 1) * d. Code 3, the value 2, is possible though nobody writes it."""

    name, id, elements, bytes = "TQ2_0", 35, 256, 66
    fields = ((64, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 64 bytes of codes; 64: d."""
        codes = pairs_of_bits(gathered(blocks, 0, 64, work, ".packed"), work).view(np.int8)
        np.subtract(codes, 1, out=codes)
        scaled(codes, half(blocks, 64, work, ".d"), out)
