"""Encoder of MXFP4: an exponent for 32 values, each of which becomes the nearest E2M1 number times that power of two."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Codes, Encoder, nibbles
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.grids import grid
from weightmap.types.workspace import Workspace

MIDDLES = (0.5, 1.5, 2.5, 3.5, 5.0, 7.0, 10.0)  # between the doubled magnitudes 0 1 2 3 4 6 8 12


def nearest_e2m1(values: Floats, scale: Floats) -> Codes:
    """The code of the doubled E2M1 number nearest to value / scale, the smaller of two as near: uint8 in their shape.

    A negative value that is nearest to zero gets the code of +0. `scale` has one column.
    """
    size = np.abs(values)
    codes = np.zeros(values.shape, np.uint8)
    for middle in MIDDLES:
        codes += size > scale * np.float32(middle)
    codes[(values < 0) & (codes > 0)] += 8
    return codes


class MXFP4(Encoder):
    """The exponent is that of the largest magnitude, less the 2 that the largest code has itself."""

    type, elements = "MXFP4", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        largest = np.abs(values).max(axis=1)
        # in double precision and rounded: the logarithm of a value just below a power of two may round up to it
        power = np.log2(largest, dtype=np.float64, where=largest > 0, out=np.zeros(len(largest))).astype(np.float32)
        exponent = np.where(largest > 0, np.floor(power) + np.float32(125), 0).astype(np.int32).astype(np.uint8)
        blocks[:, 0] = exponent
        blocks[:, 1:] = nibbles(nearest_e2m1(values, grid("mxfp4_scale_half")[exponent][:, None]), 16)
