"""What the window shows of the scan of values: rings and marks in the tree, findings as they come, cancelled and resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal

import weightmap
from tensorloupe.checking.scan import ValueScan
from tensorloupe.files.places import is_address
from tensorloupe.items.outline import mark_of, status_of
from tensorloupe.items.standing import Scan
from tensorloupe.items.summary import updated
from tensorloupe.opening.contents import Contents
from tensorloupe.style import text

if TYPE_CHECKING:
    from tensorloupe.window.shell import Shell

NONE: Mapping[int, str] = {}
SETTING = "check_values"  # whether values are looked at without being asked to


class Scanning(QObject):
    """Owns the window's ValueScan, and keeps tree, corner, file page and dock in step with what is known by now.

    found      there are other findings than before
    refreshed  what is known by now is shown
    finished   (the contents) every value was looked at: nothing more will be found
    """

    found = Signal()
    refreshed = Signal()
    finished = Signal(object)

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self.scan = ValueScan(shell.tasks, self)
        self.scan.changed.connect(lambda: self._changed())
        self.scan.advanced.connect(self._advanced)
        self.scan.stopped.connect(self._stopped)
        self.scan.failed.connect(self._failed)
        self._state: Scan = "off"  # as the summary was made for
        self._said: tuple[object, ...] = ()  # what subject line and tree were told last
        tree, area = shell.explorer.tree, shell.explorer.area
        for sign_of_life in (
            shell.document.selected_changed,
            tree.view.selectionModel().currentChanged,
            tree.view.verticalScrollBar().valueChanged,
            tree.filter.changed,
            area.view_changed,
            shell.theme.changed,
        ):
            sign_of_life.connect(self.scan.rest)
        shell.explorer.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.scan.rest()
        return False

    @property
    def automatic(self) -> bool:
        """Whether values are looked at without being asked to."""
        return bool(self._shell.settings.get(SETTING, True))

    def set_automatic(self, on: bool) -> None:
        """Remember it, and start or stop with the open model."""
        self._shell.settings.set(SETTING, on)
        if on and not is_address(self._shell.document.path or ""):
            self.scan.start()
        else:
            self.scan.stop()

    def take(self, contents: Contents | None) -> None:
        """Turn to the model that was opened, or to nothing."""
        self._state = "off"
        near = contents is not None and not is_address(contents.path)  # all of a remote file only where it is asked for
        self.scan.take(contents.outline if contents is not None else None, self.automatic and near)

    @property
    def _unfinished(self) -> bool:
        return self.scan.state in ("running", "cancelled")

    def refresh(self, marks: Mapping[int, str] = NONE, anew: bool = False) -> None:
        """Show what is known by now: marks of some tensors, the state of the file; `anew` says that there is more than before."""
        shell, contents = self._shell, self._shell.contents
        if contents is None or contents.findings is None:  # what is not checked yet is shown once it is
            return
        if contents.model.closed or shell.document.model is not contents.model:
            return
        findings, summary = contents.model.findings, contents.summary
        news = anew or findings != contents.findings
        if news or self.scan.state != self._state:
            ended = self.scan.state == "done" != self._state
            self._state = self.scan.state
            summary = updated(summary, contents.model, findings, self.scan.state)
            shell.contents = contents._replace(findings=findings, summary=summary)
            shell.summary_line.show_summary(summary)
            shell.explorer.area.take_summary(shell.contents)
            if ended:
                self.finished.emit(shell.contents)
        if news:
            shell.explorer.dock.show_findings(findings)
        tensor = shell.document.selected
        said = (
            tensor,
            tensor is not None and (tensor.values_checked, status_of(tensor)),
            summary.status,
            self.scan.busy,
        )
        if not marks and not news and said == self._said:
            return
        self._said = said
        shell.explorer.tree.refresh_status(marks, summary.status, self.scan.busy)
        if marks or news:
            shell.explorer.area.file_page.refresh_map()
        if news:
            self.found.emit()
        shell.explorer.area.refresh_subject()
        self.refreshed.emit()

    def refresh_selected(self) -> None:
        """A view may have looked at every value of the selected tensor."""
        contents, tensor = self._shell.contents, self._shell.document.selected
        number = contents.outline.number_of(tensor) if contents is not None else None
        self.refresh({number: mark_of(tensor, self._unfinished)} if tensor is not None and number is not None else NONE)

    def judged(self) -> None:
        """Headers and metadata were checked: show what that has found, and how far the look at the values is."""
        self._changed(anew=True)

    def _changed(self, anew: bool = False) -> None:
        tree, contents, self._said = self._shell.explorer.tree, self._shell.contents, ()
        if contents is not None and contents.findings is None:
            return
        tree.set_scanning(self._unfinished)
        self.refresh(anew=anew)
        if self._shell.contents is not None:
            tree.refresh_marks(self._shell.contents.summary.status, self.scan.busy)
        tree.filter.set_outline(tree.model.outline)  # its chips count states

    def _advanced(self, marks: dict[int, str]) -> None:
        self.refresh(marks)

    def _stopped(self, done: int, total: int) -> None:
        said = f"Cancelled at {text.count(done)} of {text.counted(total, 'tensor')}."
        self._shell.strip.say("info", said, "", (("Resume", self._resume),))

    def _resume(self) -> None:
        self._shell.strip.hide()
        self.scan.start()

    def _failed(self, reason: BaseException) -> None:
        if isinstance(reason, weightmap.FileChangedError):
            return  # the watch says so, with Reload
        if not isinstance(reason, weightmap.WeightFileError):
            raise reason
        said = weightmap.printable(reason.finding.message)
        self._shell.strip.say("error", "Not all values could be looked at.", said, (("Resume", self._resume),))
