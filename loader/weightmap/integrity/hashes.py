"""The hash functions that checksums are stated in. hashlib lets go of the interpreter while it works, so threads help."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Protocol


class Hash(Protocol):
    """What is used of a hashlib object."""

    def update(self, data: memoryview, /) -> object: ...
    def hexdigest(self) -> str: ...


# By strength: of several for the same bytes the first is compared.
ALGORITHMS = ("sha512", "sha256", "git-sha1", "sha1")
DIGITS = {"sha512": 128, "sha256": 64, "git-sha1": 40, "sha1": 40}


def new(algorithm: str, nbytes: int) -> Hash:
    """A hash of content of `nbytes` bytes: Git puts the size in front of what it hashes."""
    if algorithm == "git-sha1":
        return hashlib.sha1(b"blob %d\0" % nbytes, usedforsecurity=False)
    if algorithm == "sha1":
        return hashlib.sha1(usedforsecurity=False)
    maker: Callable[[], Hash] = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}[algorithm]
    return maker()


def well_formed(algorithm: str, value: str) -> bool:
    """Whether the value has the number of hexadecimal digits that the algorithm gives."""
    return len(value) == DIGITS[algorithm] and all(digit in "0123456789abcdef" for digit in value)
