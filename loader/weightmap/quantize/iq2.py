"""Encoders of IQ2_S, IQ2_XS and IQ2_XXS: eight magnitudes share an index into a grid."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Encoder, WeightedEncoder, lanes, stored_half
from weightmap.quantize.grid_search import Plan, multiples, points
from weightmap.quantize.importance import mean_squares, weighted
from weightmap.quantize.positive import positive_scales
from weightmap.quantize.signs import even, of_eight, sevens, words
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


class IQ2_S(Encoder):
    """Every value has a sign of its own; errors count by its square and half the mean square of the block."""

    type, elements, slow = "IQ2_S", 256, True
    plan = Plan("iq2s", 1, 9, 0.1, 1e-8)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 16, work), len(blocks)
        level = np.float32(0.25) * mean_squares(values, 2, work)
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


class IQ2_XS(WeightedEncoder):
    """Of eight signs seven are stored with the index; 16 values share a scale."""

    type, elements = "IQ2_XS", 256
    plan = Plan("iq2xs", 2, 9, 0.1, 1e-15)

    def write(self, values: Floats, importance: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 16, work), len(blocks)
        weights = weighted(values, importance, 16, 1, work)
        size, signs = even(x, weights)
        found = points(size, weights, self.plan, work)
        both = found.points | sevens(signs, found.turned).astype(np.intp) << 9
        both[:, found.empty] = 0
        d, codes = multiples(found.scale.reshape(n, 16), 1)
        stored_half(blocks, 0, d)
        blocks[:, 2:66] = both.T.reshape(n, 32).astype("<u2").view(np.uint8)
        blocks[:, 66:] = codes[:, 0::2] | codes[:, 1::2] << 4
        blocks[d == 0] = 0


class IQ2_XXS(WeightedEncoder):
    """Four indices, four times seven signs and a scale in 64 bits; tries lie around the best scale without a grid."""

    type, elements = "IQ2_XXS", 256
    plan = Plan("iq2xxs", 2, 6, 0.1, 1e-15, anew=True)

    def write(self, values: Floats, importance: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 32, work), len(blocks)
        weights = weighted(values, importance, 32, 1, work)
        size, signs = even(x, weights)
        found = points(size, weights, self.plan, work, positive_scales(size, weights, 4))
        found.points[:, found.empty], signs[:, found.empty] = 0, 0
        d, codes = multiples(found.scale.reshape(n, 8), 1)
        stored_half(blocks, 0, d)
        pairs = np.empty((n * 8, 2), "<u4")
        pairs[:, 0] = (found.points.astype("<u4") << np.arange(0, 32, 8, dtype=np.uint32)[:, None]).sum(axis=0)
        pairs[:, 1] = words(signs, found.turned, codes)
        blocks[:, 2:] = pairs.view(np.uint8).reshape(n, 64)
        blocks[d == 0] = 0
