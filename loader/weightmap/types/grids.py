"""The lookup grids of the I-quants and the scale tables of the fp4 types: package data, read once when first needed."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO
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
    with np.load(BytesIO(files("weightmap.types").joinpath("grids.npz").read_bytes()), allow_pickle=False) as stored:
        array: NDArray[Any] = stored[name]
    array.flags.writeable = False
    return array


@cache
def sign_bytes() -> NDArray[np.uint8]:
    """(128,) uint8: a 7-bit sign code with the eighth sign that makes the number of minus signs even."""
    code = np.arange(128, dtype=np.uint8)
    parity = np.unpackbits(code[:, None], axis=1).sum(axis=1, dtype=np.uint8) & np.uint8(1)
    expanded: NDArray[np.uint8] = code | (parity << np.uint8(7))
    return expanded
