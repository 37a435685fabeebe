"""The row of controls above the curve: which types, which error, how far it is, export; curve or table where it is narrow."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton

from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.controls import ControlRow
from tensorloupe.views.halves import Switch
from tensorloupe.views.whatif.types_menu import TypesButton
from tensorloupe.widgets.choice import Choice

MEASURES = (("relative", "relative_rmse"), ("RMSE", "rmse"), ("largest", "max_abs_error"))
NAMES = {"relative_rmse": "relative error (log)", "rmse": "RMSE (log)", "max_abs_error": "largest error (log)"}
TIP = "Relative: the root mean square error over that of the values. RMSE: the error itself. Largest: of any one value"
AGAINST = (("reference", True), ("this file", False))


TALL = 15  # lines of text in the view's height from which on the sentence has room


class Sentence(QLabel):
    """What the errors are against, in words; it goes where it would leave no room for the curve."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setContentsMargins(16, 0, 16, 8)
        self.setFont(theme.font(SECONDARY))
        self.setForegroundRole(self.palette().ColorRole.PlaceholderText)

    def show_where(self, height: int, wanted: bool) -> None:
        """Show it, where it is wanted, in a view of this height."""
        self.setVisible(wanted and height >= TALL * self.fontMetrics().height())


class WhatIfControls(ControlRow):
    """Signals say what the user wants; the view decides what that means."""

    resume_asked = Signal()
    export_asked = Signal()
    table_toggled = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.types = TypesButton(theme)
        self.against = Choice(
            "Against", AGAINST, "What types are tried on: the values of the reference, or what this file holds of them"
        )
        self.measure = Choice("Error", MEASURES, TIP)
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.resume = QPushButton("Resume")
        self.export = QPushButton("Export…")
        self.switch = Switch("Curve", "Table")
        self.add(self.switch)
        self.add(self.types, "Types")
        self.add(self.against, "Against", rank=1)
        self.add(self.measure, "Error", rank=2)
        self.stretch()
        self.add(self.words, rank=3)
        self.add(self.resume)
        self.add(self.export)
        self.resume.clicked.connect(self.resume_asked)
        self.export.clicked.connect(self.export_asked)
        self.switch.toggled.connect(self.table_toggled)

    def offer_rest(self, state: str) -> None:
        """Offer to go on where something was cancelled, or where a sample is all that was tried."""
        words = {"cancelled": "Resume", "sampled": "Try all values", "asking": "Try the rest"}.get(state)
        if words is not None and words != self.resume.text():
            self.resume.setText(words)
            self.fit(self.resume)
        self.leave_out(self.resume, words is None)

    def say(self, words: str) -> None:
        """How far it is."""
        if words != self.words.text():
            self.words.setText(words)
            self.fit(self.words)
