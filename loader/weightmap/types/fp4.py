"""Blocks of 4-bit floats (E2M1) with one-byte scales: MXFP4 and NVFP4.

Code values are doubled so that they are whole numbers, and scales halved to make up for it. Code 8 would be -0, but ggml
holds doubled values as int8: it decodes to +0.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.anatomy import Coding, Field, Scaling, codes_at, sub_scales
from weightmap.types.base import Blocks, Values
from weightmap.types.coded import CodedType
from weightmap.types.fields import Floats, gathered, looked_up, quiet
from weightmap.types.float8 import F8_E8M0
from weightmap.types.grids import grid
from weightmap.types.nibbles import nibble_values, runs_of_nibbles
from weightmap.types.workspace import Workspace


@cache
def exponents() -> Floats:
    """2^(e - 127) of every byte e, and NaN for 255: float32 (256,)."""
    return F8_E8M0().values()


class MXFP4(CodedType):
    """x = code value * 2^(e - 127): one exponent byte per 32 elements."""

    name, id, elements, bytes = "MXFP4", 39, 32, 17
    scales = (("e", 0, "E8M0"),)
    formula, levels = "scale × value", "kvalues_e2m1_x2"
    anatomy = (
        Field("e", 0, 1, "scale", "exponent of the scale, E8M0; the scale is halved, the values of codes are doubled"),
        codes_at(1, 16, "codes, E2M1"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: e; 1: 16 bytes, low nibbles before high nibbles."""
        packed = gathered(blocks, 1, 16, work, ".packed")
        nibble_values("kvalues_e2m1_x2", packed, 16, self._scales(blocks, work), out, work)

    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """Half of 2^(e - 127), as ggml computes it for every byte."""
        return Scaling(self._scales(blocks, work), None, blocks[:, :1])

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        return Coding(runs_of_nibbles(blocks[:, 1:], 16))

    def _scales(self, blocks: Blocks, work: Workspace) -> Floats:
        scale = work.array(".scale", (len(blocks), 1), np.float32)
        looked_up(grid("mxfp4_scale_half"), gathered(blocks, 0, 1, work, ".exponent"), scale, work)
        return scale

    def block_scales(self, blocks: Blocks, work: Workspace) -> Floats:
        """2^(e - 127), and NaN for 255, which is no exponent; ggml computes on with it."""
        scale = work.array(".scale", (len(blocks), 1), np.float32)
        looked_up(exponents(), gathered(blocks, 0, 1, work, ".exponent"), scale, work)
        return scale


class NVFP4(CodedType):
    """x = code value * scale: an unsigned E4M3 scale per 16 elements.

    Files made by ModelOpt hold one more factor in a tensor of its own; that is not a matter of the block.
    """

    name, id, elements, bytes = "NVFP4", 40, 64, 36
    groups, formula, levels = 4, "scale × value", "kvalues_e2m1_x2"
    anatomy = (
        sub_scales(0, 4, "scales, E4M3 without sign; scales are halved, the values of codes are doubled"),
        codes_at(4, 32, "codes, E2M1"),
    )

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: four scale bytes; 4: 32 bytes, eight per group of 16, low nibbles before high nibbles."""
        packed = gathered(blocks, 4, 32, work, ".packed")
        nibble_values("kvalues_e2m1_x2", packed, 8, self._scales(blocks, work), out, work)

    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """Half of the scale of 16 elements."""
        return Scaling(self._scales(blocks, work), None, blocks[:, :4])

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Nibbles."""
        return Coding(runs_of_nibbles(blocks[:, 4:], 8))

    def _scales(self, blocks: Blocks, work: Workspace) -> Floats:
        scale = work.array(".scale", (len(blocks), 4), np.float32)
        looked_up(grid("nvfp4_scale_half"), gathered(blocks, 0, 4, work, ".scales"), scale, work)
        return scale
