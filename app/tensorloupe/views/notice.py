"""What stands where a picture, or a whole view, would be: a sentence, what runs, or a failure.

A failed view says what happened and what to do, its cause folded away.
"""

from __future__ import annotations

import traceback

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style.theme import Theme

OLD = ("file_changed", "closed")  # what was opened is no longer there: to read it once more is in vain
DIMMED = 0.4  # of the base colour over the old picture: 60 % of it stays


class Notice(QWidget):
    """What stands over the picture, or instead of it.

    `cancel`, `again` and `reload` are its buttons: the last in place of `again` where only another look at the file helps.
    """

    cancel = Signal()
    again = Signal()
    reload = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._veil, self._shape, self._is_old = 1.0, "", False
        self.what, self.advice = _label(bold=True), _label()
        self.cancel_button, self.again_button, self.cause_button = (
            QPushButton("Cancel"),
            QPushButton("Retry"),
            QPushButton("Show the cause"),
        )
        self.cause = QPlainTextEdit()
        self.cause.setReadOnly(True)
        self.cause.setTabChangesFocus(True)
        self.cause.setAccessibleName("Cause")
        self.cause.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.cause_button.setCheckable(True)
        self.cause_button.toggled.connect(self._fold)
        self.cancel_button.clicked.connect(self.cancel)
        self.again_button.clicked.connect(lambda: (self.reload if self._is_old else self.again).emit())
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.cancel_button, self.again_button, self.cause_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 24, 32, 24)
        column.setSpacing(8)
        column.addStretch(2)
        for label in (self.what, self.advice):
            column.addWidget(label)
        column.addSpacing(8)
        column.addLayout(buttons)
        column.addWidget(self.cause, 3)
        column.addStretch(3)

    def say(self, text: str) -> None:
        """One sentence instead of the picture."""
        self._show(text, "", veil=1.0)

    def offer(self, text: str, word: str) -> None:
        """One sentence instead of the picture, and a button."""
        self._is_old = False
        self.again_button.setText(word)
        self._show(text, "", veil=1.0, buttons=(self.again_button,))

    def run(self, what: str) -> None:
        """What runs, over the dimmed picture."""
        self._show(what, "", veil=DIMMED, buttons=(self.cancel_button,))

    def fail(self, reason: BaseException) -> None:
        """A failure instead of the picture."""
        what, advice = explained(reason)
        self._is_old = isinstance(reason, weightmap.WeightFileError) and reason.finding.code in OLD
        self.again_button.setText("Reload" if self._is_old else "Retry")
        self._show(what, advice, veil=1.0, shape="error", buttons=(self.again_button, self.cause_button))
        self.cause.setPlainText("".join(traceback.format_exception(reason)).strip())
        self.cause_button.setChecked(False)

    def refuse(self, problem: weightmap.Finding) -> None:
        """Why there are no values to show, and what to do: no button helps."""
        self._show(
            weightmap.printable(problem.message), weightmap.printable(problem.advice or ""), veil=1.0, shape="error"
        )

    def cancelled(self, text: str) -> None:
        """A cancelled run over the dimmed picture."""
        self._is_old = False
        self.again_button.setText("Resume")
        self._show(text, "", veil=DIMMED, buttons=(self.again_button,))

    def _show(
        self, what: str, advice: str, *, veil: float, shape: str = "", buttons: tuple[QPushButton, ...] = ()
    ) -> None:
        self._veil, self._shape = veil, shape
        self.what.setText(what)
        font = self.what.font()
        font.setBold(bool(advice or buttons))
        self.what.setFont(font)
        self.advice.setText(advice)
        self.advice.setVisible(bool(advice))
        for button in (self.cancel_button, self.again_button, self.cause_button):
            button.setVisible(button in buttons)
        self.cause.setVisible(False)
        self.setAccessibleName(f"{what} {advice}".strip())
        self.show()
        self.raise_()
        self.update()

    def _fold(self, shown: bool) -> None:
        self.cause.setVisible(shown)
        self.cause_button.setText("Hide the cause" if shown else "Show the cause")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim or cover the picture; over a dimmed one the words get ground of their own."""
        painter = QPainter(self)
        base = self._theme.color("base")
        painter.setOpacity(self._veil)
        painter.fillRect(self.rect(), base)
        painter.setOpacity(1.0)
        if self._veil < 1.0:
            painter.setPen(self._theme.color("strong"))
            painter.setBrush(base)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawRoundedRect(self._words().adjusted(-24, -16, 24, 16), 3, 3)
        if self._shape:
            words = self.what.geometry()
            self._theme.paint_status(painter, QRectF(words.center().x() - 14, words.top() - 40, 28, 28), self._shape)

    def _words(self) -> QRectF:
        """What the words and buttons cover."""
        metrics = self.what.fontMetrics()
        width = min(metrics.horizontalAdvance(self.what.text()) + 24, self.width() - 64)
        width = max(width, 160)
        bottom = max(b.geometry().bottom() for b in (self.cancel_button, self.again_button) if not b.isHidden())
        return QRectF(
            (self.width() - width) / 2, self.what.geometry().top(), width, bottom - self.what.geometry().top()
        )


def _label(bold: bool = False) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = label.font()
    font.setBold(bold)
    label.setFont(font)
    return label


def explained(reason: BaseException) -> tuple[str, str]:
    """What a person is told of an exception: what happened, and what to do."""
    if isinstance(reason, weightmap.WeightFileError):
        return weightmap.printable(reason.finding.message), weightmap.printable(reason.finding.advice or "")
    if isinstance(reason, MemoryError):
        return "There is not enough memory for this picture.", "Close other programs, or look at a part of the tensor."
    return (
        f"This view failed: {type(reason).__name__}: {weightmap.printable(str(reason))}",
        "Try again, or report the cause.",
    )
