"""The I-quants with nibbles: IQ4_NL and IQ4_XS, whose 16 code values lie closer together around zero."""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import column, gathered, half, looked_up, quiet
from weightmap.types.grids import nibble_tables
from weightmap.types.workspace import Workspace


class IQ4_NL(StoredType):
    """x = d * value of the code, 32 elements."""

    name, id, elements, bytes = "IQ4_NL", 20, 32, 18
    fields = ((0, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 16 bytes, low nibbles before high nibbles."""
        n = len(blocks)
        packed = gathered(blocks, 2, 16, work, ".packed")
        codes = work.array(".codes", (2, n, 16), np.int8)
        for which, table in enumerate(nibble_tables("kvalues_iq4nl")):
            looked_up(table, packed, codes[which], work)
            np.copyto(out.reshape(n, 2, 16)[:, which], codes[which])
        np.multiply(out, half(blocks, 0, work, ".d"), out=out)


class IQ4_XS(StoredType):
    """x = (d * (scale - 32)) * value of the code: a 6-bit scale per 32 elements."""

    name, id, elements, bytes = "IQ4_XS", 23, 256, 136
    fields = ((0, 2), (2, 2))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: two high bits of each scale; 4: four low bits; 8: 128 bytes, 16 per group."""
        n = len(blocks)
        packed = gathered(blocks, 8, 128, work, ".packed")
        codes = work.array(".codes", (2, n, 8, 16), np.int8)
        for which, table in enumerate(nibble_tables("kvalues_iq4nl")):
            looked_up(table, packed, codes[which], work)
            np.copyto(out.reshape(n, 8, 2, 16)[:, :, which], codes[which])
        groups = out.reshape(n, 8, 32)
        np.multiply(groups, self._scales(blocks, work)[:, :, None], out=groups)

    def _scales(self, blocks: Blocks, work: Workspace) -> Values:
        n = len(blocks)
        six = work.array(".six", (n, 8), np.uint16)
        low = gathered(blocks, 4, 4, work, ".low")
        high = work.array(".high", (n, 1), np.uint16)
        high[...] = column(blocks, 2, "<u2")
        np.right_shift(high, np.arange(0, 16, 2, dtype=np.uint16), out=six)
        np.bitwise_and(six, 3, out=six)
        np.left_shift(six, 4, out=six)
        four = work.array(".four", (n, 4, 2), np.uint8)
        np.bitwise_and(low, 15, out=four[:, :, 0])
        np.right_shift(low, 4, out=four[:, :, 1])
        np.bitwise_or(six, four.reshape(n, 8), out=six)
        signed = six.view(np.int16)
        np.subtract(signed, 32, out=signed)
        scale = work.array(".scale", (n, 8), np.float32)
        np.copyto(scale, signed)
        np.multiply(scale, half(blocks, 0, work, ".d"), out=scale)
        return scale
