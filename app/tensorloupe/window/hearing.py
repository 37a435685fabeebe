"""What a window does when one of its parts says something: a view, the dock, the scan, the list, another page in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

import weightmap
from tensorloupe import clipboard
from tensorloupe.opening import drops
from tensorloupe.window import front
from tensorloupe.window.writing import say_written

if TYPE_CHECKING:
    from tensorloupe.weights import Weight
    from tensorloupe.window.window import Window


class Hearing(QObject):
    """Listens to the parts and keepers of a window, and keeps actions, title and status bar true."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._hear_keepers()
        area, dock = window.explorer.area, window.explorer.dock
        area.said.connect(self._say)
        area.view_changed.connect(self._view_changed)
        area.save_wanted.connect(lambda: window.do("save_picture"))
        area.copy_wanted.connect(lambda: window.do("copy_values"))
        area.action_wanted.connect(window.do)
        area.written.connect(lambda path, reason: say_written(window, path, reason))
        area.subject.copied.connect(clipboard.copy)
        area.file_page.report_wanted.connect(lambda: window.do("copy_report"))
        window.explorer.tree.copied.connect(clipboard.copy)
        dock.copying.said.connect(lambda sentence: window.status.say(sentence, "info"))
        dock.finding_chosen.connect(lambda finding: show_finding(window, finding))
        window.document.selected_changed.connect(self._selected)
        window.tasks.ended.connect(self._task_ended)
        window.theme.changed.connect(window.update)
        window.stack.currentChanged.connect(self._turned)

    def _hear_keepers(self) -> None:
        window = self._window
        window.scanning.found.connect(window.refresh_actions)
        window.scanning.refreshed.connect(window.show_file_status)
        window.judging.judged.connect(window.remember_path)
        window.scanning.finished.connect(window.remember_path)
        window.sheets.wished.connect(window.do)
        window.sheets.open_wanted.connect(window.open_row)
        window.sheets.turned.connect(window.refresh_actions)
        window.sheets.closed.connect(window.leave)

    def _selected(self, tensor: Weight | None) -> None:
        self._window.refresh_actions()
        if tensor is None and self._window.contents is not None:
            self._say("")

    def _say(self, sentence: str) -> None:
        window = self._window
        if sentence or window.document.selected is not None:  # nothing said of another view, or tensor, stays
            window.status.say(sentence, front.status_to_say(window, sentence))
        else:
            window.show_file_status()
        window.refresh_actions()

    def _view_changed(self) -> None:
        view = self._window.explorer.area.view
        if view is not None:  # others are out of sight, and had their turn
            drops.leave_to_window(view)
        self._window.refresh_actions()

    def _task_ended(self, _: object) -> None:
        """A scan of values may have found something: show the states that tensor and file have by now."""
        self._window.scanning.refresh_selected()
        self._window.refresh_actions()

    def _turned(self, _: int) -> None:
        """Another page is in front: what can be done, the title and the status bar are about that one."""
        self._window.show_title()
        self._window.refresh_actions()
        self._window.show_file_status()


def show_finding(window: Window, finding: weightmap.Finding) -> None:
    """Select the tensor that a finding is about; where single values are in view, those at the finding's byte."""
    if finding.tensor is None:
        return
    window.select_named(finding.tensor)
    tensor, view = window.document.selected, window.explorer.area.view
    if view is None or not isinstance(tensor, weightmap.Tensor) or finding.offset is None or not tensor.count:
        return
    block = (finding.offset - tensor.offset) // max(tensor.type.bytes, 1)
    if finding.code == "non_finite" and 0 <= block < tensor.nbytes // max(tensor.type.bytes, 1):
        view.go_to_element(tuple(int(i) for i in np.unravel_index(block * tensor.type.elements, tensor.shape)))
