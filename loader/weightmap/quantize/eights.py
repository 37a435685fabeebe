"""Encoders of codes of eight bits: Q8_0, and Q8_1 and Q8_K, which ggml quantizes activations to, with sums of the codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.base import Encoder, inverse, lanes, nearest_whole, peak, rounded, settled, stored_half
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


def _written(values: Floats, blocks: Blocks, at: int, work: Workspace) -> tuple[Floats, NDArray[np.int8]]:
    """Write d = largest magnitude / 127 in front and the codes from byte `at` on; gives both, (n,) and (n, elements)."""
    d = np.abs(values).max(axis=1) / np.float32(127)
    factor = inverse(d)
    codes: Floats = work.array("encode codes", values.shape, np.float32)
    whole = rounded(settled(np.multiply(values, factor[:, None], out=codes), factor)).astype(np.int8)
    stored_half(blocks, 0, d)
    blocks[:, at:] = whole.view(np.uint8)
    return d, whole


class Q8_0(Encoder):
    """d = largest magnitude / 127."""

    type, elements = "Q8_0", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        _written(values, blocks, 2, work)


class Q8_1(Encoder):
    """The same; before the codes their sum, times d."""

    type, elements = "Q8_1", 32

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        d, codes = _written(values, blocks, 4, work)
        stored_half(blocks, 2, codes.sum(axis=1, dtype=np.int32).astype(np.float32) * d)


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
