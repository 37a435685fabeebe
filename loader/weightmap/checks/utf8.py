"""Whether bytes are UTF-8, told without making a string of them: a vocabulary of 262,144 tokens costs a fifth of decoding it.

What makes a text UTF-8 can be told byte by byte from its neighbours, so numpy does it for many at once: a byte continues a
character (10xxxxxx) just where the one before begins a character of two bytes or more, the second before one of three or
more, or the third before one of four. What is left are the beginnings that would write a character too long, a surrogate,
or one beyond U+10FFFF (RFC 3629, section 4). Every pass over the bytes counts: two comparisons are made one by `maximum`,
and what is rare is looked for with the search that bytes have, which takes a third of the time of comparing them. So does
every fresh page of memory: texts are read into a bytearray, which can be searched and is an array as well.
"""

from __future__ import annotations

import numpy as np

from weightmap.source.byte_source import Bytes

CHUNK = 3 << 16  # bytes: with its scratch memory it stays in the processor's cache
REACH = 3  # bytes that a character has behind its first one, at most
FEW = 24  # in a chunk: so many are looked at one by one, more all at once


class Utf8:
    """Judges texts, one after the other; keeps its scratch memory, and `room` for texts that need none of their own."""

    def __init__(self) -> None:
        self.room = bytearray(CHUNK)
        self._expected, self._memory = bytearray(CHUNK + REACH), bytearray(CHUNK + REACH)
        self._should = np.frombuffer(self._expected, np.bool_)
        self._scratch = np.frombuffer(self._memory, np.uint8)

    def __call__(self, text: bytearray, size: int) -> bool:
        """Whether the first `size` bytes of `text` are UTF-8 from first to last."""
        for back, least in ((1, 0xC0), (2, 0xE0), (3, 0xF0)):
            if size >= back and text[size - back] >= least:
                return False  # a character that breaks off
        whole = np.frombuffer(text, np.uint8) if size else np.empty(0, np.uint8)
        for at in range(0, size, CHUNK):
            begin, end = max(at - REACH, 0), min(at + CHUNK, size)
            if not self._sound(whole[begin:end], text, begin, at):
                return False
        return True

    def _sound(self, text: Bytes, whole: bytearray, begin: int, new: int) -> bool:
        """The same of one chunk, which lies at `begin`, and of which what lies before `new` was judged before."""
        highest = int(text.max())
        if highest < 0x80 or highest > 0xF4:
            return highest < 0x80
        size, known, end = len(text), new - begin, begin + len(text)
        if whole.find(0xC0, begin, end) >= 0 or whole.find(0xC1, begin, end) >= 0:
            return False
        self._begun(text, highest)
        if highest >= 0xF0 and not self._fours(text, _places(whole, begin, end, range(0xF0, highest + 1))):
            return False
        np.less(text.view(np.int8), -0x40, out=self._scratch[:size].view(np.bool_))
        continuing = memoryview(self._memory)[known:size]
        if not self._expected.startswith(continuing, known):
            return False
        return highest < 0xE0 or self._no_odd_threes(text, whole, begin)

    def _begun(self, text: Bytes, highest: int) -> None:
        """Note where characters that began one or two bytes before are not at their end."""
        size = len(text)
        should, scratch = self._should[:size], self._scratch[: size - 1]
        should[:2] = False
        if highest < 0xE0:
            np.greater_equal(text[:-1], 0xC0, out=should[1:])
            return
        # bit 5 set in the byte before makes 0xC0 to 0xDF as high as 0xE0, and no other byte
        np.bitwise_or(text[:-1], 0x20, out=scratch)
        should[1:2] = scratch[:1] >= 0xE0
        np.maximum(scratch[1:], text[:-2], out=scratch[1:])
        np.greater_equal(scratch[1:], 0xE0, out=should[2:])

    def _fours(self, text: Bytes, places: list[int] | None) -> bool:
        """Note where characters of four bytes end, which begin at `places`, or at more than FEW (None).

        Whether the bytes behind the first make a character of four bytes that there is: the text goes on after it, but for
        the very last, which the next chunk has too.
        """
        last = len(text) - 1
        if places is None:
            many = np.flatnonzero(np.greater_equal(text, 0xF0, out=self._scratch[: len(text)].view(np.bool_)))
            self._should[many[many <= last - 3] + 3] = True
            many = many[many < last]
            first, low = text[many], text[many + 1] < 0x90
            return not (low & (first == 0xF0)).any() and not (~low & (first == 0xF4)).any()
        for at in places:
            if at <= last - 3:
                self._expected[at + 3] = True
            if at < last and (int(text[at]), bool(text[at + 1] < 0x90)) in ((0xF0, True), (0xF4, False)):
                return False
        return True

    def _no_odd_threes(self, text: Bytes, whole: bytearray, begin: int) -> bool:
        """Whether characters of three bytes are written as short as they can be, and none is a surrogate.

        The text is known to have continuing bytes just where they should be, and no 0xC0. Bit 5 of the second byte tells
        0xA0 to 0xBF from 0x80 to 0x9F. Moved into the first, it leaves 0xE0 only to the bad pairs of 0xE0, and makes the bad
        ones of 0xED 0xCD.
        """
        size = len(text) - 1
        pairs = np.bitwise_and(text[1:], 0x20, out=self._scratch[:size])
        np.bitwise_xor(text[:-1], pairs, out=pairs)
        if self._memory.find(0xE0, 0, size) >= 0:
            return False
        if self._memory.find(0xCD, 0, size) < 0 or whole.find(0xED, begin, begin + size) < 0:
            return True
        bad, surrogates = pairs.view(np.bool_), self._should[:size]
        np.equal(text[:-1], 0xED, out=surrogates)
        np.bitwise_and(surrogates, np.equal(pairs, 0xCD, out=bad), out=bad)
        return not bad.any()


def _places(text: bytearray, begin: int, end: int, values: range) -> list[int] | None:
    """Where bytes of these values stand between two places, counted from the first; None where at more than FEW."""
    places: list[int] = []
    for value in values:
        at = text.find(value, begin, end)
        while at >= 0:
            if len(places) == FEW:
                return None
            places.append(at - begin)
            at = text.find(value, at + 1, end)
    return places
