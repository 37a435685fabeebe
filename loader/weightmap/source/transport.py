"""What every way of fetching bytes of a remote file offers, and what is said where one does not work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from weightmap.errors import WeightFileError, error
from weightmap.findings import Finding, finding

Span = tuple[int, int]  # first byte, one past the last


class State(NamedTuple):
    """What tells one content of a remote file from another: size in bytes, and the server's mark of the version if it has one."""

    size: int
    tag: str | None


class Transport(Protocol):
    """A remote file that can be read by ranges. Thread-safe.

    state  as it was when the file was first met
    head   its first bytes, as many as the first answer brought
    notes  what is to be said about how it is read
    """

    state: State
    head: bytes
    notes: tuple[Finding, ...]

    def fetch(self, spans: Sequence[Span]) -> list[bytes]:
        """The bytes of each span, all of them. Raises FileChangedError where the file is another by now."""

    def begin(self, spans: Sequence[Span], done: Callable[[list[bytes] | None], None]) -> bool:
        """Fetch without waiting; `done` gets the bytes, or None where they cannot be had, on another thread. False where
        this transport can only wait.
        """

    def now(self) -> State:
        """Ask for the state anew."""

    def close(self) -> None:
        """End what is being fetched: who waits for it gets ClosedError."""


def changed(url: str, was: State, now: State) -> Finding:
    """The finding for a remote file that is no longer the one that was opened."""
    if now.size != was.size:
        how = f"it {'shrank' if now.size < was.size else 'grew'} from {was.size:,} to {now.size:,} bytes"
    else:
        how = "the server gives another version of it"
    text = f"The file changed while it was open: {how}."
    return finding("file_changed", text, path=url, expected=f"{was.size:,} bytes", found=f"{now.size:,} bytes")


def absent(url: str) -> WeightFileError:
    """For an address that leads to nothing."""
    return error(finding("not_found", "There is no file at this address.", path=url, advice="Check the address."))


def refused(url: str, said: str) -> WeightFileError:
    """For a server that wants to know who asks."""
    advice = "Log in, accept the model's terms if it asks for that, or give the token that the store wants."
    text = f"The server does not let this file be read{f' ({said})' if said else ''}."
    return error(finding("permission", text, path=url, advice=advice))


def failed(url: str, why: str, offset: int | None = None) -> WeightFileError:
    """For everything else that keeps a remote file from being read."""
    return error(finding("remote_error", f"Reading from the server failed: {why}.", path=url, offset=offset))


def short(url: str, start: int, stop: int, got: int) -> WeightFileError:
    """For an answer with fewer bytes than were asked for, or with more."""
    return failed(url, f"{stop - start:,} bytes from byte {start:,} on were asked for, {got:,} came", start)
