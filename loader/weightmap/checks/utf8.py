"""Whether bytes are UTF-8, told without making a string of them: a vocabulary of 262,144 tokens costs a sixth of decoding it.

What makes a text UTF-8 can be told byte by byte from its neighbours, so numpy does it for many at once: a byte continues a
character (10xxxxxx) just where the one before begins a character of two bytes or more, the second before one of three or
more, or the third before one of four. What is left are the beginnings that would write a character too long, a surrogate,
or one beyond U+10FFFF (RFC 3629, section 4). Every pass over the bytes counts: two comparisons are made one by `maximum`,
and what is rare is looked for with the search that bytes have, which takes a third of the time of comparing them. So does
every fresh page of memory: texts are read into a bytearray, which can be searched and is an array as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from weightmap.source.byte_source import Bytes

CHUNK = 1 << 18  # bytes judged at once
REACH = 3  # bytes that a character has behind its first one, at most
FEW = 24  # in a chunk: so many are looked at one by one, more all at once

# numbers as numpy takes them, which makes arrays of others at every pass
_CASE, _TWO, _THREE, _FOUR, _LAST = (np.array(number, np.uint8) for number in (0x20, 0xC0, 0xE0, 0xF0, 0xF4))
_LOW, _CONTINUING = np.array(0x90, np.uint8), np.array(-0x40, np.int8)


class Utf8:
    """Judges texts, one after the other, in memory that it keeps."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._make_room(0)

    def unsound(self, size: int, read: Callable[[int, Bytes], None]) -> Iterator[tuple[int, int]]:
        """(begin, end) of the pieces of a text in which something is not UTF-8, in order; none where all of it is.

        `read(at, out)` fills `out` with the bytes from `at` on. A piece overlaps the one before by REACH bytes, and what is
        wrong with it begins in it.
        """
        self._make_room(min(size, CHUNK))
        text, array = self._text, self._array
        text[:REACH] = bytes(
            REACH
        )  # what lies before the bytes that are new; at the very beginning nothing that counts
        for at in range(0, size, CHUNK):
            end = REACH + min(CHUNK, size - at)
            read(at, array[REACH:end])
            behind = end
            if at + CHUNK >= size:  # no character goes on behind the last byte
                behind += REACH
                text[end:behind] = bytes(REACH)
            if not self._sound(array[:behind], behind):
                yield max(at - REACH, 0), at + end - REACH
            text[:REACH] = text[end - REACH : end]

    def _make_room(self, size: int) -> None:
        """Memory for pieces of this size: small texts, which nearly all files have alone, need none to speak of."""
        size += 2 * REACH
        if size > len(self._text):
            self._text, self._memory, self._more = (bytearray(size) for _ in range(3))
            self._array = np.frombuffer(self._text, np.uint8)
            self._scratch, self._other = np.frombuffer(self._memory, np.uint8), np.frombuffer(self._more, np.uint8)

    def _sound(self, text: Bytes, size: int) -> bool:
        """Whether all characters that begin before the last REACH bytes are sound, of which the first REACH are known to
        continue, or end, what they should.
        """
        highest = int(np.maximum.reduce(text))
        if highest < 0x80 or highest > 0xF4:
            return highest < 0x80
        if self._text.find(0xC0, 0, size) >= 0 or self._text.find(0xC1, 0, size) >= 0:
            return False
        # of each byte whether the next one continues a character, which in the first two pieces of memory can be searched
        begun = self._scratch[:size]
        if highest < 0xE0:
            np.greater_equal(text, _TWO, out=begun.view(np.bool_))
        else:
            # bit 5 set makes 0xC0 to 0xDF as high as 0xE0, and no other byte
            np.bitwise_or(text, _CASE, out=begun)
            later = begun[1:]
            np.maximum(later, text[:-1], out=later)
            np.greater_equal(begun, _THREE, out=begun.view(np.bool_))
            if highest >= 0xF0 and not self._fours(text, _places(self._text, size, range(0xF0, highest + 1))):
                return False
        np.less(text.view(np.int8), _CONTINUING, out=self._other[:size].view(np.bool_))
        if not self._memory.startswith(memoryview(self._more)[REACH:size], REACH - 1):
            return False
        return highest < 0xE0 or self._no_odd_threes(text, size)

    def _fours(self, text: Bytes, places: list[int] | None) -> bool:
        """Note where characters of four bytes end, which begin at `places`, or at more than FEW (None).

        Whether the bytes behind the first make a character of four bytes that there is: the text goes on after it, but for
        the very last, which the next piece has too.
        """
        last = len(text) - 1
        if places is None:
            many = np.greater_equal(text, _FOUR, out=self._other[: len(text)].view(np.bool_)).nonzero()[0]
            self._scratch[many[many <= last - 2] + 2] = True
            many = many[many < last]
            first, low = text[many], text[many + 1] < _LOW
            return not (low & (first == _FOUR)).any() and not (~low & (first == _LAST)).any()
        for at in places:
            if at <= last - 2:
                self._memory[at + 2] = True
            if at < last and (self._text[at], self._text[at + 1] < 0x90) in ((0xF0, True), (0xF4, False)):
                return False
        return True

    def _no_odd_threes(self, text: Bytes, size: int) -> bool:
        """Whether characters of three bytes are written as short as they can be, and none is a surrogate.

        The text is known to have continuing bytes just where they should be, and no 0xC0. Bit 5 of the second byte tells
        0xA0 to 0xBF from 0x80 to 0x9F. Moved into the first, it leaves 0xE0 only to the bad pairs of 0xE0, and makes the bad
        ones of 0xED 0xCD.
        """
        size -= 1
        pairs = np.bitwise_and(text[1:], _CASE, out=self._scratch[:size])
        np.bitwise_xor(text[:-1], pairs, out=pairs)
        if self._memory.find(0xE0, 0, size) >= 0:
            return False
        if self._text.find(0xED, 0, size) < 0 or self._memory.find(0xCD, 0, size) < 0:
            return True
        bad, surrogates = pairs.view(np.bool_), self._other[:size].view(np.bool_)
        np.equal(text[:-1], 0xED, out=surrogates)
        np.bitwise_and(surrogates, np.equal(pairs, 0xCD, out=bad), out=bad)
        return not bad.any()


def _places(text: bytearray, end: int, values: range) -> list[int] | None:
    """Where bytes of these values stand before `end`; None where at more than FEW."""
    places: list[int] = []
    for value in values:
        at = text.find(value, 0, end)
        while at >= 0:
            if len(places) == FEW:
                return None
            places.append(at)
            at = text.find(value, at + 1, end)
    return places
