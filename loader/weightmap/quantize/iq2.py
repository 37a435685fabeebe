"""Encoder of IQ2_S: eight magnitudes share an index into a grid, 16 values a scale of four bits."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Encoder, lanes, stored_half, total
from weightmap.quantize.grid_search import Plan, multiples, points
from weightmap.quantize.signs import of_eight
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


def mean_squares(values: Floats, work: Workspace) -> Floats:
    """The sum of the squares of each block, times 2 / 256: float32 (n,)."""
    x = lanes(values, 256, work, "encode squares")
    return np.float32(2) * total(np.multiply(x, x, out=x)) / np.float32(256)


class IQ2_S(Encoder):
    """Every value has a sign of its own; errors count by its square and half the mean square of the block."""

    type, elements, slow = "IQ2_S", 256, True
    plan = Plan("iq2s", 1, 9, 0.1, 1e-8)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 16, work), len(blocks)
        level = np.float32(0.25) * mean_squares(values, work)
        found = points(np.abs(x), np.repeat(level, 16) + x * x, self.plan, work)
        index, signs = found.points, of_eight(x, found.turned)
        index[:, found.empty], signs[:, found.empty] = 0, 0
        index = index.T.reshape(n, 8, 4)
        d, codes = multiples(found.scale.reshape(n, 16), 0.9875)
        stored_half(blocks, 0, d)
        blocks[:, 2:34] = index.reshape(n, 32) & 255
        blocks[:, 34:66] = signs.T.reshape(n, 32)
        blocks[:, 66:74] = ((index >> 8) << np.arange(0, 8, 2)).sum(axis=2)
        blocks[:, 74:] = codes[:, 0::2] | codes[:, 1::2] << 4
