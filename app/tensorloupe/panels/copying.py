"""Takes items of the metadata to the clipboard: they are read in the background, and too many are refused in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

import weightmap
from tensorloupe import clipboard
from tensorloupe.style import text
from tensorloupe.task import Progress
from tensorloupe.tasks import TaskRunner

MOST = 1_000_000  # items that the clipboard is given


class Copying(QObject):
    """`said`: why nothing was copied, for the status bar."""

    said = Signal(str)

    def __init__(self, tasks: TaskRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks

    def copy(self, items: int, make: Callable[[Progress], str]) -> None:
        """Put the text that `make` gives on the clipboard, a moment later; `items` is how many it reads for that."""
        if items > MOST:
            self.said.emit(
                f"{text.count(items)} items are too many for the clipboard: select no more than {text.count(MOST)}"
            )
            return
        self._tasks.start("copy items", f"Copying {text.counted(items, 'item')}", make, clipboard.copy, self._failed)

    def _failed(self, reason: BaseException) -> None:
        if not isinstance(reason, weightmap.WeightFileError):
            raise reason
        self.said.emit(f"Nothing was copied. {weightmap.printable(reason.finding.message)}")
