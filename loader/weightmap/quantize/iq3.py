"""Encoders of IQ3_S and IQ3_XXS: four magnitudes share an index into a grid, 32 values a scale of four bits."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Encoder, lanes, stored_half
from weightmap.quantize.grid_search import Plan, multiples, points
from weightmap.quantize.signs import even, of_eight, words
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace

TINIEST = float(np.finfo(np.float32).smallest_subnormal)


class IQ3_S(Encoder):
    """Every value has a sign of its own; errors count by the square of the value.

    As in ggml, index bytes and signs of 32 zeros are left out where others follow: those of the groups behind move up, and are
    read for the wrong values.
    """

    type, elements, slow = "IQ3_S", 256, True
    plan = Plan("iq3s", 3, 9, 0.2, TINIEST, anew=True)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 32, work), len(blocks)
        found = points(np.abs(x), x * x, self.plan, work)
        index, signs = found.points.T.reshape(n, 8, 8), of_eight(x, found.turned).T.reshape(n, 8, 4)
        empty = found.empty.reshape(n, 8)
        index[empty], signs[empty] = 0, 0
        moved = np.argsort(empty, axis=1, kind="stable")[:, :, None]
        d, codes = multiples(found.scale.reshape(n, 8), 1.033)
        stored_half(blocks, 0, d)
        blocks[:, 2:66] = np.take_along_axis(index, moved, axis=1).reshape(n, 64) & 255
        blocks[:, 66:74] = np.packbits(index >> 8, axis=2, bitorder="little").reshape(n, 8)
        blocks[:, 74:106] = np.take_along_axis(signs, moved, axis=1).reshape(n, 32)
        blocks[:, 106:] = codes[:, 0::2] | codes[:, 1::2] << 4


class IQ3_XXS(Encoder):
    """Of eight signs seven are stored, and the value that matters least gets the wrong one where the number of minus is odd."""

    type, elements, slow = "IQ3_XXS", 256, True
    plan = Plan("iq3xxs", 2, 15, 0.2, 1e-8)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 32, work), len(blocks)
        weights = x * x
        size, signs = even(x, weights)
        found = points(size, weights, self.plan, work)
        found.points[:, found.empty], signs[:, found.empty] = 0, 0
        d, codes = multiples(found.scale.reshape(n, 8), 1.0125)
        stored_half(blocks, 0, d)
        blocks[:, 2:66] = found.points.T.reshape(n, 64)
        blocks[:, 66:] = words(signs, found.turned, codes).view(np.uint8).reshape(n, 32)
        blocks[d == 0] = 0
