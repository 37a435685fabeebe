"""Opens models in the background for one window: the newest wish wins, and what is no longer wanted is closed unseen."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from tensorloupe.document import Document
from tensorloupe.files import places
from tensorloupe.task import Progress
from tensorloupe.tasks import TaskRunner
from tensorloupe.weights import weight_called

TYPE_CHECKING = False
if TYPE_CHECKING:
    import weightmap
    from tensorloupe.opening.contents import Contents

SLOT = "open"


class Opener(QObject):
    """Knows no widgets, so that the first file is being read while Qt's are still being loaded.

    opened   Contents, and whether it is the same file read anew (selection, filter and groups are kept then)
    already  the path is the one that is open, and did not change on disk
    found_elsewhere  the path is open already, in what `elsewhere` gave back
    choices  several models where one was asked for: what they are in, and their paths
    failed   the path and the exception
    stopped  the user cancelled
    stale    how the open file is no longer the one on disk, and when that changed (seconds since 1970, or None)

    Paths travel as objects: a signal of `str` loses what is no Unicode, and the path is then another one.
    """

    started = Signal(object)
    opened = Signal(object, bool)
    already = Signal(object)
    found_elsewhere = Signal(object)
    choices = Signal(object, object)
    failed = Signal(object, object)
    stopped = Signal(object)
    stale = Signal(object, object)

    def __init__(self, tasks: TaskRunner, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks, self._document = tasks, document
        self.elsewhere: Callable[[str], QObject | None] = lambda _: None  # who else shows a path; asked on a thread

    def open(self, path: str) -> None:
        """Open a path in place of what is open. What is being opened at the moment is given up."""
        model, current = self._document.model, self._document.path

        def work(progress: Progress) -> Contents | QObject | None:
            from tensorloupe.opening.contents import read, same_file

            if model is not None and not model.closed and same_file(path, current) and model.changed() is None:
                return None
            return self.elsewhere(path) or read(path, progress)

        def done(found: Contents | QObject | None) -> None:
            if found is None:
                self.already.emit(path)
            elif isinstance(found, QObject):
                self.found_elsewhere.emit(found)
            else:
                self._take(found, keep=False)

        self._start(path, "Opening", work, done)

    def reload(self) -> None:
        """Read the open file anew."""
        path = self._document.path
        if path is None:
            return

        def work(progress: Progress) -> Contents:
            from tensorloupe.opening.contents import read

            return read(path, progress)

        self._start(path, "Reloading", work, lambda contents: self._take(contents, keep=True))

    def close_model(self) -> None:
        """Leave the window without a model."""
        self._tasks.drop(SLOT)
        self.put_away(self._document.set_model(None, None))

    def put_away(self, model: weightmap.WeightFile | None) -> None:
        """Close a model in the background, where waiting for reads under way holds up nobody."""
        if model is not None:
            held = model
            self._tasks.start(f"close {id(held)}", "", lambda _: held.close(), _nothing, quiet=True)

    def check_stale(self) -> None:
        """Ask in the background whether the open file is still the one on disk; tells by `stale` when not."""
        model = self._document.model
        if model is None or self._tasks.running(SLOT):
            return
        held = model

        def work(_: Progress) -> tuple[weightmap.Finding, float | None] | None:
            finding = None if held.closed else held.changed()
            return None if finding is None else (finding, _changed_at(finding.path))

        def done(changed: tuple[weightmap.Finding, float | None] | None) -> None:
            if changed is not None and self._document.model is held:
                self.stale.emit(*changed)

        self._tasks.start("stale", "", work, done, _nothing, quiet=True)

    def _start(self, path: str, verb: str, work: object, done: object) -> None:
        self.started.emit(path)
        self._tasks.start(
            SLOT,
            f"{verb} {printable(places.name(path))}",
            work,  # type: ignore[arg-type]
            done,  # type: ignore[arg-type]
            lambda reason: self._fail(path, reason),
            lambda: self.stopped.emit(path),
            discard=lambda found: None if found is None or isinstance(found, QObject) else found.close(),
        )

    def _take(self, contents: Contents, keep: bool) -> None:
        selected = self._document.selected
        before = self._document.set_model(contents.model, contents.path)
        self.opened.emit(contents, keep)
        if keep and selected is not None:
            self._document.select(weight_called(contents.model, selected.name))
        self.put_away(before)

    def _fail(self, path: str, reason: BaseException) -> None:
        choices: Sequence[str] = getattr(reason, "choices", ())
        if choices:
            self.choices.emit(path, tuple(choices))
        else:
            self.failed.emit(path, reason)


def _changed_at(path: str | None) -> float | None:
    try:
        return os.stat(path).st_mtime if path else None
    except (OSError, ValueError):
        return None


def printable(name: str) -> str:
    """weightmap's, for a title; plain names do not wait until it is loaded."""
    if name.isascii() and name.isprintable():
        return name
    import weightmap

    return weightmap.printable(name)


def _nothing(_: object) -> None:
    """Nobody waits for this."""
