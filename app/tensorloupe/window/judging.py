"""Checks headers and metadata of the open model in the background, once the window that shows it has been painted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

import weightmap
from tensorloupe.items.files import FileRow, file_rows
from tensorloupe.items.outline import Ints, ranks, status_of
from tensorloupe.opening.contents import Contents

if TYPE_CHECKING:
    from tensorloupe.window.scanning import Scanning
    from tensorloupe.window.shell import Shell

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
    """Starts the checks of each model that is opened, and shows what they found.

    judged  the contents with what was found
    """

    judged = Signal(object)

    def __init__(self, shell: Shell, scanning: Scanning) -> None:
        super().__init__(shell)
        self._shell, self._scanning = shell, scanning

    def take(self, contents: Contents, keep: bool) -> None:
        """Check a model that was just opened; `keep` says that it is the same file, read anew."""

        def done(found: Judgement) -> None:
            shown = self._shell.contents
            if shown is not None and shown.model is contents.model:
                self._show(shown, found, keep)

        def failed(reason: BaseException) -> None:
            if not isinstance(reason, weightmap.WeightFileError):
                raise reason
            if not contents.model.closed:
                said = weightmap.printable(reason.finding.message)
                self._shell.strip.say("error", "Headers and metadata could not be checked.", said)

        self._shell.tasks.start(SLOT, "", lambda _: judge(contents), done, failed, quiet=True, delay=_PAINT)

    def _show(self, contents: Contents, found: Judgement, keep: bool) -> None:
        shell = self._shell
        contents.outline.rank[:] = found.ranks
        shell.contents = contents._replace(findings=found.findings, files=found.files)
        shell.explorer.dock.take_judgement(found.files, found.findings, turn=not keep)
        self._scanning.judged()
        shell.explorer.tree.take_states()
        self.judged.emit(shell.contents)
