"""Scales and zeros that are fetched at once, for every scale of 16 bits and every zero."""

from __future__ import annotations

import numpy as np
import pytest

from weightmap.companions.integers.bands import distance
from weightmap.companions.integers.ordered import Of, ordered
from weightmap.types.workspace import Workspace


def halves() -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def shorts() -> np.ndarray:
    return (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("make", [halves, shorts])
@pytest.mark.parametrize(("most", "dtype"), [(256, np.int16), (255, np.uint8)])
def test_numbers_fetched_at_once_are_those_fetched_one_by_one(make, most: int, dtype: type) -> None:
    random = np.random.default_rng(5)
    scales = make().reshape(256, 256)
    zeros = random.integers(0, most + 1, scales.shape).astype(dtype)
    columns, codes = random.permutation(256), random.integers(0, 256, scales.shape, np.uint8)
    found = []
    for free in (False, True):
        out = np.empty(scales.shape, np.float32)
        with np.errstate(all="ignore"):
            ordered(codes, Of(columns, scales.copy(), zeros, None, free, np.multiply), out, Workspace())
        found.append(out.view(np.uint32))
    assert np.array_equal(*found)
    if dtype == np.int16:
        with np.errstate(all="ignore"):
            wanted = (codes.astype(np.float32) - zeros[:, columns]) * scales[:, columns]
        assert np.array_equal(found[1].view(np.float32), wanted, equal_nan=True)


def test_lines_of_bands_are_an_odd_number_of_lines_of_the_cache_apart() -> None:
    for wide in (1, 64, 65, 128, 12224, 9216):
        assert wide <= distance(wide) <= wide + 127
        assert distance(wide) % 128 == 64
