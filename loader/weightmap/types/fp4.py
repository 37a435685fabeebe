"""Blocks of 4-bit floats (E2M1) with one-byte scales: MXFP4 and NVFP4.

Code values are doubled so that they are whole numbers, and scales halved to make up for it. Code 8 would be -0, but ggml
holds doubled values as int8: it decodes to +0.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Floats, gathered, looked_up, quiet, scaled
from weightmap.types.float8 import F8_E8M0
from weightmap.types.grids import grid
from weightmap.types.nibbles import nibble_values
from weightmap.types.workspace import Workspace


@cache
def exponents() -> Floats:
    """2^(e - 127) of every byte e, and NaN for 255: float32 (256,)."""
    return F8_E8M0().values()


class MXFP4(StoredType):
    """x = code value * 2^(e - 127): one exponent byte per 32 elements."""

    name, id, elements, bytes = "MXFP4", 39, 32, 17
    scales = (("e", 0, "E8M0"),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: e; 1: 16 bytes, low nibbles before high nibbles."""
        n = len(blocks)
        nibble_values("kvalues_e2m1_x2", gathered(blocks, 1, 16, work, ".packed"), 16, out, work)
        scale = work.array(".scale", (n, 1), np.float32)
        looked_up(grid("mxfp4_scale_half"), gathered(blocks, 0, 1, work, ".exponent"), scale, work)
        scaled(out, scale, out)

    def block_scales(self, blocks: Blocks, work: Workspace) -> Floats:
        """2^(e - 127), and NaN for 255, which is no exponent; ggml computes on with it."""
        scale = work.array(".scale", (len(blocks), 1), np.float32)
        looked_up(exponents(), gathered(blocks, 0, 1, work, ".exponent"), scale, work)
        return scale


class NVFP4(StoredType):
    """x = code value * scale: an unsigned E4M3 scale per 16 elements.

    Files made by ModelOpt hold one more factor in a tensor of its own; that is not a matter of the block.
    """

    name, id, elements, bytes = "NVFP4", 40, 64, 36

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: four scale bytes; 4: 32 bytes, eight per group of 16, low nibbles before high nibbles."""
        n = len(blocks)
        nibble_values("kvalues_e2m1_x2", gathered(blocks, 4, 32, work, ".packed"), 8, out, work)
        scale = work.array(".scale", (n, 4), np.float32)
        looked_up(grid("nvfp4_scale_half"), gathered(blocks, 0, 4, work, ".scales"), scale, work)
        scaled(out, scale, out)
