"""A weight as GPTQ would store it, of every width, version and order, with its values worked out in numpy on the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.composed import quantized_by
from support.packing import down, words

ROWS, COLUMNS, SIZE = 64, 160, 64  # the last group has half as many columns


class Made:
    """A weight (rows, columns) as GPTQ would store it: `stack` matrices of it, zeros `less` one for version 1."""

    def __init__(self, bits: int, *, symmetric: bool = False, order: bool = False, stack: tuple[int, ...] = ()) -> None:
        random, groups = np.random.default_rng(bits), -(-COLUMNS // SIZE)
        self.bits = bits
        self.codes = random.integers(0, 1 << bits, (*stack, COLUMNS, ROWS), np.uint8)
        self.scales = random.uniform(0.001, 0.01, (*stack, groups, ROWS)).astype(np.float16)
        self.zeros = random.integers(1, 1 << bits, (*stack, groups, ROWS), np.uint8)
        if symmetric:
            self.zeros[...] = 1 << bits - 1
        self.order = (np.arange(COLUMNS) // SIZE).astype(np.int32)
        if order:
            self.order = random.permutation(self.order)

    def tensors(self, less: int) -> dict[str, Any]:
        return {
            "a.qweight": down(self.codes, self.bits),
            "a.qzeros": words(self.zeros - np.uint8(less), self.bits),
            "a.scales": self.scales,
            "a.g_idx": self.order,
        }

    @property
    def values(self) -> np.ndarray:
        numbers = self.codes.astype(np.float32) - self.zeros[..., self.order, :]
        return np.swapaxes(numbers * self.scales[..., self.order, :].astype(np.float32), -1, -2)


def gptq(**more: Any) -> dict[str, Any]:
    return quantized_by(quant_method="gptq", group_size=SIZE, **more)
