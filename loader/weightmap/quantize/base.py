"""What an encoder is: float32 values in, the blocks of one stored type out, as ggml's reference quantizer would write them.

Encoders work on many blocks at once, with the elements of a group along the first axis ("lanes"): then every operation of
the reference runs over all groups in one go, and sums add up their terms in the order that the reference adds them in. That
order, float32 and no fused operations make the bytes come out the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.base import Blocks
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace

STEP = 1 << 14  # elements worked on at a time: a search keeps half a dozen arrays of them in the cache

HALF_WAY = np.float32(3 << 22)  # a number added to it keeps no fraction: it is rounded, halves to even

Codes = NDArray[Any]  # uint8: numpy's stubs lose that in every operation with a Python number


class Encoder(ABC):
    """Writes one stored type. Subclasses set the attributes and write `write`; the registry holds one instance of each.

    type       name of the stored type
    elements   values per block
    finite     whether NaN and Inf have no place in the type's blocks; the caller keeps them out
    slow       whether it takes many times as long as the others, which are then better done first
    """

    type: str
    elements: int
    finite: bool = True
    slow: bool = False

    def encode(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        """Write the blocks (n, bytes per block) of `values`, float32 (n, self.elements), both C-contiguous.

        `work` lends scratch arrays; encoders ask for names that begin with "encode" and leave all others to the caller.
        """
        step = max(STEP // self.elements, 1)
        with np.errstate(all="ignore"):  # a scale may be too small or too large for its field, as in ggml
            for at in range(0, len(values), step):
                self.write(values[at : at + step], blocks[at : at + step], work)

    @abstractmethod
    def write(self, values: Floats, blocks: Blocks, work: Workspace) -> None:
        """`encode` for as many blocks as the cache holds."""


class WeightedEncoder(ABC):
    """Writes one stored type that ggml makes with an importance matrix alone; the attributes are those of `Encoder`."""

    type: str
    elements: int
    finite: bool = True
    slow: bool = True

    def encode(self, values: Floats, importance: Floats, blocks: Blocks, work: Workspace) -> None:
        """The same with the weight of every value's column, float32 in the shape of `values`, finite and not negative."""
        step = max(STEP // self.elements, 1)
        with np.errstate(all="ignore"):
            for at in range(0, len(values), step):
                part = slice(at, at + step)
                self.write(values[part], importance[part], blocks[part], work)

    @abstractmethod
    def write(self, values: Floats, importance: Floats, blocks: Blocks, work: Workspace) -> None:
        """`encode` for as many blocks as the cache holds."""


def lanes(values: Floats, group: int, work: Workspace, name: str = "encode lanes") -> Floats:
    """The values of each `group` neighbours as a column: float32 (group, groups) in the workspace."""
    out: Floats = work.array(name, (group, values.size // group), np.float32)
    np.copyto(out, values.reshape(-1, group).T)
    return out


def in_order(codes: NDArray[Any], elements: int) -> Codes:
    """Codes in lanes (group, groups) back in the order of the elements, a row per block: uint8 (n, elements)."""
    return np.ascontiguousarray(codes.astype(np.uint8).T).reshape(-1, elements)


def total(terms: Floats) -> Floats:
    """The sum of each column, added up from the first row to the last as a loop would: float32 (groups,)."""
    if terms.shape[1] == 1:  # numpy would add up a single column in another order
        return total(np.repeat(terms, 2, axis=1))[:1]
    sums: Floats = np.add.reduce(terms, axis=0)
    return sums


def peak(x: Floats) -> Floats:
    """Of each column the value of largest magnitude, with its sign; the first of them where two are as large."""
    high, low = x.max(axis=0), x.min(axis=0)
    largest: Floats = np.where(high > -low, high, low)
    for at in np.flatnonzero(high == -low):
        column = x[:, at]
        largest[at] = column[np.argmax(np.abs(column))] if high[at] else 0.0
    return largest


def inverse(d: Floats) -> Floats:
    """1 / d, and 0 where d is 0."""
    return np.divide(np.float32(1), d, out=np.zeros_like(d), where=d != 0)


def stored_half(blocks: Blocks, offset: int, values: Floats) -> Floats:
    """Write (n,) floats as little-endian halves at `offset` of each block; gives what they will be read as, float32."""
    halves = values.astype("<f2")
    blocks[:, offset : offset + 2] = halves.view(np.uint8).reshape(-1, 2)
    return halves.astype(np.float32)


def settled(codes: Floats, factors: Floats) -> Floats:
    """Codes with 0 for what is not finite, in place; looked for only where the factors that made them are not finite."""
    if not np.isfinite(factors).all():
        np.copyto(codes, np.float32(0), where=~np.isfinite(codes))
    return codes


def nearest(values: Floats, lowest: int, highest: int) -> Floats:
    """Rounded to the nearest whole number, halves to even, and kept within both ends, in place."""
    np.rint(values, out=values)
    return np.clip(values, np.float32(lowest), np.float32(highest), out=values)


def nearest_whole(values: Floats) -> NDArray[np.int32]:
    """The nearest whole number, halves to even: int32, in place of `values`, whose magnitudes are below four million.

    Other numbers become what they become in ggml: NaN and Inf are 0 or far below it.
    """
    np.add(values, HALF_WAY, out=values)
    bits: NDArray[np.int32] = values.view(np.int32)
    np.bitwise_and(bits, np.int32((1 << 23) - 1), out=bits)
    return np.subtract(bits, np.int32(1 << 22), out=bits)


def rounded(values: Floats) -> Floats:
    """Rounded to the nearest whole number, halves away from zero, in place; exact for magnitudes below a million."""
    np.multiply(values, np.float32(2), out=values)
    np.trunc(values, out=values)
    np.add(values, np.copysign(np.float32(1), values), out=values)
    np.multiply(values, np.float32(0.5), out=values)
    return np.trunc(values, out=values)


def nibbles(codes: Codes, run: int) -> Codes:
    """Codes below 16, (n, elements), two to a byte: of each 2 * `run` the first `run` are the low nibbles."""
    rows = codes.reshape(-1, 2, run)
    packed: Codes = rows[:, 0] | rows[:, 1] << 4
    return packed.reshape(len(codes), -1)


def bit_pairs(codes: Codes) -> Codes:
    """Codes below 4, (n, elements), four to a byte: of each 128 the first 32 are the lowest bits of 32 bytes."""
    rows = codes.reshape(-1, 4, 32)
    packed: Codes = rows[:, 0] | rows[:, 1] << 2 | rows[:, 2] << 4 | rows[:, 3] << 6
    return packed.reshape(len(codes), -1)


def bit_planes(bits: Codes) -> Codes:
    """Bits as 0 and 1, (n, 256), eight to a byte: bit g of byte r is that of element 32 g + r."""
    return np.packbits(bits.reshape(-1, 8, 32), axis=1, bitorder="little").reshape(len(bits), 32)
