"""Codes out of packed words: one byte per code, in the order of the elements.

Eight codes of b bits are b bytes wherever they lie close, so one way serves every width: load them as one word of 64 bits,
then move its fields apart (`types.fields.spread`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.fields import Bytes, moved, number, spread
from weightmap.types.workspace import Workspace

LANES = 8  # codes that are unpacked at once
WORD_BITS = 32
ORDER = (0, 2, 4, 6, 1, 3, 5, 7)  # which element of eight AWQ has in each nibble of a word


def dense(packed: Bytes, bits: int, work: Workspace, name: str) -> Bytes:
    """Codes of a stream of `bits` bits each, lowest first: (n, 8 k) uint8 of `packed` (n, bits * k), which is contiguous."""
    if bits == 8:
        return packed
    if bits == 4:
        return _nibbles(packed, work, name)
    if bits in (1, 2):
        words: NDArray[Any] = packed.view(f"<u{bits}")
    else:
        units = len(packed), packed.shape[1] // bits
        padded = work.array(f"{name} padded", (*units, 8), np.uint8)
        padded[...] = 0
        moved(packed.reshape(-1, bits), padded.reshape(-1, 8)[:, :bits])
        words = padded.view("<u8")[..., 0]
    if bits > 4:
        return _parted(words, bits, work, name)
    return spread(words, bits, LANES, work, name).view(np.uint8)


def _nibbles(packed: Bytes, work: Workspace, name: str) -> Bytes:
    """Both nibbles of each byte, the low one first: widened and moved apart once, in a third of the steps of `spread`."""
    pairs = work.array(name, packed.shape, "<u2")
    part = work.array(f"{name} part", packed.shape, "<u2")
    np.copyto(pairs, packed)
    np.left_shift(pairs, number(4, "<u2"), out=part)
    np.bitwise_or(pairs, part, out=pairs)
    np.bitwise_and(pairs, number(0x0F0F, "<u2"), out=pairs)
    return pairs.view(np.uint8)


def _parted(words: NDArray[Any], bits: int, work: Workspace, name: str) -> Bytes:
    """Eight fields of more than four bits, which leave no room to shift both halves at once as `spread` does; uses up `words`."""
    moving = work.array(name, words.shape, "<u8")
    for half in (4, 2, 1):
        low = sum(((1 << half * bits) - 1) << at for at in range(0, 64, 16 * half))
        np.left_shift(words, number(half * (8 - bits), "<u8"), out=moving)
        np.bitwise_and(moving, number(low << 8 * half, "<u8"), out=moving)
        np.bitwise_and(words, number(low, "<u8"), out=words)
        np.bitwise_or(words, moving, out=words)
    np.copyto(moving, words)
    return moving.view(np.uint8)


def aligned(packed: Bytes, bits: int, work: Workspace, name: str) -> Bytes:
    """Codes that never straddle words of 32 bits, whose upper bits may be unused: (n, k * (32 // bits)) of (n, 4 k)."""
    words, many = packed.view("<u4"), 32 // bits
    codes = work.array(name, (*words.shape, many), np.uint8)
    part = work.array(f"{name} part", words.shape, np.uint32)
    for field in range(many):
        np.right_shift(words, number(bits * field, "u4"), out=part)
        np.bitwise_and(part, number((1 << bits) - 1, "u4"), out=codes[..., field], casting="unsafe")
    return codes.reshape(len(packed), -1)


def interleaved(packed: Bytes, bits: int, work: Workspace, name: str) -> Bytes:
    """Nibbles of words that hold elements 0, 2, 4, 6, 1, 3, 5, 7: (n, 8 k) of (n, 4 k)."""
    halves = packed.view("<u2")
    even = spread(halves[:, 0::2], 4, 4, work, name)
    odd = spread(halves[:, 1::2], 4, 4, work, f"{name} odd")
    np.left_shift(odd, number(8, "<u8"), out=odd)
    np.bitwise_or(even, odd, out=even)
    return even.view(np.uint8)


def down(words: NDArray[np.uint32], bits: int, first: int, last: int, period: int, work: Workspace, name: str) -> Bytes:
    """Rows first:last of codes that are packed down the columns: (last - first, columns) of `words` (n, columns).

    Row 0 begins with a word, and so does a row after every `period`; in between codes may straddle words.
    """
    if WORD_BITS % bits == 0:
        order = tuple(range(WORD_BITS // bits))
        return _fields(words, bits, order, work, name).reshape(-1, words.shape[1])[first:last]
    step = -(-period * bits // WORD_BITS)
    codes = work.array(name, (last - first, words.shape[1]), np.uint8)
    for row in range(first, min(first + period, last)):
        line, shift = divmod(row % period * bits, WORD_BITS)
        line += row // period * step
        target = codes[row - first :: period]
        sources = words[line::step][: len(target)]
        part = work.array(f"{name} part", sources.shape, np.uint32)
        np.right_shift(sources, number(shift, "u4"), out=part)
        if shift + bits > WORD_BITS:
            rest = work.array(f"{name} rest", sources.shape, np.uint32)
            np.left_shift(words[line + 1 :: step][: len(target)], number(WORD_BITS - shift, "u4"), out=rest)
            np.bitwise_or(part, rest, out=part)
        np.bitwise_and(part, number((1 << bits) - 1, "u4"), out=target, casting="unsafe")
    return codes


def across(words: NDArray[np.uint32], bits: int, order: tuple[int, ...], work: Workspace, name: str) -> Bytes:
    """Codes along rows, turned: (words of a row * codes of a word, rows) of `words` (words of a row, rows).

    order  the element that each field of a word is, the lowest field first
    """
    return _fields(words, bits, order, work, name).reshape(-1, words.shape[1])


def _fields(
    words: NDArray[np.uint32], bits: int, order: tuple[int, ...], work: Workspace, name: str
) -> NDArray[np.uint8]:
    """Every field of each word, in lines of their own: (n, fields, columns) of `words` (n, columns), places by `order`.

    A byte of all words at a time is cut off and parted as bytes, which is half the work of parting words.
    """
    codes: NDArray[np.uint8] = work.array(name, (len(words), len(order), words.shape[1]), np.uint8)
    part = work.array(f"{name} part", words.shape, np.uint32)
    cut = work.array(f"{name} cut", words.shape, np.uint8)
    for field, element in enumerate(order):
        at, shift = divmod(field * bits, 8)
        if not shift:
            bytes_ = np.right_shift(words, number(8 * at, "u4"), out=part) if at else words
            np.copyto(cut, bytes_, casting="unsafe")
        target = codes[:, element]
        moved_down = np.right_shift(cut, number(shift), out=target) if shift or bits == 8 else cut
        if shift + bits < 8:
            np.bitwise_and(moved_down, number((1 << bits) - 1), out=target)
    return codes
