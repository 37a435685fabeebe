"""Encoders of Q4_K and Q5_K: eight groups of 32 with a scale and a minimum each, as 6-bit multiples of two halves."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import (
    Codes,
    Encoder,
    bit_planes,
    in_order,
    lanes,
    nearest,
    nibbles,
    settled,
    stored_half,
    total,
)
from weightmap.quantize.search import Plan, scales_and_minima
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


def multiples(parts: Floats, most: int) -> tuple[Floats, Floats]:
    """(unit, multiples) of non-negative numbers (n, groups): the largest of a block becomes `most`. Unit float32 (n,)."""
    largest = np.maximum(parts.max(axis=1), np.float32(0))
    factor = np.divide(np.float32(most), largest, out=np.zeros_like(largest), where=largest > 0)
    return largest / np.float32(most), nearest(factor[:, None] * parts, 0, most)


def final_codes(
    x: Floats, weights: Floats, plan: Plan, parts: tuple[Floats, Floats, Floats, Floats], work: Workspace
) -> Floats:
    """The codes nearest with scales and minima as they will be read: (d, multiples of d, dmin, multiples of dmin).

    A group whose scale is stored as 0 keeps the codes of the search, although they have no effect. Lanes, in the workspace.
    """
    d, scales, dmin, minima = parts
    scale, minimum = (d[:, None] * scales).reshape(-1), (dmin[:, None] * minima).reshape(-1)
    codes = work.array("encode final", x.shape, np.float32)
    np.add(x, minimum, out=codes)
    np.divide(codes, np.where(scale == 0, np.float32(1), scale), out=codes)
    nearest(settled(codes, scale + minimum), 0, plan.most)
    idle = np.flatnonzero(scale == 0)
    if idle.size:
        kept = np.empty((len(x), idle.size), np.float32)
        own_x, own_weights = (np.ascontiguousarray(part[:, idle]) for part in (x, weights))
        scales_and_minima(own_x, own_weights, plan, work, kept)
        codes[:, idle] = kept
    return codes


def _write(values: Floats, blocks: Blocks, plan: Plan, work: Workspace) -> Codes:
    """Store d, dmin and the packed scales and minima; gives the codes, uint8 (n, 256)."""
    x = lanes(values, 32, work)
    weights = work.array("encode weights", x.shape, np.float32)
    np.multiply(x, x, out=weights)
    level = np.sqrt(total(weights) / np.float32(32))
    np.add(np.abs(x, out=weights), level, out=weights)
    found = [part.reshape(-1, 8) for part in scales_and_minima(x, weights, plan, work)]
    (d, scales), (dmin, minima) = (multiples(part, 63) for part in found)
    parts = stored_half(blocks, 0, d), scales, stored_half(blocks, 2, dmin), minima
    blocks[:, 4:16] = _packed(scales.astype(np.uint8), minima.astype(np.uint8))
    return in_order(final_codes(x, weights, plan, parts, work), 256)


def _packed(scales: Codes, minima: Codes) -> Codes:
    """Eight 6-bit scales and minima in 12 bytes: the upper two bits of the last four lie above the first four."""
    first = scales[:, :4] | (scales[:, 4:] >> 4) << 6
    second = minima[:, :4] | (minima[:, 4:] >> 4) << 6
    return np.concatenate([first, second, scales[:, 4:] & 15 | (minima[:, 4:] & 15) << 4], axis=1)


class Q4_K(Encoder):
    """Codes of four bits."""

    type, elements = "Q4_K", 256
    plan = Plan(15, -1.0, 0.1, 20)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        blocks[:, 16:] = nibbles(_write(values, blocks, self.plan, work), 32)


class Q5_K(Encoder):
    """Codes of five bits."""

    type, elements = "Q5_K", 256
    plan = Plan(31, -0.5, 0.1, 15)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        codes = _write(values, blocks, self.plan, work)
        blocks[:, 16:48] = bit_planes(codes >> 4)
        blocks[:, 48:] = nibbles(codes & 15, 32)
