"""The search for a scale whose codes start at zero: some tries, then code after code is changed where the error gets smaller."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import nearest_whole, total
from weightmap.types.fields import Floats


def positive_scales(x: Floats, weights: Floats, most: int) -> Floats:
    """The scale of each column for codes up to `most`, errors counting by `weights`: float32 (groups,); 0 where none is above zero.

    ggml keeps codes as bytes. Of values below zero, which round to numbers below zero, it goes on with 256 more than these.
    """
    largest = np.maximum(x.max(axis=0), np.float32(0))
    top = np.float32(most)

    def error(codes: Floats, scale: Floats) -> Floats:
        difference = x - scale * codes
        return total(weights * difference * difference)

    factor = top / largest
    least = error(_as_bytes(_codes(x * factor)), np.float32(1) / factor)
    for at in (-4, -3, -2, -1, 1, 2, 3, 4):
        tried = (np.float32(0.1) * np.float32(at) + top) / largest
        found = error(np.minimum(_codes(x * tried), top), np.float32(1) / tried)
        better = found < least
        factor, least = np.where(better, tried, factor), np.where(better, found, least)
    codes = np.minimum(_codes(x * factor), top)
    lx, ll = total(weights * x * codes), total(weights * codes * codes)
    codes = _as_bytes(codes)
    for _ in range(5):
        changed = False
        for value, weight, code in zip(x, weights, codes, strict=True):
            other_lx, other_ll = lx - weight * value * code, ll - weight * code * code
            possible = (other_lx > 0) & (other_ll > 0)
            new = np.minimum(_codes(value * other_ll / other_lx), top)
            new_lx, new_ll = other_lx + weight * value * new, other_ll + weight * new * new
            better = possible & (new != code) & (new_lx * new_lx * ll > lx * lx * new_ll)
            if better.any():
                changed = True
                np.copyto(code, _as_bytes(new), where=better)
                np.copyto(lx, new_lx, where=better)
                np.copyto(ll, new_ll, where=better)
        if not changed:
            break
    return np.where(largest > 0, lx / ll, np.float32(0))


def _codes(values: Floats) -> Floats:
    return nearest_whole(values).astype(np.float32)


def _as_bytes(codes: Floats) -> Floats:
    """What becomes of whole numbers in a byte."""
    return (codes.astype(np.int64) & 255).astype(np.float32)
