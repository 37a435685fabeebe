"""The status bar: on the left the last result and how sure it is, on the right what runs, how far it is, and Cancel."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QSizePolicy

from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.task import Task
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets.controls import Ground, PlainLabel, StatusMark

HEIGHT = 28
_BETWEEN = " · "
_PATIENCE = 100  # milliseconds before a task is worth mentioning


class Hints(PlainLabel):
    """What mouse and keys do, in the room that the last result leaves: as many parts as fit in whole, the first one first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "secondary", SECONDARY)
        self._parts: list[str] = []
        self._shown = True
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_parts(self, hint: str) -> None:
        """Parts with a middle dot between them."""
        parts = hint.split(_BETWEEN)
        if parts != self._parts:
            self._parts = parts
            self._choose()

    def show_parts(self, shown: bool) -> None:
        """Whether there is anything to say now. The room is kept either way."""
        self._shown = shown
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        metrics, many = self.fontMetrics(), len(self._parts) if self._shown else 0
        while many and metrics.horizontalAdvance(_BETWEEN.join(self._parts[:many])) > self.width():
            many -= 1
        words = _BETWEEN.join(self._parts[:many])
        if words != self.whole:
            self.set_text(words)


class StatusBar(Ground):
    """Shows the oldest task that is not quiet once it has run for 100 ms, one in the background only where there is no
    other; a hint stands there while nothing runs.
    """

    def __init__(self, theme: Theme, tasks: TaskRunner) -> None:
        super().__init__(theme, "window")
        self._tasks = tasks
        self._running: list[Task] = []
        self._mark = StatusMark(theme)
        self.said = PlainLabel(theme, ratio=SECONDARY, elide=True)
        self.hint = Hints(theme)
        self.doing = PlainLabel(theme, "secondary", SECONDARY, elide=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(180)
        self.bar.setAccessibleName("Progress")
        self.cancel = QPushButton("Cancel")
        self.cancel.setAccessibleName("Cancel what runs (Esc)")
        self.cancel.setToolTip("Esc")
        self.cancel.setStyleSheet("padding: 1px 10px;")
        self.cancel.clicked.connect(tasks.cancel_all)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 8, 2)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self.said)
        row.addWidget(self.hint, 1)
        for widget in (self.doing, self.bar, self.cancel):
            row.addWidget(widget)
        self.setMinimumHeight(max(HEIGHT, self.cancel.sizeHint().height() + 4))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.timeout.connect(self._show_task)
        tasks.started.connect(self._started)
        tasks.progressed.connect(self._progressed)
        tasks.ended.connect(self._ended)
        self._show_task()
        self.say("Ready", None)

    def say(self, sentence: str, status: str | None = "ok") -> None:
        """The last result, with its status shape, or without one."""
        self._mark.setVisible(status is not None)
        self._mark.set_status(status or "ok")
        self.said.set_text(sentence)

    def set_hint(self, hint: str) -> None:
        """What mouse and keys do in the view that is shown."""
        self.hint.set_parts(hint)

    @property
    def busy(self) -> bool:
        """Whether a running task is shown."""
        return not self.bar.isHidden()

    def _started(self, task: Task) -> None:
        self._running.append(task)
        if not self._wait.isActive():
            self._wait.start(_PATIENCE)

    def _foremost(self) -> Task | None:
        """The task to show."""
        return next((task for task in self._running if not task.background), next(iter(self._running), None))

    def _progressed(self, task: Task) -> None:
        if self.busy and task is self._foremost():
            self._show_progress(task)

    def _ended(self, task: Task) -> None:
        if task in self._running:
            self._running.remove(task)
        self._show_task()

    def _show_task(self) -> None:
        now = time.monotonic()
        task = self._foremost()
        left = 0.0 if task is None else _PATIENCE / 1000 - (now - task.started)
        if task is not None and left > 0:
            self._wait.start(max(1, round(left * 1000)))
            task = None
        for widget in (self.doing, self.bar, self.cancel):
            widget.setVisible(task is not None)
        self.hint.show_parts(task is None)
        if task is not None:
            self._show_progress(task)

    def _show_progress(self, task: Task) -> None:
        known = task.total > 0
        share = f"  {min(100, task.done * 100 // task.total)} %" if known else ""
        self.doing.set_text(f"{task.title}: {task.detail}" if task.detail else task.title + share)
        steps = self.bar.width()
        value = min(steps, task.done * steps // task.total) if known else 0
        if (self.bar.maximum(), self.bar.value()) != (steps, value):
            self.bar.setUpdatesEnabled(False)  # else a new value would have the window painted here and now
            self.bar.setRange(0, steps)
            self.bar.setValue(value)
            self.bar.setUpdatesEnabled(True)
