"""The signs of the I-quants: a byte for eight values, or seven bits where the number of minus signs is always even.

All work on lanes (elements of a group, groups); eight elements that follow each other share their signs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.base import Codes
from weightmap.types.fields import Floats


def of_eight(x: Floats, turned: NDArray[np.bool_]) -> Codes:
    """The signs of eight values as a byte, bit e for element e: uint8 (elements / 8, groups); all the other way where turned."""
    return _bytes((x < 0) ^ turned)


def even(x: Floats, weights: Floats) -> tuple[Floats, Codes]:
    """(magnitudes, signs) with an even number of minus signs among each eight: in the shape of `x`; uint8 (elements / 8, groups).

    Where it was odd, the value whose error counts least gets the other sign, and its magnitude is below zero.
    """
    minus, size = x < 0, np.abs(x)
    eights = -1, 8, x.shape[1]
    odd = np.logical_xor.reduce(minus.reshape(eights), axis=1)
    least = np.argmin((weights * x * x).reshape(eights), axis=1)
    other = ((np.arange(8)[:, None] == least[:, None]) & odd[:, None]).reshape(x.shape)
    np.negative(size, where=other, out=size)
    return size, _bytes(minus ^ other)


def _bytes(minus: NDArray[np.bool_]) -> Codes:
    eights = minus.reshape(-1, 8, minus.shape[1])
    return np.packbits(eights, axis=1, bitorder="little")[:, 0]


def sevens(signs: Codes, turned: NDArray[np.bool_]) -> Codes:
    """Seven of eight signs, all the other way where turned: uint8."""
    return (signs ^ np.where(turned, np.uint8(127), np.uint8(0))) & np.uint8(127)


def words(signs: Codes, turned: NDArray[np.bool_], codes: Codes) -> NDArray[np.uint32]:
    """Four times seven signs (4, groups) and in the top bits the scale code: "<u4" (groups,)."""
    bits = sevens(signs, turned).astype("<u4")
    word: NDArray[np.uint32] = bits[0] | bits[1] << 7 | bits[2] << 14 | bits[3] << 21
    np.bitwise_or(word, codes.reshape(-1).astype("<u4") << 28, out=word)
    return word
