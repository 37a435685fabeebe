"""The place of the picture, and what stands there instead: a sentence, what is running, a failure, a cancelled run.

Nothing changes for the first 100 ms of a run; then the old picture stays, dimmed, with what runs and Cancel. Cancelled is
not failed.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from tensorloupe.style.theme import Theme
from tensorloupe.views.notice import Notice

QUIET_MS = 100


class Stage(QWidget):
    """The picture under a notice that is hidden while all is well."""

    cancel = Signal()
    again = Signal()

    def __init__(self, theme: Theme, picture: QWidget) -> None:
        super().__init__()
        self.picture = picture
        picture.setParent(self)
        self.notice = Notice(theme, self)
        self.notice.cancel.connect(self.cancel)
        self.notice.again.connect(self.again)
        self.notice.hide()
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(QUIET_MS)
        self._wait.timeout.connect(self._show_running)
        self._running = ""
        self.state = "picture"

    def show_picture(self) -> None:
        """All is well: only the picture."""
        self._set("picture")
        self.notice.hide()

    def show_sentence(self, text: str) -> None:
        """Nothing to draw: why, and the next step."""
        self._set("sentence")
        self.notice.say(text)

    def show_running(self, what: str) -> None:
        """Work has begun. After 100 ms the picture is dimmed and says so."""
        self._running = what
        if self.state in ("sentence", "failed", "cancelled"):
            self.notice.hide()
        if self.state != "running":
            self._set("running")
            self._wait.start()
        elif not self.notice.isHidden():
            self.notice.run(what)

    def show_failed(self, reason: BaseException) -> None:
        """The view failed: say what, what to do, and keep the cause for who wants it."""
        self._set("failed")
        self.notice.fail(reason)

    def painting_failed(self, reason: Exception) -> None:
        """The picture could not be painted: it is not asked to again before there is something new to show."""
        self.show_failed(reason)

    def show_cancelled(self, text: str) -> None:
        """The user cancelled: the picture stays dimmed, and the run can be taken up again."""
        self._set("cancelled")
        self.notice.cancelled(text)

    def show_offer(self, text: str, word: str) -> None:
        """What takes long waits for a word: why, and the button that begins it (`again`)."""
        self._set("sentence")
        self.notice.offer(text, word)

    def _set(self, state: str) -> None:
        self._wait.stop()
        self.state = state
        self.picture.setVisible(state != "failed")

    def _show_running(self) -> None:
        self.notice.run(self._running)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Picture and notice fill the stage."""
        super().resizeEvent(event)
        self.picture.setGeometry(self.rect())
        self.notice.setGeometry(self.rect())

    def minimumSizeHint(self) -> QSize:
        """A picture never gets smaller than it can be read."""
        return QSize(240, 160)
