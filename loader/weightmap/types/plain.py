"""Types that store one number per element as numpy knows it: integers, floats, complex, booleans, and bfloat16.

Values keep their dtype where float32 would lose something; otherwise float32 is what every pass works with.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.fields import ml_dtype, number, quiet
from weightmap.types.workspace import Workspace


class Plain(StoredType):
    """One number per block, of a dtype that numpy has; decoding is at most a cast."""

    safetensors = True
    dtype: np.dtype[Any]

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Cast the stored numbers to `value`; exact for every type here."""
        np.copyto(out, blocks.view(self.dtype))


class F32(Plain):
    """IEEE single precision."""

    name, id, bytes, dtype = "F32", 0, 4, np.dtype("<f4")
    fields = ((0, 4),)


class F16(Plain):
    """IEEE half precision."""

    name, id, bytes, dtype = "F16", 1, 2, np.dtype("<f2")
    fields = ((0, 2),)

    @quiet
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Move sign, exponent and mantissa to where float32 has them; 2^112 makes up for the other exponent bias.

        That is exact for every number, subnormal ones too, and several times faster than numpy's cast, which is left to
        do the chunks that hold NaN or Inf.
        """
        stored = blocks.view("<i2")
        if _any_from_two(stored) and (stored.max() >= 0x7C00 or stored.view("<u2").max() >= 0xFC00):
            np.copyto(out, blocks.view(self.dtype))
            return
        bits = out.view(np.int32)
        np.copyto(bits, stored)  # extends the sign over the bits above it
        np.left_shift(bits, number(13, "i4"), out=bits)
        np.bitwise_and(bits, number(~0x70001FFF, "i4"), out=bits)
        np.multiply(out, np.float32(2.0**112), out=out)


def _any_from_two(stored: NDArray[np.int16]) -> bool:
    """Whether any half has the highest bit of its exponent: +-2 and beyond, Inf and NaN, which weights hardly ever have.

    All bits together, four halves at a time, are found in half the time of one maximum.
    """
    flat = np.ascontiguousarray(stored).reshape(-1)
    whole = len(flat) & ~3
    together = int(np.bitwise_or.reduce(flat[:whole].view("<u8"))) | int(np.bitwise_or.reduce(flat[whole:].view("<u2")))
    return together & 0x4000_4000_4000_4000 != 0


class F64(Plain):
    """IEEE double precision."""

    name, id, bytes, dtype = "F64", 28, 8, np.dtype("<f8")
    value, fields = np.dtype(np.float64), ((0, 8),)


class I8(Plain):
    """Signed 8-bit integer."""

    name, id, bytes, dtype = "I8", 24, 1, np.dtype("i1")


class I16(Plain):
    """Signed 16-bit integer."""

    name, id, bytes, dtype = "I16", 25, 2, np.dtype("<i2")
    fields = ((0, 2),)


class I32(Plain):
    """Signed 32-bit integer; float32 holds only 24 bits, so values stay integers."""

    name, id, bytes, dtype = "I32", 26, 4, np.dtype("<i4")
    value, fields = np.dtype(np.int32), ((0, 4),)


class I64(Plain):
    """Signed 64-bit integer; values stay integers."""

    name, id, bytes, dtype = "I64", 27, 8, np.dtype("<i8")
    value, fields = np.dtype(np.int64), ((0, 8),)


class U8(Plain):
    """Unsigned 8-bit integer."""

    name, bytes, dtype = "U8", 1, np.dtype("u1")


class U16(Plain):
    """Unsigned 16-bit integer."""

    name, bytes, dtype = "U16", 2, np.dtype("<u2")
    fields = ((0, 2),)


class U32(Plain):
    """Unsigned 32-bit integer; values stay integers."""

    name, bytes, dtype = "U32", 4, np.dtype("<u4")
    value, fields = np.dtype(np.uint32), ((0, 4),)


class U64(Plain):
    """Unsigned 64-bit integer; values stay integers."""

    name, bytes, dtype = "U64", 8, np.dtype("<u8")
    value, fields = np.dtype(np.uint64), ((0, 8),)


class C64(Plain):
    """Complex number of two float32: real part, imaginary part."""

    name, bytes, dtype = "C64", 8, np.dtype("<c8")
    value, fields = np.dtype(np.complex64), ((0, 4), (4, 4))


class Bool(StoredType):
    """A byte per truth value: 0 is false, any other byte true.

    There is no zero-copy view: files with bytes other than 0 and 1 exist, and numpy's own operations go wrong on such
    bytes once they are called bool.
    """

    name, bytes, safetensors, value = "BOOL", 1, True, np.dtype(np.bool_)

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """True where the byte is not 0."""
        np.not_equal(blocks, 0, out=out)


# stored halves that share a word with a neighbour's lower half: that of the next float where the lower half comes first
_UPPER_HALVES = slice(None, -1) if sys.byteorder == "little" else slice(1, None)


class BF16(StoredType):
    """bfloat16: the upper half of a float32."""

    name, id, bytes, safetensors = "BF16", 30, 2, True
    fields = ((0, 2),)

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Float32 bits = stored bits << 16.

        Widened to words that begin in the middle of a float, stored bits are the upper half of one float and their zeros the
        lower half of its neighbour: one pass instead of two. The ends, of which such a word has only half, are shifted.
        """
        stored, bits = blocks.view("<u2").reshape(-1), out.view(np.uint32).reshape(-1)
        np.copyto(bits.view(np.uint8)[2:-2].view(np.uint32), stored[_UPPER_HALVES])
        for end in (slice(1), slice(-1, None)):
            np.left_shift(stored[end], number(16, "u4"), out=bits[end])

    def view_dtype(self) -> np.dtype[Any] | None:
        """ml_dtypes.bfloat16, or None where that package is not installed."""
        return ml_dtype("bfloat16")
