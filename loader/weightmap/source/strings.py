"""Finds where each string of a long array begins, a window at a time and with numpy, where one by one would take seconds.

A string array can only be located by walking it: every string has its length in front. Nearly all strings are shorter
than 256 bytes and hold no zeros, so a little-endian 64-bit length stands out as one byte with seven zero bytes after it.
Those places are guessed all at once; a guess counts only where it lies exactly at the end of the string before it, so
the chain from the first string on is proven link by link. Where it breaks (long or empty strings, zeros in a text), plain
stepping carries on until it meets the guesses again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.source.byte_source import Bytes, ByteSource
from weightmap.source.lengths import ASCII, Positions, blank, long_ones
from weightmap.source.utf8 import Utf8

Inside = Positions  # places in a window

WINDOW = 1 << 18
FAR_WINDOW = 1 << 21  # where each look is a round trip
FAR_HEADER = 1 << 28  # bytes: no more is fetched of a remote file's header; the longest known take some thirty millions
LONG = 1 << 10  # a few strings need no whole window
PROVED = 1 << 22  # bytes of an array that are judged while at hand: with more, who asks for no findings waits for them
STEPS = 32  # strings to step over by hand before the guesses are looked at again

# numbers as numpy takes them without making arrays of them first
_ZERO, _TWO, _THREE, _WIDTH, _BITS = (np.array(number, np.uint32) for number in (0, 2, 3, 8, 32))
_BYTES = [np.array(1 << 8 * number, np.uint32) for number in range(4)]


class Starts(NamedTuple):
    """Where strings lie: the text of string i is at base + places[i] + width up to base + places[i + 1].

    base    absolute position of the first length field
    places  of the length fields, counted from base, and of the end behind the last string: one more than there are
            strings; uint32 where that is wide enough, fresh memory being what costs most here
    length  struct code of a length field
    short   whether no string is known to have ASCII bytes or more
    proven  how many strings are known to be UTF-8, from the first on
    failed  absolute position of the length field that leads past the end of the file, or None
    """

    base: int
    places: Positions
    length: str
    short: bool = False
    proven: int = 0
    failed: int | None = None

    @property
    def count(self) -> int:  # type: ignore[override]  # of strings, not of a tuple
        """Number of strings."""
        return len(self.places) - 1

    @property
    def width(self) -> int:
        """Bytes of a length field."""
        return struct.calcsize(self.length)

    @property
    def end(self) -> int:
        """Absolute position behind the last string."""
        return self.base + int(self.places[-1])


class Lying(Protocol):
    """The same, wherever it comes from."""

    @property
    def base(self) -> int: ...
    @property
    def places(self) -> Positions: ...
    @property
    def length(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def short(self) -> bool: ...
    @property
    def proven(self) -> int: ...


def walk(source: ByteSource, offset: int, count: int, length: str, judge: Utf8 | None = None) -> Starts:
    """Walk `count` strings from `offset`; `length` is the struct code of a length field ("<Q", ">I" ...). `judge` has memory
    for it, which a walk after it needs not make again.

    The caller makes sure that count * width fits the file, which bounds the memory by its size.
    """
    field = struct.Struct(length)
    width, room = field.size, max(source.size - offset, 0)
    places: Positions = np.empty(count + 1, np.uint32) if room < 1 << 32 else np.empty(count + 1, np.int64)
    space = min(WINDOW if source.mapped else FAR_WINDOW, room, count * LONG) + 8
    judge = Utf8() if judge is None else judge
    window = judge.room(space) if source.mapped else np.empty(space, np.uint8)
    have, at, longest, proven = 0, 0, 0, 0
    while have < count:
        if not source.mapped and offset + at > FAR_HEADER:
            raise too_far(source)
        if at + width > room:
            places[have] = at
            return Starts(offset, places[: have + 1], length, failed=offset + at)
        size = min(len(window) - 8, room - at, (count - have) * LONG)
        if not source.mapped:
            size = min(size, _likely(have, at, count) + width)
        buffer = window[: size + 8]
        source.read_into(offset + at, buffer[:size])
        buffer[size:] = 255  # ends every run of zeros
        first, most = have, 0
        for inside, largest in (_guessed if length == "<Q" else _stepped)(buffer, size, count - have, field):
            np.add(inside, at, out=places[have : have + len(inside)], casting="unsafe")
            have += len(inside)
            most = max(most, largest)
        last = int(places[have - 1]) - at
        (nbytes,) = field.unpack_from(buffer.data, last)
        if last + width + nbytes > room - at:
            return Starts(offset, places[:have], length, failed=offset + at + last)
        end, longest = last + width + nbytes, max(longest, most)
        if source.mapped and proven == first and at < PROVED:
            if end > size and have - first > 1 and end - last <= LONG:  # whole in the next window
                have, end = have - 1, last
            places[have] = at + end
            if end <= size:
                if most >= ASCII:
                    blank(long_ones(places[first : have + 1], width), width, at, buffer[:end])
                if judge.sound(end):
                    proven = have
        at += end
    places[have] = at
    return Starts(offset, places, length, short=longest < ASCII, proven=proven)


def too_far(source: ByteSource) -> WeightFileError:
    """The error for a header whose end a server could put off for ever."""
    text = f"The header goes on beyond byte {FAR_HEADER:,}; no more of a remote file's header is fetched."
    return error(finding("bad_length", text, path=source.path, offset=FAR_HEADER, expected=f"{FAR_HEADER:,} bytes"))


def _likely(have: int, at: int, count: int) -> int:
    """About how many bytes the strings that are left take, by those before them: what is fetched beyond is for nothing."""
    return (count - have) * at // have + at // 50 if have else 1 << 16


def _stepped(buffer: Bytes, size: int, limit: int, field: struct.Struct) -> Iterator[tuple[Inside, int]]:
    """Places of the length fields that lie whole in the first `size` bytes, found one by one; and the largest length."""
    yield _steps(buffer, 0, size, limit, field)


def _steps(buffer: Bytes, at: int, size: int, limit: int, field: struct.Struct) -> tuple[Inside, int]:
    data, width = buffer.data, field.size
    places: list[int] = []
    longest = 0
    while at + width <= size and len(places) < limit:
        places.append(at)
        (length,) = field.unpack_from(data, at)
        at += width + length
        longest = max(longest, length)
    return np.array(places, np.int64), longest


def _guessed(buffer: Bytes, size: int, limit: int, field: struct.Struct) -> Iterator[tuple[Inside, int]]:
    """The same for little-endian 64-bit lengths: runs of the proven chain of guesses, joined by steps.

    The largest length comes last, with no places; it may be that of a guess which is none.
    """
    guesses, after, lengths = _guesses(buffer, size)
    breaks = np.flatnonzero(guesses[1:] != after[:-1])
    at, used = 0, 0
    while at + 8 <= size and limit:
        first = int(np.searchsorted(guesses, np.uint32(at)))
        run: Inside
        longest = 0
        if first < len(guesses) and guesses[first] == at:
            stop = int(np.searchsorted(breaks, first))
            last = int(breaks[stop]) if stop < len(breaks) else len(guesses) - 1
            last = min(last, first + limit - 1)
            run = guesses[first : last + 1]
            at, used = int(after[last]), last + 1
        else:
            run, longest = _steps(buffer, at, size, min(STEPS, limit), field)
            if run[-1] == at + 8 * (STEPS - 1) and not buffer[run[-1] : run[-1] + 8].any():  # nothing but empty strings
                run = at + 8 * np.arange(min(_zeros(buffer, at) // 8, limit))
            at = int(run[-1]) + 8 + field.unpack_from(buffer.data, int(run[-1]))[0]
        yield run, longest
        limit -= len(run)
    yield guesses[:0], int(np.maximum.reduce(lengths[:used], initial=0))  # behind the array nothing counts


def _guesses(buffer: Bytes, size: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Places of one byte that is not zero with seven zero bytes after it, in order; where a string there would end; and
    those bytes.

    Seven zero bytes always cover one whole aligned 32-bit word, so only zero words are looked at closely: the length is
    the last byte other than zero in the word before, and the rest of the seven are low bytes of the word after.
    """
    words = buffer[: len(buffer) & ~3].view("<u4")
    zero = (words[1 : size // 4 + 1] == _ZERO).nonzero()[0]
    before = words.take(zero, mode="wrap")  # all of them lie there: numpy need not look
    if len(before) and not np.minimum.reduce(before):
        zero = zero[before != 0]
        before = words.take(zero, mode="wrap")
    # bits below the highest byte of the word before that is not zero: that byte is the length
    below = ((before >= _BYTES[1]).view(np.uint8) + (before >= _BYTES[2]).view(np.uint8)).astype(np.uint32)
    below += (before >= _BYTES[3]).view(np.uint8)
    places = zero.astype(np.uint32)
    places <<= _TWO
    places += below
    below <<= _THREE
    length = np.right_shift(before, below, out=before)
    other = words[2:].take(zero, mode="wrap")
    other <<= np.subtract(_BITS, below, out=below)
    if len(other) and np.maximum.reduce(other):
        whole = other == _ZERO
        places, length = places[whole], length[whole]
    after = np.add(places, length, out=other[: len(places)])
    after += _WIDTH
    return places, after, length


def _zeros(buffer: Bytes, at: int) -> int:
    """Length of the run of zero bytes that begins at `at`; the buffer ends with bytes that are not zero."""
    begin, step = at, 1 << 10
    while not len(other := np.flatnonzero(buffer[at : at + step])):
        at, step = at + step, step * 4
    return at + int(other[0]) - begin
