"""Notices that the open file is no longer the one on disk: when the window is turned to, now and then, after a failed read."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

import weightmap
from tensorloupe.document import Document
from tensorloupe.files.places import is_address
from tensorloupe.opening.opener import Opener
from tensorloupe.tasks import TaskRunner

EVERY = 5_000  # milliseconds between two looks while the window is in use


class Watch(QObject):
    """Asks the opener to look; what it finds comes by the opener's `stale`."""

    def __init__(self, opener: Opener, tasks: TaskRunner, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._opener = opener
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self._look)
        self._document = document
        tasks.failed.connect(self._failed)
        document.model_changed.connect(self._forget)
        self._told: str | None = None

    def set_active(self, active: bool) -> None:
        """The window is in use now, or not."""
        if active:
            self._look()
            self._timer.start()
        else:
            self._timer.stop()

    def is_news(self, finding: weightmap.Finding) -> bool:
        """Whether this was not said yet: a message that was closed does not come back by itself."""
        news = finding.message != self._told
        self._told = finding.message
        return news

    def _look(self) -> None:
        """Look at a file on a disk; a server is not contacted for this, and each of its answers tells of a change."""
        if not is_address(self._document.path or ""):
            self._opener.check_stale()

    def _failed(self, reason: BaseException) -> None:
        if isinstance(reason, weightmap.FileChangedError):
            self._opener.check_stale()

    def _forget(self) -> None:
        self._told = None
