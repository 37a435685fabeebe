"""The ternary types: TQ1_0 packs five digits of base three into a byte, TQ2_0 four codes of two bits."""

from __future__ import annotations

import numpy as np

from weightmap.types.anatomy import Coding, codes_at, half_scale
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import Bytes, gathered, half, moved, number, quiet, scaled
from weightmap.types.k_quants_16 import pairs_of_bits
from weightmap.types.workspace import Workspace


class TQ1_0(CodedType):
    """x = (digit - 1) * d.

    A byte holds ceil(number * 256 / 243), a fraction of 256: multiplied by 3^t (modulo 256) its top digit is digit t, and
    times 3 the digit is what spills over the byte.
    """

    name, id, elements, bytes = "TQ1_0", 34, 256, 54
    fields = ((52, 2),)
    scales = (("d", 52, "<f2"),)
    formula, levels = "d × (code − 1)", range(-1, 2)
    anatomy = (
        *(codes_at(0, 48, "codes, five ternary digits"), codes_at(48, 4, "codes, four ternary digits", "more codes")),
        half_scale(52),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 32 bytes of five digits; 32: 16 bytes of five; 48: four bytes of four; 52: d. Digit t of all bytes, then t + 1."""
        scaled(self._digits(blocks, work).view(np.int8), half(blocks, 52, work, ".d"), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Digits 0, 1 and 2."""
        digits = self._digits(blocks, work)
        return Coding(np.add(digits, number(1), out=digits))

    def _digits(self, blocks: Blocks, work: Workspace) -> Bytes:
        """Digits less 1, modulo 256: uint8 (n, 256) in the workspace."""
        n = len(blocks)
        packed, digits = gathered(blocks, 0, 52, work, ".packed"), work.array(".digits", (n, 52), np.uint8)
        above, below = work.array(".above", (n, 52), np.bool_), work.array(".below", (n, 52), np.bool_)
        codes: Bytes = work.array(".codes", (n, 256), np.uint8)
        for t in range(5):
            np.greater(packed, number(85), out=above)  # 3 * byte >= 256: the digit is 1 or 2
            np.less_equal(packed, number(170), out=below)  # 3 * byte < 512: the digit is 0 or 1
            np.subtract(above.view(np.uint8), below.view(np.uint8), out=digits)
            moved(digits[:, :32], codes[:, 32 * t : 32 * t + 32])
            moved(digits[:, 32:48], codes[:, 160 + 16 * t : 176 + 16 * t])
            if t < 4:
                moved(digits[:, 48:], codes[:, 240 + 4 * t : 244 + 4 * t])
            np.multiply(packed, number(3), out=packed)
        return codes


class TQ2_0(CodedType):
    """x = (code - 1) * d. Code 3, the value 2, is possible though nobody writes it."""

    name, id, elements, bytes = "TQ2_0", 35, 256, 66
    fields = ((64, 2),)
    scales = (("d", 64, "<f2"),)
    formula, levels = "d × (code − 1)", range(-1, 3)
    anatomy = (codes_at(0, 64, "codes, 2 bits"), half_scale(64))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: 64 bytes of codes; 64: d."""
        codes = pairs_of_bits(gathered(blocks, 0, 64, work, ".packed"), work).view(np.int8)
        np.subtract(codes, number(1, "i1"), out=codes)
        scaled(codes, half(blocks, 64, work, ".d"), out)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Pairs of bits."""
        return Coding(pairs_of_bits(gathered(blocks, 0, 64, work, ".packed"), work))
