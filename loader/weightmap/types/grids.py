"""The lookup grids of the I-quants and the scale tables of the fp4 types: package data, read once when first needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@cache
def grid(name: str) -> NDArray[Any]:
    """One array of grids.npz, read-only.

    iq2xxs (256, 8), iq2xs (512, 8), iq2s (1024, 8), iq3xxs (256, 4), iq3s (512, 4): uint8 magnitudes; iq1s (2048, 8):
    int8 of -1, 0, 1; kvalues_iq4nl, kvalues_e2m1_x2 (16,): int8 values of a code; nvfp4_scale_half, mxfp4_scale_half
    (256,): float32 scale of a scale byte, halved because the code values are doubled.
    """
    with np.load(Path(__file__).with_name("grids.npz"), allow_pickle=False) as stored:
        array: NDArray[Any] = stored[name]
    array.flags.writeable = False
    return array


@cache
def grid_words(name: str) -> NDArray[Any]:
    """A grid with each row as one item, to be looked up at once: uint64 for rows of eight values, uint32 for four."""
    rows = grid(name)
    return rows.view(f"u{rows.shape[1]}")[:, 0]


@cache
def sign_words() -> NDArray[np.uint64]:
    """(256,): for each byte of signs eight bytes, -1 where the bit (lowest first) is set, else 0."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.negative(bits.view(np.int8)).view(np.uint64)[:, 0]


@cache
def even_sign_words() -> NDArray[np.uint64]:
    """(128,): the same for a code of seven signs, whose eighth makes the number of minus signs even."""
    code = np.arange(128)
    ones = np.unpackbits(code.astype(np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.intp)
    words: NDArray[np.uint64] = sign_words()[code | (ones & 1) << 7]
    return words


@cache
def pairs_of_values(name: str) -> NDArray[np.uint64]:
    """(256,): for a grid of 16 code values those of a byte's two nibbles, the lower first, two float32 as one item."""
    nibbles = np.arange(1 << 8)[:, None] >> np.arange(0, 8, 4) & 15
    pairs: NDArray[np.uint64] = grid(name)[nibbles].astype(np.float32).view(np.uint64)[:, 0]
    return pairs
