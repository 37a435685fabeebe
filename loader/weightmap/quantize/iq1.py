"""Encoders of IQ1_M and IQ1_S: eight values of -1, 0 and 1 are a point of a grid, and are moved by an eighth up or down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.base import Encoder, WeightedEncoder, lanes, stored_half, total
from weightmap.quantize.cuts import SHIFT, Cut, by_halves, together
from weightmap.quantize.grid_search import whole
from weightmap.quantize.importance import weighted
from weightmap.quantize.lattice import lattice
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace

Ints = NDArray[Any]


class _Points:
    """The points of a grid for cut values.

    index  of each run of eight, intp (runs, groups); 0 in groups of zeros
    values  of all elements, (elements, groups)
    scale  float32 (groups,), that of least squares where a run had to be moved to the grid; 0 in groups of zeros
    """

    def __init__(self, x: Floats, weights: Floats, found: Cut, up: Floats, least: float, work: Workspace) -> None:
        """`up` is how far each run is moved (runs, groups); groups below `least` are taken for zeros."""
        on = lattice("iq1s", 3)
        runs, groups = up.shape
        empty = (np.abs(x).max(axis=0) < np.float32(least)) | (found.shifts < 0)
        steps = on.levels ** np.arange(8)
        self.index = on.index[((found.levels + 1).reshape(runs, 8, groups) * steps[:, None]).sum(axis=1)]
        flat = self.index.reshape(-1)
        off = np.flatnonzero(flat < 0)
        moved = (self.index < 0).any(axis=0)
        if off.size:
            by_run = [
                np.ascontiguousarray(part.reshape(runs, 8, groups).swapaxes(1, 2)).reshape(-1, 8)
                for part in (x, weights)
            ]
            scale = found.scale, off % groups
            flat[off] = on.all.closest(-1 - flat[off], (by_run[0], off), by_run[1], scale, work, up.reshape(-1)[off])
        self.index[:, empty] = 0
        values = on.values[self.index] + up[:, :, None]
        self.values: Floats = np.ascontiguousarray(values.swapaxes(1, 2)).reshape(x.shape)
        qx, qq = total(weights * self.values * x), total(weights * self.values * self.values)
        better = moved & (qx > 0) & (qq > 0)
        self.scale = np.where(empty, np.float32(0), np.where(better, qx / qq, found.scale))


def _multiples(scales: Floats) -> tuple[Floats, Ints]:
    """(unit, codes 0 to 7) of scales (n, groups), which are unit * (2 * code + 1)."""
    d = scales.max(axis=1) / np.float32(15)
    return d, whole(np.float32(0.5) * ((np.float32(1) / d)[:, None] * scales - np.float32(1)), 7)


class IQ1_M(Encoder):
    """Errors count by the square of the value; the scale of the block is that with the smallest error over all of it."""

    type, elements, slow = "IQ1_M", 256, True

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 16, work), len(blocks)
        weights = x * x
        found = by_halves(x, weights)
        shifts = np.maximum(found.shifts, 0)
        shifts[np.abs(x).max(axis=0) < np.float32(1e-7)] = 0
        down = np.stack([shifts >= 2, shifts % 2 == 1])
        points = _Points(x, weights, found, np.where(down, -SHIFT, SHIFT), 1e-7, work)
        scales = points.scale.reshape(n, 16)
        d, codes = _multiples(scales)
        q = points.values * (2 * codes + 1).astype(np.float32).reshape(-1)
        qx, qq = (self._over_blocks(part, n) for part in (weights * q * x, weights * q * q))
        d = np.where(qq > 0, qx / qq, d) * np.float32(1.1125)
        some = scales.max(axis=1) > 0
        high = (points.index >> 8) | (down & np.repeat(some, 16)) << 3
        blocks[:, :32] = points.index.T.reshape(n, 32) & 255
        blocks[:, 32:48] = (high[0] | high[1] << 4).reshape(n, 16)
        words = (codes.reshape(n, 4, 4) << np.arange(0, 12, 3)).sum(axis=2)
        half = d.astype(np.float16).view(np.uint16)[:, None].astype(np.intp)
        words |= (half >> np.arange(0, 16, 4) & 15) << 12
        words[~some] = 0
        blocks[:, 48:] = words.astype("<u2").view(np.uint8)

    def _over_blocks(self, terms: Floats, n: int) -> Floats:
        """Sums over the 256 elements of each block, added up in their order, of terms (16, groups)."""
        return total(np.ascontiguousarray(terms.reshape(16, n, 16).transpose(2, 0, 1)).reshape(256, n))


class IQ1_S(WeightedEncoder):
    """All 32 values of a group are moved the same way."""

    type, elements = "IQ1_S", 256

    def write(self, values: Floats, importance: Floats, blocks: Blocks, work: Workspace) -> None:
        x, n = lanes(values, 32, work), len(blocks)
        weights = weighted(values, importance, 32, 2, work)
        found = together(x, weights)
        down = (found.shifts == 1) & (np.abs(x).max(axis=0) >= np.float32(1e-12))
        up = np.broadcast_to(np.where(down, -SHIFT, SHIFT), (4, len(down)))
        points = _Points(x, weights, found, up, 1e-12, work)
        d, codes = _multiples(points.scale.reshape(n, 8))
        stored_half(blocks, 0, d * np.float32(1.125))
        blocks[:, 2:34] = points.index.T.reshape(n, 32) & 255
        words = ((points.index >> 8) << np.arange(0, 12, 3)[:, None]).sum(axis=0)
        words |= (codes.reshape(-1) | down << 3) << 12 & -np.repeat(d > 0, 8).astype(np.intp)
        blocks[:, 34:] = words.astype("<u2").reshape(n, 8).view(np.uint8)
