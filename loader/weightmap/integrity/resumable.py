"""SHA-256 whose state can be kept and taken up again, which hashlib's cannot: by OpenSSL's older interface, if it is there.

hashlib stands on OpenSSL, whose SHA256_Init, _Update and _Final work on a plain struct of 112 bytes. They are reached through
the library that hashlib itself has loaded, tried once against hashlib, and left alone where anything is otherwise.
"""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from typing import Any

STATE = 112  # bytes: eight words, the count of bits in two words, a block of 64 bytes, how much of it is filled, 32
ROOM = 256  # bytes, should a struct be larger
COUNT, FILLED, LENGTH = 32, 104, 108  # places of the count and of the last two words


class Sha256:
    """A hash like hashlib's, with `state`. Raises ValueError for a state that cannot be one."""

    def __init__(self, state: bytes | None = None) -> None:
        self._functions = _functions()
        self._context = ctypes.create_string_buffer(ROOM)
        if state is None:
            self._functions.SHA256_Init(self._context)
        elif len(state) != STATE or not _possible(state):
            raise ValueError("no state of SHA-256")
        else:
            ctypes.memmove(self._context, state, STATE)

    def update(self, data: memoryview) -> None:
        """Take the bytes of a writable, contiguous buffer, without a copy and without the interpreter's lock."""
        if len(data):
            self._functions.SHA256_Update(self._context, (ctypes.c_char * len(data)).from_buffer(data), len(data))

    def hexdigest(self) -> str:
        """The hash of what came so far; more can be taken afterwards."""
        copy = ctypes.create_string_buffer(self._context.raw, ROOM)
        digest = ctypes.create_string_buffer(32)
        self._functions.SHA256_Final(digest, copy)
        return digest.raw.hex()

    @property
    def nbytes(self) -> int:
        """How many bytes it has taken."""
        return int.from_bytes(self._context.raw[COUNT : COUNT + 8], "little") // 8

    @property
    def state(self) -> bytes:
        """What `Sha256(state)` carries on from."""
        return self._context.raw[:STATE]


@cache
def available() -> bool:
    """Whether states can be kept here: a few pieces hashed with a state in between give what hashlib gives."""
    try:
        _functions()
        data = bytearray(range(256)) * 5
        for cut in (0, 1, 63, 64, 65, 640, len(data)):
            first = Sha256()
            first.update(memoryview(data)[:cut])
            second = Sha256(first.state)
            second.update(memoryview(data)[cut:])
            if second.nbytes != len(data) or second.hexdigest() != hashlib.sha256(data).hexdigest():
                return False
        return _possible(first.state)
    except (ImportError, AttributeError, OSError, TypeError, ValueError):
        return False


def _possible(state: bytes) -> bool:
    """Whether the lengths in a state keep within its block: OpenSSL trusts them."""
    return int.from_bytes(state[FILLED : FILLED + 4], "little") < 64 and state[LENGTH:STATE] == b"\x20\0\0\0"


@cache
def _functions() -> Any:
    """OpenSSL's functions. Raises ImportError, AttributeError or OSError where they cannot be reached."""
    import _hashlib

    library = ctypes.CDLL(_hashlib.__file__)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.SHA256_Init.argtypes = [pointer]
    library.SHA256_Update.argtypes = [pointer, pointer, size]
    library.SHA256_Final.argtypes = [pointer, pointer]
    return library
