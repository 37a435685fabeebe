"""How models, weights and tensors travel to another process: by path and fingerprint, never by value.

What arrives opens the file itself, so that workers on one machine share its pages. Another content there is an error, not
another answer: every file of the model must have the size, the time, the inode and the bytes at both ends that it had here.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary, WeakValueDictionary

from weightmap.checks import check
from weightmap.errors import error
from weightmap.findings import Finding, Severity, finding
from weightmap.opened import Opened
from weightmap.source.address import absolute
from weightmap.source.fingerprint import identity
from weightmap.version import __version__


@dataclass(frozen=True, slots=True)
class Ticket:
    """What is sent of an open model.

    path, place  as it was given, and from the root
    parts        the identity of each of its files, None for one that is not there
    sound        whether it was loaded strictly: checked, and no error found
    cached       the folder of its cache, None where it has none
    """

    path: str
    place: str
    parts: tuple[tuple[int | str, ...] | None, ...]
    sound: bool
    version: str
    cached: str | None

    def open(self) -> Opened:
        """Open the model here. Raises FileChangedError where it is another, MissingFileError where it is not there."""
        store = None
        if self.cached is not None:
            from weightmap.cache.place import store as place  # not for who has no cache

            store = place(self.cached)
        opened = Opened(self.path if absolute(self.path) == self.place else self.place, store)
        try:
            if (found := _parts(opened)) != self.parts:
                raise error(_another(opened, self.parts, found))
            if self.sound and self.version != __version__:
                for problem in check(opened.layout, errors_only=True, sources=opened.sources):
                    if problem.severity is Severity.ERROR:
                        raise error(problem)
            opened.sound = self.sound
        except BaseException:
            opened.close()
            raise
        return opened

    def shared(self) -> Opened:
        """The same, opened once for all tensors that arrive while one of them is alive."""
        with _lock:
            opened = _shared.get(self)
            if opened is None or opened.closed:
                opened = _shared[self] = self.open()
            return opened


_lock = threading.Lock()
_shared: WeakValueDictionary[Ticket, Opened] = WeakValueDictionary()
_made: WeakKeyDictionary[Opened, Ticket] = WeakKeyDictionary()


def ticket(opened: Opened) -> Ticket:
    """What to send of an open model. Raises ClosedError, FileChangedError."""
    opened.require_open()
    made = _made.get(opened)
    if made is None or made.sound != opened.sound:
        cached = None if opened.store is None else opened.store.place
        made = Ticket(opened.path, opened.place, _parts(opened), opened.sound, __version__, cached)
        _made[opened] = made
    return made


def _parts(opened: Opened) -> tuple[tuple[int | str, ...] | None, ...]:
    return tuple(None if source is None else identity(source) for source in opened.sources)


def _another(opened: Opened, sent: tuple[object, ...], found: tuple[object, ...]) -> Finding:
    differing = [number for number, pair in enumerate(zip(sent, found, strict=False)) if pair[0] != pair[1]]
    path = opened.layout.parts[differing[0]].path if differing else opened.path
    text = "The file here is not the one that was sent: its size, time, inode or content is another."
    return finding("file_changed", text, path=path, advice="Open it in this process, or send it anew.")
