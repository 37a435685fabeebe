"""Encoders of IQ4_NL and IQ4_XS: 16 code values that lie closer together around zero, and a search for the scale.

A scale is tried for each of some ways to make the largest value a code value, or one a little beside it; for the codes that
this gives the best scale follows by least squares, each value weighted with its square, and the one with the smallest error
is kept.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.base import Codes, Encoder, in_order, inverse, lanes, nearest, nibbles, peak, stored_half, total
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.grids import grid
from weightmap.types.workspace import Workspace

TRIES = 7  # on both sides
TINY = np.float32(1e-15)  # groups below it are taken for zeros
_ENDS = -256, 255  # twice the values that the tables tell apart: all beyond have the first or the last code


@cache
def _tables() -> tuple[Codes, Floats]:
    """(code, its value) of everything from -128 to 127.5 in steps of a half, for the middles all lie on such a step."""
    values = grid("kvalues_iq4nl").astype(np.float32)
    middles = (values[1:] + values[:-1]) / 2
    codes = np.searchsorted(middles, np.arange(_ENDS[0], _ENDS[1] + 1) / 2, side="right").astype(np.uint8)
    return codes, values[codes]


def _places(x: Floats, factor: Floats, work: Workspace) -> NDArray[np.intp]:
    """Where in the tables x * factor is looked up."""
    scaled = work.array("encode scaled", x.shape, np.float32)
    np.multiply(x, factor * np.float32(2), out=scaled)
    np.floor(scaled, out=scaled)
    np.maximum(np.fmin(scaled, np.float32(_ENDS[1]), out=scaled), np.float32(_ENDS[0]), out=scaled)  # NaN: the last
    np.subtract(scaled, np.float32(_ENDS[0]), out=scaled)
    places = work.array("encode places", x.shape, np.intp)
    np.copyto(places, scaled, casting="unsafe")
    return places


def _codes(x: Floats, factor: Floats, work: Workspace) -> Codes:
    """The code whose value is nearest to x * factor, the larger of two as near: uint8 in lanes."""
    return _tables()[0][_places(x, factor, work)]


def best_scales(x: Floats, work: Workspace) -> Floats:
    """The scale of each column of 32 values: float32 (groups,)."""
    weights, weighted = (work.array(f"encode {name}", x.shape, np.float32) for name in ("weights", "weighted"))
    values, term = (work.array(f"encode {name}", x.shape, np.float32) for name in ("values", "term"))
    largest = peak(x)
    empty = np.abs(largest) < TINY
    largest[empty] = 1
    lowest = grid("kvalues_iq4nl").astype(np.float32)[0]
    np.multiply(x, x, out=weights)

    def sums(factor: Floats) -> tuple[Floats, Floats]:
        """(sum of w q x, sum of w q q) for the code values q nearest to x * factor."""
        np.take(_tables()[1], _places(x, factor, work), out=values, mode="clip")
        np.multiply(weights, values, out=weighted)
        qx = total(np.multiply(weighted, x, out=term))
        return qx, total(np.multiply(weighted, values, out=term))

    qx, qq = sums(np.float32(1) / (-largest / lowest))
    scale = qx / qq
    best = scale * qx
    for step in range(-TRIES, TRIES + 1):
        qx, qq = sums((np.float32(step) + lowest) / largest)
        better = (qq > 0) & (qx * qx > best * qq)
        scale = np.where(better, qx / qq, scale)
        best = np.where(better, scale * qx, best)
    scale[empty] = 0
    return scale


class IQ4_NL(Encoder):
    """One scale for 32 values; the codes are those nearest with the scale before it is rounded to a half."""

    type, elements = "IQ4_NL", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x = lanes(values, 32, work)
        scales = best_scales(x, work)
        stored_half(blocks, 0, scales)
        blocks[:, 2:] = nibbles(in_order(_codes(x, inverse(scales), work), 32), 16)


class IQ4_XS(Encoder):
    """Scales of 32 values as 6-bit multiples of a half: that of the largest scale is -32."""

    type, elements = "IQ4_XS", 256

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x = lanes(values, 32, work)
        scales = best_scales(x, work).reshape(-1, 8)
        d = -peak(np.ascontiguousarray(scales.T)) / np.float32(32)
        six = nearest(inverse(d)[:, None] * scales, -32, 31)
        stored_half(blocks, 0, d)
        codes = _codes(x, inverse(d[:, None] * six).reshape(-1), work)
        stored = (six + np.float32(32)).astype(np.uint8)
        blocks[:, 2:4] = _high_bits(stored)
        blocks[:, 4:8] = stored[:, 0::2] & 15 | (stored[:, 1::2] & 15) << 4
        blocks[:, 8:] = nibbles(in_order(codes, 256), 16)


def _high_bits(stored: Codes) -> Codes:
    """The two upper bits of eight 6-bit scales, lowest first, in two bytes."""
    four = (stored >> 4).reshape(-1, 4)
    return (four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6).reshape(-1, 2)
