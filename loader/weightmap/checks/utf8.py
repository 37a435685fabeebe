"""Whether bytes are UTF-8, told without making a string of them: a vocabulary of 262,144 tokens costs a quarter of decoding it.

What makes a text UTF-8 can be told byte by byte from its neighbours, so numpy does it for many at once: a byte continues a
character (10xxxxxx) just where the one before begins a character of two bytes or more, the second before one of three or
more, or the third before one of four. What is left are the beginnings that would write a character too long, a surrogate,
or one beyond U+10FFFF (RFC 3629, section 4). Every pass over the bytes counts: two comparisons are made one by `maximum`,
and what is rare is looked for with the search that bytes have, which takes a third of the time of comparing them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightmap.source.file import Bytes

CHUNK = 1 << 17  # bytes: with its scratch memory it stays in the processor's cache
REACH = 3  # bytes that a character has behind its first one, at most
FEW = 24  # in a chunk: so many are looked at one by one, more all at once
# first bytes of characters, and the continuing bytes that may not come after them; 0xE0 is judged by another rule
ODD = ((0xED, range(0xA0, 0xC0)), (0xF0, range(0x80, 0x90)), (0xF4, range(0x90, 0xC0)))


class Utf8:
    """Judges texts, one after the other; keeps its scratch memory."""

    def __init__(self) -> None:
        self._continues = np.empty(CHUNK + REACH, np.bool_)
        self._should = np.empty(CHUNK + REACH, np.bool_)
        self._memory = bytearray(CHUNK + REACH)
        self._scratch = np.frombuffer(self._memory, np.uint8)

    def __call__(self, text: Bytes) -> bool:
        """Whether `text`, (n,) uint8, is UTF-8 from its first byte to its last."""
        for back, least in ((1, 0xC0), (2, 0xE0), (3, 0xF0)):
            if len(text) >= back and text[-back] >= least:
                return False  # a character that breaks off
        return all(
            self._sound(text[max(at - REACH, 0) : at + CHUNK], min(at, REACH)) for at in range(0, len(text), CHUNK)
        )

    def _sound(self, text: Bytes, known: int) -> bool:
        """The same of one chunk, of which the first `known` bytes were judged before."""
        highest = int(text.max())
        if highest < 0x80 or highest > 0xF4:
            return highest < 0x80
        size = len(text)
        data = text.tobytes()
        should = self._begun(text, data, highest)
        continues, wrong = self._continues[:size], self._scratch[:size]
        np.less(text.view(np.int8), -0x40, out=continues)
        np.bitwise_xor(continues, should, out=wrong.view(np.bool_))
        return self._memory.find(1, known, size) < 0 and self._no_odd_beginnings(text, data, highest)

    def _begun(self, text: Bytes, data: bytes, highest: int) -> NDArray[np.bool_]:
        """Where characters that began before are not at their end: (n,) bool."""
        size = len(text)
        should, scratch = self._should[:size], self._scratch[: size - 1]
        should[:2] = False
        if highest < 0xE0:
            np.greater_equal(text[:-1], 0xC0, out=should[1:])
            return should
        # bit 5 set in the byte before makes 0xC0 to 0xDF as high as 0xE0, and no other byte
        np.bitwise_or(text[:-1], 0x20, out=scratch)
        should[1:2] = scratch[:1] >= 0xE0
        np.maximum(scratch[1:], text[:-2], out=scratch[1:])
        np.greater_equal(scratch[1:], 0xE0, out=should[2:])
        for first in range(0xF0, highest + 1):
            places = _places(data, first)
            if places is None:
                fourths = np.greater_equal(text[:-3], 0xF0, out=scratch[2:].view(np.bool_))
                np.bitwise_or(should[3:], fourths, out=should[3:])
                break
            for at in places:
                should[at + 3 : at + 4] = True
        return should

    def _no_odd_beginnings(self, text: Bytes, data: bytes, highest: int) -> bool:
        """Whether characters are written as short as they can be, and are none of those that UTF-8 leaves out.

        The text is known to have continuing bytes just where they should be.
        """
        if 0xC0 in data or 0xC1 in data:
            return False
        size = len(text) - 1
        if 0xE0 in data:
            # bit 5 of the second byte tells 0xA0 to 0xBF from 0x80 to 0x9F; moved into the first, only the bad pairs keep
            # 0xE0: the other way to it is 0xC0, and there is none
            pairs = np.bitwise_and(text[1:], 0x20, out=self._scratch[:size])
            np.bitwise_xor(text[:-1], pairs, out=pairs)
            if self._memory.find(0xE0, 0, size) >= 0:
                return False
        for first, bad in ODD:
            if first > highest:
                break
            places = _places(data, first)
            if places is not None:
                if any(data[at + 1] in bad for at in places if at < size):
                    return False
                continue
            begins, odd = self._continues[:size], self._should[:size]
            np.equal(text[:-1], first, out=begins)
            for compare, bound in ((np.greater_equal, bad.start), (np.less, bad.stop)):
                np.bitwise_and(begins, compare(text[1:], bound, out=odd), out=begins)
            if begins.any():
                return False
        return True


def _places(data: bytes, value: int) -> list[int] | None:
    """Where a byte stands; None where in more than FEW places."""
    places: list[int] = []
    at = data.find(value)
    while at >= 0:
        if len(places) == FEW:
            return None
        places.append(at)
        at = data.find(value, at + 1)
    return places
