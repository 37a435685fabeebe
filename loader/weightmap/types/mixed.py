"""How K-quants are decoded for those who ask for no order: the same values, to the last bit, in long rows.

A group of 16 or 32 elements is a short row, and numpy takes as long to begin one as to multiply it. Here four bytes of codes
are one word. Words that stand at the same place of a group are brought together from all groups of all blocks, and the scale
of each group is written down four times, once for each code of a word. Then everything is done in rows as long as a chunk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.types.base import Blocks, Values
from weightmap.types.fields import Bytes, Floats, number, products
from weightmap.types.workspace import Workspace

Words = NDArray[np.uint32]

NIBBLE, FOURTH = 0x0F0F0F0F, 0x03030303  # the lowest four, or two, bits of each byte of a word


def words(
    blocks: Blocks, offset: int, shape: tuple[int, ...], order: tuple[int, ...], work: Workspace, name: str
) -> Words:
    """The words from `offset` of every block, seen as (n, *shape), with its axes in another order, in the workspace."""
    count = 4 * int(np.prod(shape))
    there = blocks[:, offset : offset + count].view("<u4").reshape(len(blocks), *shape).transpose(order)
    out = work.array(name, there.shape, "<u4")
    np.copyto(out, there)
    return out


def fours(
    codes: Bytes | NDArray[np.int8], halves: Floats, order: tuple[int, ...], work: Workspace, name: str
) -> Floats:
    """Codes of scales (n, ...), with their axes in another order that ends with n, times the half of their block (n, 1): each
    product four times, in one row, in the workspace.
    """
    turned = work.array(".turned", tuple(codes.shape[axis] for axis in order), codes.dtype)
    np.copyto(turned, codes.transpose(order))
    once = products(turned, halves.reshape(-1), work, ".once").reshape(-1)
    twice = work.array(".twice", (len(once), 2), np.float32)
    twice[:, 0] = twice[:, 1] = once
    pairs, out = twice.view(np.uint64)[:, 0], work.array(name, (len(once), 2), np.uint64)
    out[:, 0] = out[:, 1] = pairs
    return out.view(np.float32).reshape(-1)


def lower_and_upper(packed: Words, codes: Words) -> None:
    """Write the low nibbles of `packed` to the first half of the second axis of `codes`, the high ones to the other half."""
    low, high = np.split(codes, 2, axis=1)
    np.bitwise_and(packed, number(NIBBLE, "<u4"), out=low)
    np.right_shift(packed, number(4, "<u4"), out=packed)
    np.bitwise_and(packed, number(NIBBLE, "<u4"), out=high)


def added_bits(packed: Words, left: int, mask: int, codes: Words, work: Workspace) -> None:
    """Add the bits of `mask`, of each byte of the words moved `left` (to the right where negative), to `codes`."""
    part = work.array(".part", packed.shape, "<u4")
    shift = np.left_shift if left > 0 else np.right_shift
    shift(packed, number(abs(left), "<u4"), out=part)
    np.bitwise_and(part, number(mask * 0x01010101, "<u4"), out=part)
    np.bitwise_or(codes, part, out=codes)


def written(codes: Words, kind: str, scales: Floats, minima: Floats | None, out: Values) -> None:
    """Write the codes, bytes of this kind, times the scales, less the minima where there are any; rows of codes share both."""
    rows: Floats = out.reshape(-1, len(scales))
    np.copyto(rows, codes.view(kind).reshape(rows.shape))
    np.multiply(rows, scales, out=rows)
    if minima is not None:
        np.subtract(rows, minima, out=rows)
