"""What the window shows of the scan of values: rings and marks in the tree, findings as they come, cancelled and resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

import weightmap
from tensorloupe.checking.scan import ValueScan
from tensorloupe.files.places import is_address
from tensorloupe.items.outline import mark_of, status_of
from tensorloupe.items.standing import Scan
from tensorloupe.items.summary import updated
from tensorloupe.opening.contents import Contents
from tensorloupe.style import text

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

NONE: Mapping[int, str] = {}
SETTING = "check_values"  # whether values are looked at without being asked to


class Scanning(QObject):
    """Owns the window's ValueScan, and keeps tree, corner, file page and dock in step with what is known by now."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.scan = ValueScan(window.tasks, self)
        self.scan.changed.connect(lambda: self._changed())
        self.scan.advanced.connect(self._advanced)
        self.scan.stopped.connect(self._stopped)
        self.scan.failed.connect(self._failed)
        self._state: Scan = "off"  # as the summary was made for
        self._said: tuple[object, ...] = ()  # what subject line and tree were told last
        tree, area = window.explorer.tree, window.explorer.area
        for sign_of_life in (
            window.document.selected_changed,
            tree.view.selectionModel().currentChanged,
            tree.view.verticalScrollBar().valueChanged,
            tree.filter.changed,
            area.view_changed,
            window.theme.changed,
        ):
            sign_of_life.connect(self.scan.rest)
        window.explorer.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.scan.rest()
        return False

    @property
    def automatic(self) -> bool:
        """Whether values are looked at without being asked to."""
        return bool(self._window.settings.get(SETTING, True))

    def set_automatic(self, on: bool) -> None:
        """Remember it, and start or stop with the open model."""
        self._window.settings.set(SETTING, on)
        if on and not is_address(self._window.document.path or ""):
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
        window, contents = self._window, self._window.contents
        if contents is None or contents.findings is None:  # what is not checked yet is shown once it is
            return
        if contents.model.closed or window.document.model is not contents.model:
            return
        findings, summary = contents.model.findings, contents.summary
        news = anew or findings != contents.findings
        if news or self.scan.state != self._state:
            self._state = self.scan.state
            summary = updated(summary, contents.model, findings, self.scan.state)
            window.contents = contents._replace(findings=findings, summary=summary)
            window.summary_line.show_summary(summary)
            window.explorer.area.take_summary(window.contents)
        if news:
            window.explorer.dock.show_findings(findings)
        tensor = window.document.selected
        said = (
            tensor,
            tensor is not None and (tensor.values_checked, status_of(tensor)),
            summary.status,
            self.scan.busy,
        )
        if not marks and not news and said == self._said:
            return
        self._said = said
        window.explorer.tree.refresh_status(marks, summary.status, self.scan.busy)
        if marks or news:
            window.explorer.area.file_page.refresh_map()
        if news:
            window.refresh_actions()
        window.explorer.area.refresh_subject()
        window.show_file_status()

    def refresh_selected(self) -> None:
        """A view may have looked at every value of the selected tensor."""
        contents, tensor = self._window.contents, self._window.document.selected
        number = contents.outline.number_of(tensor) if contents is not None else None
        self.refresh({number: mark_of(tensor, self._unfinished)} if tensor is not None and number is not None else NONE)

    def judged(self) -> None:
        """Headers and metadata were checked: show what that has found, and how far the look at the values is."""
        self._changed(anew=True)

    def _changed(self, anew: bool = False) -> None:
        tree, contents, self._said = self._window.explorer.tree, self._window.contents, ()
        if contents is not None and contents.findings is None:
            return
        tree.set_scanning(self._unfinished)
        self.refresh(anew=anew)
        if self._window.contents is not None:
            tree.refresh_marks(self._window.contents.summary.status, self.scan.busy)
        tree.filter.set_outline(tree.model.outline)  # its chips count states

    def _advanced(self, marks: dict[int, str]) -> None:
        self.refresh(marks)

    def _stopped(self, done: int, total: int) -> None:
        said = f"Cancelled at {text.count(done)} of {text.counted(total, 'tensor')}."
        self._window.strip.say("info", said, "", (("Resume", self._resume),))

    def _resume(self) -> None:
        self._window.strip.hide()
        self.scan.start()

    def _failed(self, reason: BaseException) -> None:
        if isinstance(reason, weightmap.FileChangedError):
            return  # the watch says so, with Reload
        if not isinstance(reason, weightmap.WeightFileError):
            raise reason
        said = weightmap.printable(reason.finding.message)
        self._window.strip.say("error", "Not all values could be looked at.", said, (("Resume", self._resume),))


def status_to_say(window: Window) -> str:
    """The status shape beside what the status bar says: that of the selected tensor, else of the file."""
    tensor, contents = window.document.selected, window.contents
    if tensor is not None and contents is not None and contents.findings is not None:
        return status_of(tensor)
    return contents.summary.status if contents is not None else "ok"
