"""Blocks of every kind for tests of decoders, and the comparison that counts: bit for bit, any NaN equal to any NaN."""

from __future__ import annotations

import numpy as np

from weightmap.types.base import StoredType
from weightmap.types.workspace import Workspace

# where a block keeps its scales: fp16 at these offsets, or something else
HALVES = {
    "Q4_0": (0,),
    "Q4_1": (0, 2),
    "Q5_0": (0,),
    "Q5_1": (0, 2),
    "Q8_0": (0,),
    "Q8_1": (0, 2),
    "Q2_K": (80, 82),
    "Q3_K": (108,),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
    "IQ2_XXS": (0,),
    "IQ2_XS": (0,),
    "IQ2_S": (0,),
    "IQ3_XXS": (0,),
    "IQ3_S": (0,),
    "IQ1_S": (0,),
    "IQ4_NL": (0,),
    "IQ4_XS": (0,),
    "TQ1_0": (52,),
    "TQ2_0": (64,),
    "Q1_0": (0,),
    "Q2_0": (0,),
}


def random_blocks(type: StoredType, count: int, seed: int = 0) -> np.ndarray:
    """Any bytes: scales are NaN, Inf, subnormal and negative too."""
    return np.random.default_rng(seed).integers(0, 256, (count, type.bytes), dtype=np.uint8)


def finite_blocks(type: StoredType, count: int, seed: int = 0) -> np.ndarray:
    """Any codes, but scales as models have them, a few of them negative, zero or subnormal."""
    rng = np.random.default_rng(seed)
    blocks = random_blocks(type, count, seed)

    def scales() -> np.ndarray:
        values = rng.standard_normal(count).astype(np.float16) * np.float16(0.01)
        values[::17], values[5::19] = 0, np.float16(3e-7)
        return values

    for offset in HALVES.get(type.name, ()):
        blocks[:, offset : offset + 2] = scales().view(np.uint8).reshape(-1, 2)
    if type.name == "IQ1_M":  # the four nibbles of the half are the top nibbles of four words
        bits = scales().view(np.uint16)
        for i in range(4):
            top = (bits >> np.uint16(4 * i) & 15).astype(np.uint8)
            blocks[:, 49 + 2 * i] = blocks[:, 49 + 2 * i] & 15 | top << 4
    if type.name == "Q8_K":
        blocks[:, :4] = scales().astype(np.float32).view(np.uint8).reshape(-1, 4)
    return blocks


def decoded(type: StoredType, blocks: np.ndarray, work: Workspace | None = None) -> np.ndarray:
    """The values of the blocks, (n, elements)."""
    out = np.empty((len(blocks), type.elements), type.value)
    out.view(np.uint8)[...] = 0xA5  # what is left unwritten shows
    type.decode(blocks, out, work or Workspace())
    return out


def different(values: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Flat positions at which float32 values differ in their bits; any NaN equals any NaN."""
    a, b = np.ascontiguousarray(values).reshape(-1), np.ascontiguousarray(expected).reshape(-1)
    assert a.dtype == b.dtype == np.float32 and a.size == b.size
    return np.flatnonzero((a.view(np.uint32) != b.view(np.uint32)) & ~(np.isnan(a) & np.isnan(b)))
