"""Encoders of the K-quants whose scales cover 16 elements: Q2_K, Q3_K and Q6_K."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import (
    Codes,
    Encoder,
    bit_pairs,
    bit_planes,
    in_order,
    inverse,
    lanes,
    nearest,
    nibbles,
    peak,
    settled,
    stored_half,
)
from weightmap.quantize.k_quants import final_codes, multiples
from weightmap.quantize.search import TINY, Plan, refined, scales, scales_and_minima
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


class Q2_K(Encoder):
    """Scale and minimum as 4-bit multiples of two halves; the search weighs errors, not their squares, with the value."""

    type, elements = "Q2_K", 256
    plan = Plan(3, -0.5, 0.1, 15, magnitude=True)

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x = lanes(values, 16, work)
        weights = work.array("encode weights", x.shape, np.float32)
        np.abs(x, out=weights)
        found = [part.reshape(-1, 16) for part in scales_and_minima(x, weights, self.plan, work)]
        (d, steps), (dmin, minima) = (multiples(part, 15) for part in found)
        parts = stored_half(blocks, 80, d), steps, stored_half(blocks, 82, dmin), minima
        blocks[:, :16] = steps.astype(np.uint8) | minima.astype(np.uint8) << 4
        blocks[:, 16:80] = bit_pairs(in_order(final_codes(x, weights, self.plan, parts, work), 256))


def _nearest_codes(x: Floats, scale: Floats, most: int, kept: Floats) -> Floats:
    """Codes -most to most - 1 nearest with a scale; `kept` where the scale is 0. In lanes."""
    idle = scale == 0
    codes: Floats = np.divide(x, np.where(idle, np.float32(1), scale))
    settled(nearest(codes, -most, most - 1), scale)
    np.copyto(codes, kept, where=idle)
    return codes


class Q3_K(Encoder):
    """Scales as 6-bit multiples of a half, that of the largest is -32; the codes of the search are refined one by one."""

    type, elements = "Q3_K", 256

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x = lanes(values, 16, work)
        found, kept = refined(x, 4, 5, work)
        found = found.reshape(-1, 16)
        largest = peak(np.ascontiguousarray(found.T))
        factor: Floats = np.divide(np.float32(-32), largest, out=np.zeros_like(largest), where=largest != 0)
        steps = nearest(factor[:, None] * found, -32, 31)
        d = stored_half(blocks, 108, inverse(factor))
        steps[largest == 0] = -32  # stored as zeros where the whole block is zero
        stored = (steps + np.float32(32)).astype(np.uint8)
        scale = d[:, None] * steps
        codes = in_order(_nearest_codes(x, scale.reshape(-1), 4, kept) + np.float32(4), 256)
        blocks[:, :32] = bit_planes(codes >> 2)
        blocks[:, 32:96] = bit_pairs(codes & 3)
        blocks[:, 96:104] = stored[:, :8] & 15 | (stored[:, 8:] & 15) << 4
        four = (stored >> 4).reshape(-1, 4, 4)
        blocks[:, 104:108] = four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6


class Q6_K(Encoder):
    """Scales as signed 8-bit multiples of a half, that of the largest is -128."""

    type, elements = "Q6_K", 256

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x = lanes(values, 16, work)
        found = scales(x, 32, 9, work).reshape(-1, 16)
        largest = peak(np.ascontiguousarray(found.T))
        empty = np.abs(largest) < TINY
        factor: Floats = np.divide(np.float32(-128), largest, out=np.zeros_like(largest), where=~empty)
        steps = nearest(factor[:, None] * found, -128, 127)
        d = stored_half(blocks, 208, inverse(factor))
        codes = self._codes(x, (d[:, None] * steps).reshape(-1), work)
        blocks[:, :128] = nibbles(codes & 15, 64)
        blocks[:, 128:192] = bit_pairs(codes >> 4)
        blocks[:, 192:208] = steps.astype(np.int8).view(np.uint8)
        blocks[empty] = 0

    def _codes(self, x: Floats, scale: Floats, work: Workspace) -> Codes:
        kept = np.zeros_like(x)
        idle = np.flatnonzero(scale == 0)
        if idle.size:
            own = np.empty((len(x), idle.size), np.float32)
            scales(np.ascontiguousarray(x[:, idle]), 32, 9, work, own)
            kept[:, idle] = own
        return in_order(_nearest_codes(x, scale, 32, kept) + np.float32(32), 256)
