"""Finds where each string of a long array begins, a window at a time and with numpy, where one by one would take seconds.

A string array can only be located by walking it: every string has its length in front. Nearly all strings are shorter
than 256 bytes and hold no zeros, so a little-endian 64-bit length stands out as one byte with seven zero bytes after it.
Those places are guessed all at once; a guess counts only where it lies exactly at the end of the string before it, so
the chain from the first string on is proven link by link. Where it breaks (long or empty strings, zeros in a text), plain
stepping carries on until it meets the guesses again.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.source.file import ByteSource

Positions = NDArray[np.int64]

WINDOW = 1 << 18
LONG = 1 << 10  # a few strings need no whole window
STEPS = 32  # strings to step over by hand before the guesses are looked at again


class Starts(NamedTuple):
    """Where strings lie. The text of string i is at positions[i] up to positions[i + 1] - width.

    positions  int64, one more than there are strings; absolute positions in the file
    end        position after the last string
    width      bytes of a length field
    failed     position of the length field that leads past the end of the file, or None
    """

    positions: Positions
    end: int
    width: int
    failed: int | None = None


def walk(source: ByteSource, offset: int, count: int, length: str) -> Starts:
    """Walk `count` strings from `offset`; `length` is the struct code of a length field ("<Q", ">I" ...).

    The caller makes sure that count * width fits the file, which bounds the memory by its size.
    """
    field = struct.Struct(length)
    width = field.size
    found: list[Positions] = []
    left, at = count, offset
    window = np.empty(min(WINDOW, max(source.size - offset, 0)) + 8, np.uint8)
    while left:
        if at + width > source.size:
            return _starts(found, at, width, failed=at)
        size = min(len(window) - 8, source.size - at, left * LONG)
        buffer = window[: size + 8]
        source.read_into(at, buffer[:size])
        buffer[size:] = 255  # ends every run of zeros
        inside = (_guessed if length == "<Q" else _stepped)(buffer, size, left, field)
        found.append(inside + at)
        left -= len(inside)
        last = int(inside[-1])
        (nbytes,) = field.unpack_from(buffer.data, last)
        if last + width + nbytes > source.size - at:
            return _starts(found, at + last, width, failed=at + last)
        at += last + width + nbytes
    return _starts(found, at, width)


def _starts(found: list[Positions], end: int, width: int, failed: int | None = None) -> Starts:
    """Field positions of all windows, joined and moved to where the texts begin."""
    positions = np.concatenate([*found, np.array([end], np.int64)])
    positions += width
    return Starts(positions, end, width, failed)


def _stepped(buffer: NDArray[np.uint8], size: int, limit: int, field: struct.Struct) -> Positions:
    """Positions of the length fields that lie whole in the first `size` bytes, found one by one."""
    data, width = buffer.data, field.size
    places: list[int] = []
    at = 0
    while at + width <= size and len(places) < limit:
        places.append(at)
        at += width + field.unpack_from(data, at)[0]
    return np.array(places, np.int64)


def _guessed(buffer: NDArray[np.uint8], size: int, limit: int, field: struct.Struct) -> Positions:
    """The same for little-endian 64-bit lengths: runs of the proven chain of guesses, joined by steps."""
    guesses, after = _guesses(buffer, size)
    breaks = np.flatnonzero(guesses[1:] != after[:-1])
    runs: list[Positions] = []
    have, at = 0, 0
    while at + 8 <= size and have < limit:
        first = int(np.searchsorted(guesses, np.uint32(at)))
        if first < len(guesses) and guesses[first] == at:
            stop = int(np.searchsorted(breaks, first))
            last = int(breaks[stop]) if stop < len(breaks) else len(guesses) - 1
            last = min(last, first + limit - have - 1)
            run = guesses[first : last + 1].astype(np.int64)
            at = int(after[last])
        else:
            run = _stepped(buffer[at:], size - at, min(STEPS, limit - have), field) + at
            if run[-1] == at + 8 * (STEPS - 1) and not buffer[run[-1] : run[-1] + 8].any():  # nothing but empty strings
                run = at + 8 * np.arange(min(_zeros(buffer, at) // 8, limit - have))
            at = int(run[-1]) + 8 + field.unpack_from(buffer.data, int(run[-1]))[0]
        runs.append(run)
        have += len(run)
    return np.concatenate(runs)


def _guesses(buffer: NDArray[np.uint8], size: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Places of one byte that is not zero with seven zero bytes after it, in order; and where a string there would end.

    Seven zero bytes always cover one whole aligned 32-bit word, so only zero words are looked at closely: the length is
    the last byte other than zero in the word before, and the rest of the seven are low bytes of the word after.
    """
    words = buffer[: len(buffer) & ~3].view("<u4")
    zero = np.flatnonzero(words[1 : size // 4 + 1] == 0)
    before = words.take(zero)
    if not before.all():
        zero = zero[before != 0]
        before = words.take(zero)
    empty = (before < 1 << 24).view(np.uint8) + (before < 1 << 16).view(np.uint8) + (before < 1 << 8).view(np.uint8)
    bits = empty.astype(np.uint32) << 3  # zero bits at the top of the word before
    length = before >> (np.uint32(24) - bits)
    places = (zero.astype(np.uint32) << np.uint32(2)) + np.uint32(3) - empty
    other = words[2:].take(zero) << (bits + 8)
    if other.any():
        whole = other == 0
        places, length = places[whole], length[whole]
    return places, places + length + 8


def _zeros(buffer: NDArray[np.uint8], at: int) -> int:
    """Length of the run of zero bytes that begins at `at`; the buffer ends with bytes that are not zero."""
    begin, step = at, 1 << 10
    while not len(other := np.flatnonzero(buffer[at : at + step])):
        at, step = at + step, step * 4
    return at + int(other[0]) - begin
