"""The 8-bit floats of safetensors: one table of 256 float32 values per type, worked out from its bit layout when first used.

A code is sign, exponent of some bits, mantissa of m bits. With exponent field e and mantissa f the value is f * 2^(1-bias-m)
where e is 0, else (1 + f / 2^m) * 2^(e-bias); which codes mean NaN and Inf is each type's own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import Floats, looked_up, ml_dtype
from weightmap.types.workspace import Workspace


class Float8(StoredType):
    """A float of one byte. Subclasses give the layout and name the codes that are no finite numbers."""

    bytes, safetensors = 1, True
    mantissa: int
    bias: int
    nan: tuple[int, ...]
    infinite: tuple[int, ...] = ()
    ml_name: str

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Look each byte up."""
        looked_up(table(self), blocks, out, work)

    def values(self) -> Floats:
        """The value of every code, worked out anew: float32 (256,)."""
        values = minifloat(8, self.mantissa, self.bias)
        infinite = list(self.infinite)
        values[infinite] = np.copysign(np.float32(np.inf), values[infinite])
        values[list(self.nan)] = np.nan
        return values

    def view_dtype(self) -> np.dtype[Any] | None:
        """The dtype of ml_dtypes, or None where that package (or this type in it) is missing."""
        return ml_dtype(self.ml_name)


@cache
def table(type: Float8) -> Floats:
    """The values of every code of a type, worked out once."""
    return type.values()


def minifloat(bits: int, mantissa: int, bias: int) -> Floats:
    """The values of all codes of a sign, an exponent and a mantissa where every exponent is that of a number."""
    codes = np.arange(1 << bits)
    magnitude = codes & ((1 << bits - 1) - 1)
    exponent, fraction = magnitude >> mantissa, magnitude & ((1 << mantissa) - 1)
    significand = fraction + np.where(exponent > 0, 1 << mantissa, 0)
    values = np.ldexp(significand.astype(np.float32), np.maximum(exponent, 1) - bias - mantissa)
    signed: Floats = np.copysign(values, np.where(codes >> bits - 1, -1, 1)).astype(np.float32)
    return signed


class F8_E4M3(Float8):
    """1-4-3 without infinities ("fn"): largest 448."""

    name, mantissa, bias, nan = "F8_E4M3", 3, 7, (0x7F, 0xFF)
    ml_name = "float8_e4m3fn"


class F8_E5M2(Float8):
    """1-5-2 in the manner of IEEE: largest 57,344, with infinities."""

    name, mantissa, bias, nan = "F8_E5M2", 2, 15, (0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF)
    infinite, ml_name = (0x7C, 0xFC), "float8_e5m2"


class F8_E4M3FNUZ(Float8):
    """1-4-3 with one NaN in the place of -0: largest 240."""

    name, mantissa, bias, nan = "F8_E4M3FNUZ", 3, 8, (0x80,)
    ml_name = "float8_e4m3fnuz"


class F8_E5M2FNUZ(Float8):
    """1-5-2 with one NaN in the place of -0: largest 57,344."""

    name, mantissa, bias, nan = "F8_E5M2FNUZ", 2, 16, (0x80,)
    ml_name = "float8_e5m2fnuz"


class F8_E8M0(Float8):
    """An exponent alone, 2^(code - 127): the scale of the MX formats."""

    name, mantissa, bias, nan = "F8_E8M0", 0, 127, (0xFF,)
    ml_name = "float8_e8m0fnu"

    def values(self) -> Floats:
        """2^(code - 127), without sign; code 0 is the subnormal 2^-127."""
        values: Floats = np.ldexp(np.ones(256, np.float32), np.minimum(np.arange(256), 254) - self.bias)
        values[list(self.nan)] = np.nan
        return values
