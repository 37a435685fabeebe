"""Encoders of the ternary types: the scale is the largest magnitude, so a value is +-d where it is at least half of that."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Codes, Encoder, bit_pairs, inverse, rounded, settled, stored_half
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


def _digits(values: Floats, blocks: Blocks, offset: int, work: Workspace) -> Codes:
    """Store d at `offset`; gives 0, 1 or 2 for each element, uint8 (n, 256)."""
    d = np.abs(values).max(axis=1)
    factor = inverse(d)
    codes: Floats = work.array("encode codes", values.shape, np.float32)
    np.multiply(values, factor[:, None], out=codes)
    rounded(settled(codes, factor))
    stored_half(blocks, offset, d)
    return (codes + np.float32(1)).astype(np.uint8)


def _in_bytes(digits: Codes) -> Codes:
    """Five digits (n, 5, bytes) to a byte, as the fraction of 256 that they are of 243, rounded up."""
    number = np.zeros((len(digits), digits.shape[2]), np.uint16)
    for place in range(5):
        number = number * np.uint16(3) + digits[:, place]
    return ((number * np.uint16(256) + np.uint16(242)) // np.uint16(243)).astype(np.uint8)


class TQ1_0(Encoder):
    """Five digits of base three to a byte."""

    type, elements = "TQ1_0", 256

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        digits = _digits(values, blocks, 52, work)
        n = len(digits)
        last = np.zeros((n, 5, 4), np.uint8)  # four digits to a byte, as the first four of five
        last[:, :4] = digits[:, 240:].reshape(n, 4, 4)
        blocks[:, :32] = _in_bytes(digits[:, :160].reshape(n, 5, 32))
        blocks[:, 32:48] = _in_bytes(digits[:, 160:240].reshape(n, 5, 16))
        blocks[:, 48:52] = _in_bytes(last)


class TQ2_0(Encoder):
    """Four codes of two bits to a byte."""

    type, elements = "TQ2_0", 256

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        blocks[:, :64] = bit_pairs(_digits(values, blocks, 64, work))
