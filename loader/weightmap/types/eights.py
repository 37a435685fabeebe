"""Blocks of 8-bit codes: Q8_0 for weights, Q8_1 and Q8_K as ggml uses them for activations and rarely stores them."""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import column, half, quiet, scaled
from weightmap.types.workspace import Workspace


class Q8_0(StoredType):
    """x = code * d."""

    name, id, elements, bytes = "Q8_0", 8, 32, 34
    fields = ((0, 2),)
    scales = (("d", 0, "<f2"),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: 32 signed bytes."""
        scaled(blocks[:, 2:].view(np.int8), half(blocks, 0, work, ".d"), out)


class Q8_1(StoredType):
    """x = code * d; the block also holds d times the sum of its codes, which adds nothing."""

    name, id, elements, bytes = "Q8_1", 9, 32, 36
    fields = ((0, 2), (2, 2))
    scales = (("d", 0, "<f2"),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d; 2: the sum; 4: 32 signed bytes."""
        scaled(blocks[:, 4:].view(np.int8), half(blocks, 0, work, ".d"), out)


class Q8_K(StoredType):
    """x = d * code with a float32 scale; the sums of each 16 codes that follow add nothing."""

    name, id, elements, bytes = "Q8_K", 15, 256, 292
    fields = ((0, 4), *((260 + 2 * i, 2) for i in range(16)))
    scales = (("d", 0, "<f4"),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """0: d as float32; 4: 256 signed bytes; 260: 16 sums of 16 bits."""
        scale = work.array(".d", (len(blocks), 1), np.float32)
        scale[...] = column(blocks, 0, "<f4")
        scaled(blocks[:, 4:260].view(np.int8), scale, out)
