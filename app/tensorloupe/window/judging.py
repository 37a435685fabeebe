"""Checks headers and metadata of the open model in the background, once the window that shows it has been painted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject

import weightmap
from tensorloupe.items.files import FileRow, file_rows
from tensorloupe.items.outline import Ints, ranks, status_of
from tensorloupe.opening.contents import Contents
from tensorloupe.window import commands

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

SLOT = "judge"
_PAINT = 40  # milliseconds that the window has for its first picture, before the checks take their share of the machine


class Judgement(NamedTuple):
    """What the checks of a model came to: findings, the state of each tensor of its outline, its files."""

    findings: tuple[weightmap.Finding, ...]
    ranks: Ints
    files: tuple[FileRow, ...]


def judge(contents: Contents) -> Judgement:
    """Check a model, on a thread."""
    findings = contents.model.findings
    return Judgement(findings, ranks(map(status_of, contents.outline.tensors)), file_rows(contents.model, findings))


class Judging(QObject):
    """Starts the checks of each model that is opened, and gives the window what they found."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window

    def take(self, contents: Contents, keep: bool) -> None:
        """Check a model that was just opened; `keep` says that it is the same file, read anew."""

        def done(found: Judgement) -> None:
            shown = self._window.contents
            if shown is not None and shown.model is contents.model:
                self._show(shown, found, keep)

        def failed(reason: BaseException) -> None:
            if not isinstance(reason, weightmap.WeightFileError):
                raise reason
            if not contents.model.closed:
                said = weightmap.printable(reason.finding.message)
                self._window.strip.say("error", "Headers and metadata could not be checked.", said)

        self._window.tasks.start(SLOT, "", lambda _: judge(contents), done, failed, quiet=True, delay=_PAINT)

    def _show(self, contents: Contents, found: Judgement, keep: bool) -> None:
        window = self._window
        contents.outline.rank[:] = found.ranks
        window.contents = contents._replace(findings=found.findings, files=found.files)
        window.explorer.dock.take_judgement(found.files, found.findings, turn=not keep)
        window.scanning.judged()
        window.explorer.tree.take_states()
        commands.remember(window, window.contents)
