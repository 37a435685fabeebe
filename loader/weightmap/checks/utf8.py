"""Whether bytes are UTF-8, told without making a string of them: a vocabulary of 262,144 tokens costs a third of decoding it.

What makes a text UTF-8 can be told byte by byte from its neighbours, so numpy does it for many at once: a byte continues a
character (10xxxxxx) just where the one before begins a character of two bytes or more, the second before one of three or
more, or the third before one of four. What is left are the beginnings that would write a character too long, a surrogate,
or one beyond U+10FFFF (RFC 3629, section 4); they are rare, and looked for by value.
"""

from __future__ import annotations

import numpy as np

from weightmap.source.file import Bytes

CHUNK = 1 << 17
REACH = 3  # bytes that a character has behind its first one, at most
# first bytes of characters, and the second bytes that may not come after them
ODD = ((0xE0, np.less, 0xA0), (0xED, np.greater_equal, 0xA0), (0xF0, np.less, 0x90), (0xF4, np.greater_equal, 0x90))


class Utf8:
    """Judges texts, one after the other; keeps its scratch memory."""

    def __init__(self) -> None:
        self._continues = np.empty(CHUNK + REACH, np.bool_)
        self._should = np.empty(CHUNK + REACH, np.bool_)
        self._begins = np.empty(CHUNK + REACH, np.bool_)

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
        if highest < 0x80:
            return True
        size = len(text)
        continues, should, begins = self._continues[:size], self._should[:size], self._begins[:size]
        np.less(text.view(np.int8), -0x40, out=continues)
        should[:1] = False
        np.greater_equal(text[:-1], 0xC0, out=should[1:])
        for back, least in ((2, 0xE0), (3, 0xF0)):
            if highest >= least:
                np.greater_equal(text[:-back], least, out=begins[back:])
                np.logical_or(should[back:], begins[back:], out=should[back:])
        np.not_equal(continues, should, out=begins)
        return not begins[known:].any() and highest <= 0xF4 and self._no_odd_beginnings(text)

    def _no_odd_beginnings(self, text: Bytes) -> bool:
        """Whether characters are written as short as they can be, and are none of those that UTF-8 leaves out."""
        data = text.tobytes()  # looking for one value in bytes is quicker than comparing all of them
        if 0xC0 in data or 0xC1 in data:
            return False
        begins, odd = self._begins[1 : len(text)], self._should[1 : len(text)]
        for first, compare, bound in ODD:
            if first in data:
                np.equal(text[:-1], first, out=begins)
                compare(text[1:], bound, out=odd)
                if np.logical_and(begins, odd, out=odd).any():
                    return False
        return True
