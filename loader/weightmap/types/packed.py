"""The floats of 4 and 6 bits of safetensors, packed over the flattened tensor: F4 two in a byte, F6 four in three bytes."""

from __future__ import annotations

from functools import cache

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Floats, looked_up
from weightmap.types.float8 import minifloat
from weightmap.types.workspace import Workspace


class F4(StoredType):
    """E2M1 (magnitudes 0, 0.5, 1, 1.5, 2, 3, 4, 6): the first element of a byte is in its low nibble, as in PyTorch."""

    name, safetensors, elements, bytes = "F4", True, 2, 1

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Look up both values of a byte at once."""
        looked_up(_pairs(), blocks, out.view(np.complex64), work)


@cache
def _pairs() -> np.ndarray[tuple[int, ...], np.dtype[np.complex64]]:
    """(256,): low nibble's value and high nibble's value side by side, in the clothes of a complex number."""
    one, byte = minifloat(4, 1, 1), np.arange(256)
    return np.stack([one[byte & 15], one[byte >> 4]], axis=1).view(np.complex64)[:, 0]


class Float6(StoredType):
    """Four codes of six bits in three bytes."""

    safetensors, elements, bytes = True, 4, 3
    assumed: str | None = (
        "Four values are taken to lie in three bytes, the first in the lowest bits: the format does not define it."
    )
    mantissa: int
    bias: int

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Cut the 24-bit word into four codes, lowest first, and look them up."""
        word = work.array(".word", (len(blocks),), np.uint32)
        shifted = work.array(".shifted", (len(blocks),), np.uint32)
        np.copyto(word, blocks[:, 2])
        for byte in (1, 0):
            np.left_shift(word, 8, out=word)
            np.bitwise_or(word, blocks[:, byte], out=word)
        codes = work.array(".codes", out.shape, np.uint8)
        for element in range(4):
            np.right_shift(word, 6 * element, out=shifted)
            np.bitwise_and(shifted, 63, out=codes[:, element], casting="unsafe")
        looked_up(_table(self.mantissa, self.bias), codes, out, work)


@cache
def _table(mantissa: int, bias: int) -> Floats:
    """The value of every code of six bits: float32 (64,). There is no NaN and no Inf."""
    return minifloat(6, mantissa, bias)


class F6_E2M3(Float6):
    """1-2-3: largest 7.5, smallest step 0.125."""

    name, mantissa, bias = "F6_E2M3", 3, 1


class F6_E3M2(Float6):
    """1-3-2: largest 28, smallest step 0.0625."""

    name, mantissa, bias = "F6_E3M2", 2, 3
