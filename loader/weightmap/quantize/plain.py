"""Encoders of the plain float types: a rounding of each value. They take NaN and Inf as they come."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Encoder
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


class F32(Encoder):
    """The values as they are."""

    type, elements, finite = "F32", 1, False

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        blocks[...] = values.astype("<f4", copy=False).view(np.uint8)


class F16(Encoder):
    """To the nearest half, ties to even; what is too large becomes Inf."""

    type, elements, finite = "F16", 1, False

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        blocks[...] = values.astype("<f2").view(np.uint8)


class BF16(Encoder):
    """To the nearest upper half of a float32, ties to even; a NaN stays one, made quiet."""

    type, elements, finite = "BF16", 1, False

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        bits = values.view(np.uint32)
        upper = bits >> np.uint32(16)
        stored = (bits + (np.uint32(0x7FFF) + (upper & np.uint32(1)))) >> np.uint32(16)
        missing = np.isnan(values)
        if missing.any():
            stored = np.where(missing, upper | np.uint32(64), stored)
        blocks[...] = stored.astype("<u2").view(np.uint8)
