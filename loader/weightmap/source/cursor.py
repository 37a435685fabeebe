"""Reads a header front to back: the only code that touches header bytes, so the only place where a bound can be missed.

Every read is compared with the size of the file before a byte is read or an object made. Bytes come through the source's
`read` in windows that grow, never through the mapping, so a header costs few system calls and a hostile one little memory.
"""

from __future__ import annotations

import struct
from typing import Any

from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.source.byte_source import ByteSource
from weightmap.source.strings import FAR_HEADER, Starts, too_far, walk
from weightmap.source.utf8 import Utf8

FIRST_WINDOW = 1 << 16
LAST_WINDOW = 1 << 18
LONGEST_TEXT = 1 << 28  # bytes; a tokenizer's JSON takes some tens of millions
LONGEST_NAME = 1 << 20  # bytes of a key or a name: more is no name, whatever the format allows
MOST_STRINGS = 1 << 26  # in one array; a vocabulary has some hundred thousand
PLAUSIBLE = 1024  # bytes of a name, or of a short value


class Cursor:
    """A position in a source that only moves forward.

    What is being read goes into errors: `place`, `number` and `count` ("tensor 7 of 291"), and `key` or `tensor`. `wide`
    is the struct code of lengths and counts: "Q", or "I" in GGUF version 1.
    """

    def __init__(self, source: ByteSource, offset: int = 0, *, big_endian: bool = False) -> None:
        self.source = source
        self.size = source.size
        self.position = offset
        self.place, self.number, self.count = "the header", 0, 0
        self.key: str | None = None
        self.tensor: str | None = None
        self._judge = Utf8()
        self._buffer = b""
        self._start = self._end = offset
        self._window = FIRST_WINDOW
        self.arrange(big_endian=big_endian, wide=True)

    def arrange(self, *, big_endian: bool, wide: bool) -> None:
        """Set the byte order of what follows, and whether its lengths and counts take 64 bits (else 32)."""
        self.order = ">" if big_endian else "<"
        self.wide = "Q" if wide else "I"
        self._length = struct.Struct(self.order + self.wide)
        self.count_bytes = self._length.size
        self._u32 = struct.Struct(self.order + "I")

    @property
    def where(self) -> str:
        """What is being read, for an error's sentence."""
        return f"{self.place} {self.number:,} of {self.count:,}" if self.count else self.place

    @property
    def remaining(self) -> int:
        """Bytes from here to the end of the file."""
        return max(self.size - self.position, 0)

    def unpack(self, layout: struct.Struct, what: str) -> tuple[Any, ...]:
        """The fields of `layout`, which carries its own byte order. Raises TruncatedFileError."""
        at, end = self.position, self.position + layout.size
        if end > self._end:
            self._fill(layout.size, what)
        self.position = end
        return layout.unpack_from(self._buffer, at - self._start)

    def u32(self, what: str) -> int:
        """An unsigned 32-bit integer."""
        value: int = self.unpack(self._u32, what)[0]
        return value

    def length(self, what: str) -> int:
        """A length or a count of the width that the version prescribes, as it stands: the caller bounds it."""
        value: int = self.unpack(self._length, what)[0]
        return value

    def take(self, nbytes: int, what: str) -> bytes:
        """The next `nbytes` bytes. Raises TruncatedFileError."""
        at, end = self.position, self.position + nbytes
        if end > self._end:
            self._fill(nbytes, what)
        self.position = end
        at -= self._start
        return self._buffer[at : at + nbytes]

    def text(self, what: str, longest: int = LONGEST_TEXT) -> str:
        """A string with its length before it; bytes that are no UTF-8 come as surrogate escapes."""
        at = self.position
        nbytes = self.length(what)
        if nbytes > longest:
            raise self.too_long(what, nbytes, "bytes", at)
        if nbytes > self.size - self.position:
            # a short one is cut off by the file's end; a long one makes no sense
            raise self.cut(nbytes, what) if nbytes < PLAUSIBLE else self.too_long(what, nbytes, "bytes", at)
        return self.take(nbytes, what).decode("utf-8", "surrogateescape")

    def skip(self, nbytes: int, what: str) -> int:
        """Step over `nbytes` bytes without reading them; gives the position where they begin."""
        if nbytes > self.remaining:
            raise self.cut(nbytes, what)
        at, self.position = self.position, self.position + nbytes
        return at

    def strings(self, count: int, what: str) -> Starts:
        """Step over `count` strings; gives where each begins (see `walk`)."""
        if count > MOST_STRINGS:
            raise self.too_long(what, count, "strings", self.position)
        starts = walk(self.source, self.position, count, self.order + self.wide, self._judge)
        if starts.failed is not None:
            self.position = starts.failed
            raise self.too_long(f"string {len(starts.places) - 1:,} of {what}", None, "bytes", starts.failed)
        self.position = starts.end
        return starts

    def too_long(self, what: str, found: int | None, unit: str, at: int) -> WeightFileError:
        """The error for a length or count that the file has no room for."""
        claim = "runs" if found is None else f"is said to be {found:,} {unit}, which is too long or runs"
        return error(
            finding(
                "bad_length",
                f"The length of {what} of {self.where} {claim} past the end of the file: "
                f"{max(self.size - at, 0):,} bytes are left from byte {at:,}, and the file has {self.size:,} bytes.",
                path=self.source.path,
                offset=at,
                key=self.key,
                tensor=self.tensor,
                expected=f"at most {max(self.size - at, 0):,} bytes",
                found=None if found is None else f"{found:,} {unit}",
            )
        )

    def cut(self, nbytes: int, what: str) -> WeightFileError:
        """The error for a file that ends inside something."""
        return error(
            finding(
                "truncated",
                f"The file ends inside {what} of {self.where}: {nbytes:,} bytes were expected at byte {self.position:,}, "
                f"{self.remaining:,} are there; the file has {self.size:,} bytes.",
                path=self.source.path,
                offset=self.position,
                key=self.key,
                tensor=self.tensor,
                expected=f"{nbytes:,} bytes",
                found=f"{self.remaining:,} bytes",
            )
        )

    def _fill(self, nbytes: int, what: str) -> None:
        """Load a window that holds the next `nbytes` bytes."""
        if nbytes > self.size - self.position:
            raise self.cut(nbytes, what)
        if not self.source.mapped and self.position > FAR_HEADER:
            raise too_far(self.source)
        window = self._window
        if not self.source.mapped and self.position != self._end:
            # behind something long, such as numbers that are skipped: up to where another block would have to be fetched
            window = self._window = FIRST_WINDOW - self.position % FIRST_WINDOW
        length = min(max(nbytes, window), self.size - self.position)
        self._window = min(max(self._window, FIRST_WINDOW) * 4, LAST_WINDOW)
        self._buffer = self.source.read(self.position, length)
        self._start, self._end = self.position, self.position + length
