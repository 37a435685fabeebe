"""Encoder of Q1_0: a sign for each value, and for all of a block their mean magnitude."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import Encoder, lanes, stored_half, total
from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


class Q1_0(Encoder):
    """d = mean magnitude; a set bit is a value that is not below zero."""

    type, elements = "Q1_0", 128

    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        x = lanes(values, 128, work)
        stored_half(blocks, 0, total(np.abs(x, out=x)) / np.float32(128))
        blocks[:, 2:] = np.packbits(values >= 0, axis=1, bitorder="little")
