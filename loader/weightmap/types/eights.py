"""Blocks of 8-bit codes: Q8_0 for weights, Q8_1 and Q8_K as ggml uses them for activations and rarely stores them."""

from __future__ import annotations

import numpy as np

from weightmap.types.anatomy import Coding, Field, codes_at, half_scale
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import column, half, quiet, scaled
from weightmap.types.workspace import Workspace


class Signed(CodedType):
    """What those with signed bytes share. Codes are shown as they are meant, -128 to 127; quantizers stop at -127."""

    formula, levels, first_code, ends = "d × code", range(-128, 128), -128, (-127, 127)
    codes_offset: int

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Signed bytes."""
        return Coding(blocks[:, self.codes_offset : self.codes_offset + self.elements].view(np.int8))


class Q8_0(Signed):
    """x = code * d."""

    name, id, elements, bytes = "Q8_0", 8, 32, 34
    fields, codes_offset = ((0, 2),), 2
    scales = (("d", 0, "<f2"),)
    anatomy = (half_scale(0), codes_at(2, 32, "codes, signed bytes"))

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 32 signed bytes."""
        scaled(blocks[:, 2:].view(np.int8), half(blocks, 0, work, ".d"), out)


class Q8_1(Signed):
    """x = code * d; the block also holds d times the sum of its codes, which adds nothing."""

    name, id, elements, bytes = "Q8_1", 9, 32, 36
    fields, codes_offset = ((0, 2), (2, 2)), 4
    scales = (("d", 0, "<f2"),)
    anatomy = (
        half_scale(0),
        Field("s", 2, 2, "unused", "sum of the codes times the scale, float16"),
        codes_at(4, 32, "codes, signed bytes"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: the sum; 4: 32 signed bytes."""
        scaled(blocks[:, 4:].view(np.int8), half(blocks, 0, work, ".d"), out)


class Q8_K(Signed):
    """x = d * code with a float32 scale; the sums of each 16 codes that follow add nothing."""

    name, id, elements, bytes = "Q8_K", 15, 256, 292
    fields, codes_offset = ((0, 4), *((260 + 2 * i, 2) for i in range(16))), 4
    scales = (("d", 0, "<f4"),)
    anatomy = (
        Field("d", 0, 4, "scale", "block scale, float32"),
        codes_at(4, 256, "codes, signed bytes"),
        Field("sums", 260, 32, "unused", "sums of 16 codes each, 16 bits"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d as float32; 4: 256 signed bytes; 260: 16 sums of 16 bits."""
        scale = work.array(".d", (len(blocks), 1), np.float32)
        scale[...] = column(blocks, 0, "<f4")
        scaled(blocks[:, 4:260].view(np.int8), scale, out)
