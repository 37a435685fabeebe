"""Whether bytes are UTF-8, told without making a string of them: a vocabulary of 262,144 tokens costs a sixth of decoding it.

What makes a text UTF-8 can be told byte by byte from its neighbours, so numpy does it for many at once: a byte continues a
character (10xxxxxx) just where the one before begins a character of two bytes or more, the second before one of three or
more, or the third before one of four. What is left are the beginnings that would write a character too long, a surrogate,
or one beyond U+10FFFF (RFC 3629, section 4). Every pass over the bytes counts: two comparisons are made one by `maximum`,
and what is rare is looked for with the search that bytes have, which takes a third of the time of comparing them. So does
every fresh page of memory: texts are read into a bytearray, which can be searched and is an array as well, and what is read
for the last time is written over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from weightmap.source.byte_source import Bytes

CHUNK = 1 << 18  # bytes judged at once
HEAD = 16  # bytes before what is judged, so that numbers may be read there as they lie
REACH = 3  # bytes that a character has behind its first one, at most
FEW = 32  # in a chunk: so many are looked at one by one, more all at once

# numbers as numpy takes them, which makes arrays of others at every pass
_CASE, _ALL_BUT_CASE = np.array(0x20, np.uint8), np.array(0xDF, np.uint8)
_TWO, _THREE, _FOUR, _LAST = (np.array(number, np.uint8) for number in (0xC0, 0xE0, 0xF0, 0xF4))
_LOW, _CONTINUING = np.array(0x90, np.uint8), np.array(-0x40, np.int8)


class Utf8:
    """Judges texts, one after the other, in memory that it keeps."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._make_room(0)

    def room(self, size: int) -> Bytes:
        """Memory to read `size` bytes into, of which `sound` can be asked; what was read before is gone."""
        self._make_room(size)
        return self._array[HEAD : HEAD + size]

    def sound(self, size: int) -> bool:
        """Whether the first `size` bytes of `room` are UTF-8. Writes over all that is there."""
        return self._judged(bytes(REACH), HEAD + size, last=True)

    def unsound(self, size: int, read: Callable[[int, Bytes], None]) -> Iterator[tuple[int, int]]:
        """(begin, end) of the pieces of a text in which something is not UTF-8, in order; none where all of it is.

        `read(at, out)` fills `out` with the bytes from `at` on. A piece overlaps the one before by REACH bytes, and what is
        wrong with it begins in it.
        """
        before = bytes(REACH)  # what lies before the bytes that are new; at the very beginning nothing that counts
        for at in range(0, size, CHUNK):
            new = min(CHUNK, size - at)
            read(at, self.room(new))
            after = bytes(self._text[HEAD + new - REACH : HEAD + new]) if new >= REACH else b""
            if not self._judged(before, HEAD + new, last=at + CHUNK >= size):
                yield max(at - REACH, 0), at + new
            before = after

    def _judged(self, before: bytes, end: int, *, last: bool) -> bool:
        """Whether what lies in the room up to `end` is sound, with REACH bytes put before it."""
        self._text[HEAD - REACH : HEAD] = before
        if last:  # no character goes on behind the last byte
            self._text[end : end + REACH] = bytes(REACH)
            end += REACH
        return self._sound(self._array[HEAD - REACH : end], self._scratch[HEAD - REACH : end], end)

    def _make_room(self, size: int) -> None:
        """Memory for pieces of this size: small texts, which nearly all files have alone, need none to speak of."""
        size += HEAD + REACH
        if size > len(self._text):
            self._text, self._other = bytearray(size), bytearray(size)
            self._array, self._scratch = np.frombuffer(self._text, np.uint8), np.frombuffer(self._other, np.uint8)

    def _sound(self, text: Bytes, begun: Bytes, end: int) -> bool:
        """Whether all characters of `text`, which goes up to `end`, that begin before its last REACH bytes are sound, where
        the first REACH are known to continue, or end, what they should. Writes over it and the scratch beside it.
        """
        highest = int(np.maximum.reduce(text))
        if highest < 0x80 or highest > 0xF4:
            return highest < 0x80
        begin, find = HEAD - REACH, self._text.find
        if find(0xC1, begin, end) >= 0:
            return False
        # what is written of each byte but the last is whether the next one continues a character
        if highest < 0xE0:
            if find(0xC0, begin, end) >= 0:
                return False
            np.greater_equal(text, _TWO, out=begun.view(np.bool_))
        else:
            thirds = self._fours(text, begun, end, highest)
            if thirds is None:
                return False
            if find(0xE0, begin, end) >= 0 or find(0xED, begin, end) >= 0:
                if not self._no_odd_threes(text, begun, end):
                    return False
            elif find(0xC0, begin, end) >= 0:
                return False
            else:
                np.bitwise_or(text, _CASE, out=begun)
            later = begun[1:]
            np.maximum(later, text[:-1], out=later)
            np.greater_equal(begun, _THREE, out=begun.view(np.bool_))
            if len(thirds):
                begun[thirds] = True
        np.less(text.view(np.int8), _CONTINUING, out=text.view(np.bool_))
        return self._other.startswith(memoryview(self._text)[HEAD:end], HEAD - 1)

    def _fours(self, text: Bytes, scratch: Bytes, end: int, highest: int) -> list[int] | NDArray[np.intp] | None:
        """Where the third bytes of characters of four bytes lie, which not only those before tell; None where the first two
        bytes of one make no character that there is.
        """
        if highest < 0xF0:
            return []
        last = len(text) - 1  # the next piece begins with it
        places = _places(self._text, HEAD - REACH, end, highest)
        if places is not None:
            second = [(int(text[at]), text[at + 1] < 0x90) for at in places if at < last]
            if (0xF0, True) in second or (0xF4, False) in second:
                return None
            return [at + 2 for at in places if at < last - 1]
        many = np.greater_equal(text[:-1], _FOUR, out=scratch[:-1].view(np.bool_)).nonzero()[0]
        first, low = text[many], text[many + 1] < _LOW
        if (low & (first == _FOUR)).any() or (~low & (first == _LAST)).any():
            return None
        return many[many < last - 1] + 2

    def _no_odd_threes(self, text: Bytes, scratch: Bytes, end: int) -> bool:
        """Whether there is no 0xC0, all characters of three bytes are written as short as they can be, and none is a
        surrogate. Leaves the text in the scratch with bit 5 of each byte set, which makes 0xC0 to 0xDF as high as 0xE0, and
        no other byte.

        Bit 5 of the second byte tells 0xA0 to 0xBF from 0x80 to 0x9F. Where it is not set, bit 5 of the first is cleared: that
        makes 0xC0 of an 0xE0 that has a bad second byte, and leaves 0xED only where it has one.
        """
        pairs, begin, find = scratch[:-1], HEAD - REACH, self._other.find
        np.bitwise_or(text[1:], _ALL_BUT_CASE, out=pairs)
        np.bitwise_and(pairs, text[:-1], out=pairs)
        odd = find(0xC0, begin, end - 1) >= 0 or find(0xED, begin, end - 1) >= 0
        np.bitwise_or(pairs, _CASE, out=pairs)
        return not odd


def _places(text: bytearray, begin: int, end: int, highest: int) -> list[int] | None:
    """Where bytes from 0xF0 up to the highest stand, counted from `begin`; None where at more than FEW."""
    places: list[int] = []
    for value in range(0xF0, highest + 1):
        at = text.find(value, begin, end)
        while at >= 0:
            if len(places) == FEW:
                return None
            places.append(at - begin)
            at = text.find(value, at + 1, end)
    return places
