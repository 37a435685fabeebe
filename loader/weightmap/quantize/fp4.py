"""Encoders of MXFP4 and NVFP4: each value becomes the E2M1 number nearest to it, times the scale of its group."""

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
    beyond = np.flatnonzero(size.max(axis=1) > np.float32(32) * scale[:, 0])
    if beyond.size:
        codes[beyond] = _by_distance(size[beyond], scale[beyond])
    codes[(values < 0) & (codes > 0)] += 8
    return codes


def _by_distance(size: Floats, scale: Floats) -> Codes:
    """The same where values lie far above all code values, in float32: distances that round to the same are as near."""
    codes, least = np.zeros(size.shape, np.uint8), size.copy()
    for code, magnitude in enumerate(grid("kvalues_e2m1_x2").astype(np.float32)[:8]):
        distance = np.abs(scale * magnitude - size)
        closer = distance < least
        codes[closer], least[closer] = code, distance[closer]
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


def unsigned_e4m3(values: Floats) -> Codes:
    """The byte of unsigned E4M3 nearest to each value, halves upwards; 448 from 256 on, 0 for what is not above zero."""
    value = np.minimum(values, np.float32(448))
    bits = value.view(np.uint32)
    # exponent and three bits of the fraction, and the next bit added to them: a carry goes on into the exponent
    rounded = ((bits >> np.uint32(20)) + ((bits >> np.uint32(19)) & np.uint32(1))).astype(np.int32) - (120 << 3)
    small = np.minimum(value * np.float32(512) + np.float32(0.5), np.float32(7)).astype(np.int32)
    below = bits >> np.uint32(23) <= 120  # subnormal in eight bits
    normal = np.where(rounded < 15 << 3, rounded, 0x7E)  # as in ggml, which takes the largest for all from 256 on
    return np.where(value > 0, np.where(below, small, normal), 0).astype(np.uint8)


class NVFP4(Encoder):
    """The largest magnitude of 16 values becomes the largest code, as nearly as the scale's eight bits allow."""

    type, elements = "NVFP4", 64

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        groups = values.reshape(-1, 16)
        scale = unsigned_e4m3(np.abs(groups).max(axis=1) / np.float32(6))
        codes = nearest_e2m1(groups, grid("nvfp4_scale_half")[scale][:, None])
        blocks[:, :4] = scale.reshape(-1, 4)
        blocks[:, 4:] = nibbles(codes.reshape(-1, 64), 8)
