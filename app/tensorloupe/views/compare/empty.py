"""What the Error view shows without a reference: what it would show, and the next step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout

from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Ground, PlainLabel

SENTENCE = "Attach the model that this one was made from, to see what the quantization cost in every tensor."


class Empty(Ground):
    """A sentence and a button."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        said = PlainLabel(theme, "secondary")
        said.setWordWrap(True)
        said.setAlignment(Qt.AlignmentFlag.AlignCenter)
        said.set_text(SENTENCE)
        self.attach = QPushButton("Attach a reference     Ctrl+R")
        self.attach.setAccessibleName("Attach a reference")
        self.attach.setProperty("primary", True)
        self.attach.setMinimumHeight(32)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.attach)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(40, 40, 40, 40)
        column.setSpacing(16)
        column.addStretch(2)
        column.addWidget(said)
        column.addLayout(row)
        column.addStretch(3)
