"""A view that failed, at the place of its picture: what could not be done, the cause folded away, and Retry."""

from __future__ import annotations

import traceback

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout

import weightmap
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Ground, PlainLabel, StatusMark


class Failed(Ground):
    """Says what failed and offers to try again; the traceback opens on request and can be copied."""

    retry_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.sentence = PlainLabel(theme, bold=True)
        self.reason = PlainLabel(theme)
        for label in (self.sentence, self.reason):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.retry, self.more = QPushButton("Retry"), QPushButton("Show the cause")
        self.more.setCheckable(True)
        self.cause = QPlainTextEdit()
        self.cause.setReadOnly(True)
        self.cause.setAccessibleName("The cause in full")
        self.cause.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.cause.hide()
        self.retry.clicked.connect(self.retry_wanted)
        self.more.toggled.connect(self.cause.setVisible)
        head, mark = QHBoxLayout(), StatusMark(theme, 18)
        mark.set_status("error")
        head.setSpacing(10)
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.sentence, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.retry)
        buttons.addWidget(self.more)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self.reason)
        column.addLayout(buttons)
        column.addWidget(self.cause, 1)
        column.addStretch(0)

    def show_reason(self, sentence: str, reason: BaseException) -> None:
        """Show another failure, its cause folded."""
        self.sentence.set_text(sentence)
        if isinstance(reason, weightmap.WeightFileError):
            finding = reason.finding
            said = " ".join(part for part in (finding.message, finding.advice) if part)
        else:
            said = f"{type(reason).__name__}: {reason}"
        self.reason.set_text(weightmap.printable(said))
        self.cause.setPlainText("".join(traceback.format_exception(reason)))
        self.more.setChecked(False)
