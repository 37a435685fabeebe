"""The I-quants with nibbles: IQ4_NL and IQ4_XS, whose 16 code values lie closer together around zero."""

from __future__ import annotations

import numpy as np

from weightmap.types.anatomy import Coding, Scaling, codes_at, half_scale, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import column, gathered, half, number, products, quiet, spread
from weightmap.types.nibbles import nibble_values, runs_of_nibbles
from weightmap.types.workspace import Workspace


class IQ4_NL(CodedType):
    """x = d * value of the code, 32 elements."""

    name, id, elements, bytes = "IQ4_NL", 20, 32, 18
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)
    formula, levels = "d × value", "kvalues_iq4nl"
    anatomy = (half_scale(0), codes_at(2, 16, "codes, 4 bits"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 16 bytes, low nibbles before high nibbles."""
        packed = gathered(blocks, 2, 16, work, ".packed")
        nibble_values("kvalues_iq4nl", packed, 16, half(blocks, 0, work, ".d"), out, work)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        return Coding(runs_of_nibbles(blocks[:, 2:], 16))


class IQ4_XS(CodedType):
    """x = (d * (scale - 32)) * value of the code: a 6-bit scale per 32 elements."""

    name, id, elements, bytes = "IQ4_XS", 23, 256, 136
    fields = ((0, 2), (2, 2))
    scales = (("d", 0, "<f2"),)
    groups, formula, levels = 8, "d × (sc − 32) × value", "kvalues_iq4nl"
    anatomy = (
        *(half_scale(0), sub_scales(2, 2, "scale codes, 2 high bits", "high scales")),
        *(sub_scales(4, 4, "scale codes, 4 low bits"), codes_at(8, 128, "codes, 4 bits")),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: two high bits of each scale; 4: four low bits; 8: 128 bytes, 16 per group."""
        packed = gathered(blocks, 8, 128, work, ".packed")
        scales = products(self._scales(blocks, work), half(blocks, 0, work, ".d"), work, ".scale")
        nibble_values("kvalues_iq4nl", packed, 16, scales, out, work)

    @quiet
    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """The scale of 32 elements."""
        codes = self._scales(blocks, work)
        return Scaling(products(codes, half(blocks, 0, work, ".d"), work, ".scale"), None, codes + np.int8(32))

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        return Coding(runs_of_nibbles(blocks[:, 8:], 16))

    def _scales(self, blocks: Blocks, work: Workspace) -> Values:
        """Scale - 32 of the eight groups: int8 (n, 8)."""
        six = spread(column(blocks, 4, "<u4"), 4, 8, work, ".six")
        high = spread(column(blocks, 2, "<u2"), 2, 8, work, ".high")
        np.bitwise_or(six, np.left_shift(high, number(4, "<u8"), out=high), out=six)
        signed = six.view(np.int8)
        np.subtract(signed, number(32, "i1"), out=signed)
        return signed
