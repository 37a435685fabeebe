"""What travels instead of a model: the path, and a fingerprint that says whether a worker sees the same content.

A process opens a model once for all the work that it gets on it, and keeps the last few open.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from weightmap.api import Path
from weightmap.composed import Composed
from weightmap.errors import error, printable
from weightmap.findings import Finding, finding
from weightmap.model import WeightFile
from weightmap.opened import Opened
from weightmap.source.address import is_url
from weightmap.source.byte_source import ByteSource
from weightmap.source.fingerprint import ends
from weightmap.tensor import Tensor
from weightmap.validation import Verdict

_KEPT = 8  # models or pairs of models that a process keeps open

Mark = tuple[int | str, ...]  # the fingerprint of one file
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A path as it was given, and the folder it was given in: a worker may have been started in another one."""

    path: str
    folder: str

    @property
    def absolute(self) -> bool:
        """Whether the path means the same in every folder."""
        return os.path.isabs(self.path) or is_url(self.path)

    def here(self) -> str:
        """The path under which this process finds the same."""
        return self.path if self.absolute or _folder() == self.folder else os.path.join(self.folder, self.path)

    def as_given(self, found: Verdict) -> Verdict:
        """A verdict with paths as they would be told in the folder where the path was given."""
        if self.here() == self.path:
            return found
        start = os.path.join(self.folder, "")

        def told(text: str) -> str:
            return text.replace(start, "").replace(printable(start), "")

        def of(one: Finding) -> Finding:
            path, expected, seen = (text and told(text) for text in (one.path, one.expected, one.found))
            return replace(one, message=told(one.message), path=path, expected=expected, found=seen)

        return replace(
            found,
            path=told(found.path),
            findings=tuple(map(of, found.findings)),
            files=tuple(map(told, found.files)),
        )


@dataclass(frozen=True, slots=True)
class Handle:
    """A model to be opened by whoever gets this: by path, and only if its files have these fingerprints."""

    place: Place
    marks: tuple[Mark | None, ...]

    def model(self) -> WeightFile:
        """The open model, the same for everybody in this process: do not close it. Raises FileChangedError where this
        process sees other content, and what `weightmap.open` raises.
        """
        found = shared(("model", self), self._opened)
        if not is_url(self.place.path) and found.changed() is not None:  # a server is asked when something is read
            forget(("model", self))
            found = shared(("model", self), self._opened)
        return found

    def tensor(self, name: str) -> Tensor | Composed:
        """A tensor as it is stored, by its name, else a weight composed of several. Raises KeyError."""
        model = self.model()
        found = model.tensors.get(name)
        return model.composed[name] if found is None else found

    def weight(self, name: str) -> Tensor | Composed:
        """What `load_weights` has under a name: a composed weight goes before the tensor that holds its codes. Raises KeyError."""
        model = self.model()
        found = model.composed.get(name)
        return model.tensors[name] if found is None else found

    def _opened(self) -> WeightFile:
        opened = Opened(self.place.here())
        if (seen := _marks(opened)) != self.marks:
            opened.close()
            what = "The file changed since the work was given out, or this machine sees another one under this path."
            raise error(finding("file_changed", what, path=self.place.path, expected=f"{self.marks}", found=f"{seen}"))
        return WeightFile(opened)


def place(path: Path) -> Place:
    """A path as it is meant in this process."""
    return Place(os.fsdecode(os.fspath(path)), _folder())


def handle(path: Path) -> Handle:
    """A handle of a model, which is opened for its fingerprints. It can be pickled. Raises what `weightmap.open` raises."""
    where = place(path)
    opened = Opened(where.path)
    try:
        return Handle(where, _marks(opened))
    finally:
        opened.close()


_lock = threading.Lock()
_kept: OrderedDict[Hashable, Any] = OrderedDict()


def shared(key: Hashable, make: Callable[[], T]) -> T:
    """What this process keeps under a key, made where it is not there; the last few are kept."""
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            found: T = _kept[key]
            return found
    made = make()
    with _lock:
        made = _kept.setdefault(key, made)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)  # closed by whoever uses it last
        return made


def forget(key: Hashable) -> None:
    """Keep something no longer; who uses it may go on."""
    with _lock:
        _kept.pop(key, None)


def _marks(opened: Opened) -> tuple[Mark | None, ...]:
    return tuple(None if source is None else _mark(source) for source in opened.sources)


def _mark(source: ByteSource) -> Mark:
    """Size, modification time and both ends of a file, wherever its copy lies; of a remote one what its server says."""
    stated: Mark = getattr(source, "fingerprint", (source.size,))
    return (*stated[:2], *ends(source)) if source.mapped else stated


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""
