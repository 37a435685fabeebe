"""A strip across the window that says what went wrong and what to do, in place: the rest of the window stays usable."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Ground, IconButton, PlainLabel, StatusMark

Button = tuple[str, Callable[[], object]]


class Strip(Ground):
    """Shape, sentence in bold, what follows from it; buttons for what can be done. Hidden until it has something to say."""

    def __init__(self, theme: Theme, closable: bool = True) -> None:
        super().__init__(theme, "error_strip")
        self.mark = StatusMark(theme, 18)
        self.sentence = PlainLabel(theme, bold=True)
        self.consequence = PlainLabel(theme)
        for label in (self.sentence, self.consequence):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setMinimumWidth(120)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._close = IconButton(theme, "cross", "Close this message")
        if not closable:
            self._close.hide()  # and never shown before it has its place: it would be a window of its own for a moment
        self._close.clicked.connect(self.hide)
        self._buttons: list[QWidget] = []
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.sentence)
        words.addWidget(self.consequence)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 8, 16, 8)
        self._row.setSpacing(12)
        self._row.addWidget(self.mark)
        self._row.addLayout(words, 1)
        self._row.addWidget(self._close)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.hide()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())

    def say(self, status: str, sentence: str, consequence: str = "", buttons: tuple[Button, ...] = ()) -> None:
        """Show a message; text from files must come escaped."""
        self.set_color({"warning": "warning_strip", "error": "error_strip"}.get(status, "window"))
        self.mark.set_status(status)
        self.sentence.set_text(text.breakable(sentence))
        self.consequence.set_text(text.breakable(consequence))
        self.consequence.setVisible(bool(consequence))
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = []
        for word, act in buttons:
            button = QPushButton(word)
            button.clicked.connect(lambda _=False, act=act: act())
            self._row.insertWidget(self._row.count() - 1, button)
            self._buttons.append(button)
        self.setAccessibleName(f"{status}: {sentence} {consequence}")
        self.show()
