"""What the window shows while its first model is being opened: nothing for a moment, then its name and Cancel."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

import weightmap
from tensorloupe.files import places
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets.controls import Ground, PlainLabel

_PATIENCE = 100


class Loading(Ground):
    """An empty page; after 100 ms it says what is being opened."""

    def __init__(self, theme: Theme, tasks: TaskRunner) -> None:
        super().__init__(theme, "window")
        self.said = PlainLabel(theme, "secondary", elide=True)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(tasks.cancel_all)
        self._row = QWidget()
        row = QHBoxLayout(self._row)
        row.setSpacing(16)
        row.addStretch(1)
        row.addWidget(self.said)
        row.addWidget(cancel)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.addWidget(self._row, 0, Qt.AlignmentFlag.AlignVCenter)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(_PATIENCE)
        self._wait.timeout.connect(self._row.show)

    def show_path(self, path: str) -> None:
        """Begin to wait for this file."""
        self._row.hide()
        self.said.set_text(f"Opening {weightmap.printable(places.name(path))}")
        self._wait.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._wait.stop()
