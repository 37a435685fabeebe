"""The way back from a model to the list that it was opened from."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.widgets.controls import Ground, IconButton, PlainLabel


class Crumb(Ground):
    """A button, and what it leads back to."""

    back_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "window")
        self.back = IconButton(theme, "left", "Back to the list (Alt+Left)", "Back to the list")
        self.back.clicked.connect(self.back_wanted)
        self.said = PlainLabel(theme, "secondary", SECONDARY, elide=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 12, 2)
        row.setSpacing(10)
        row.addWidget(self.back)
        row.addWidget(self.said)
        row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_place(self, place: str) -> None:
        """Say which list it is; escaped."""
        self.said.set_text(place)
        self.show()
