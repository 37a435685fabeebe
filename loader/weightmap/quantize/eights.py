"""Encoders of Q8_1 and Q8_K, which ggml quantizes activations to: codes of eight bits and sums of them beside the scale."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Encoder, inverse, lanes, nearest_whole, peak, rounded, settled, stored_half
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


class Q8_1(Encoder):
    """d = largest magnitude / 127, as in Q8_0; then the sum of the codes, times d."""

    type, elements = "Q8_1", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        d = np.abs(values).max(axis=1) / np.float32(127)
        factor = inverse(d)
        codes: Floats = work.array("encode codes", values.shape, np.float32)
        rounded(settled(np.multiply(values, factor[:, None], out=codes), factor))
        whole = codes.astype(np.int8)
        stored_half(blocks, 0, d)
        stored_half(blocks, 2, whole.sum(axis=1, dtype=np.int32).astype(np.float32) * d)
        blocks[:, 4:] = whole.view(np.uint8)


class Q8_K(Encoder):
    """d = the value of largest magnitude / -127, as float32; then the codes, and the sums of 16 each."""

    type, elements = "Q8_K", 256

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        largest = peak(lanes(values, 256, work))
        empty = largest == 0
        factor = np.divide(np.float32(-127), largest, out=np.zeros_like(largest), where=~empty)
        codes: Floats = work.array("encode codes", values.shape, np.float32)
        whole = np.minimum(nearest_whole(np.multiply(values, factor[:, None], out=codes)), 127).astype(np.int8)
        blocks[:, :4] = inverse(factor).astype("<f4").view(np.uint8).reshape(-1, 4)
        blocks[:, 4:260] = whole.view(np.uint8)
        sums = whole.reshape(-1, 16, 16).sum(axis=2, dtype=np.int32).astype("<i2")
        blocks[:, 260:] = sums.view(np.uint8)
